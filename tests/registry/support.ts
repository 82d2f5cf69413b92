/** A dispatcher over a registry of the test's own, with every event and log line kept. */
import type {
  ApprovalContext,
  ApprovalGate,
  ApprovalOutcome,
  ApprovalRequest,
  WantedGrant,
} from "../../src/protocol/approval.ts";
import type { DispatchOptions, DispatchResult } from "../../src/protocol/dispatch.ts";
import type { Environment } from "../../src/protocol/environment.ts";
import type { EventBody } from "../../src/protocol/event.ts";
import type { JsonSchema } from "../../src/protocol/json_schema.ts";
import type { ToolCallPart } from "../../src/protocol/message.ts";
import type { ToolSpec } from "../../src/protocol/tool.ts";
import { pluginResult, type ToolResult } from "../../src/protocol/tool_result.ts";
import { createDispatcher, type DispatcherOptions } from "../../src/registry/dispatch/dispatch.ts";
import { Hooks } from "../../src/registry/hooks/hooks.ts";
import { ToolRegistry } from "../../src/registry/registry.ts";
import { redactSecrets } from "../../src/text/redact.ts";
import { resolvePath } from "../../src/util/path.ts";
import { createTestServices } from "../support/tool_context.ts";

/** Answers every question the same way, telling dispatch that somebody was asked. */
export class FixedGate implements ApprovalGate {
  readonly requests: ApprovalRequest[] = [];
  readonly contexts: ApprovalContext[] = [];
  #outcome: ApprovalOutcome;

  constructor(outcome: ApprovalOutcome) {
    this.#outcome = outcome;
  }

  checkCommand(command: string, context: ApprovalContext): Promise<ApprovalOutcome> {
    const rule = { rule: "any", description: "any command", allowAlways: true };
    return this.checkAction({ tool: context.tool, subject: command, ...rule }, context);
  }

  checkGrant({ kind, value, reason }: WantedGrant, context: ApprovalContext) {
    const asked = { rule: `sandbox: ${kind}`, description: reason, allowAlways: true };
    return this.checkAction({ tool: context.tool, subject: value, ...asked }, context);
  }

  checkAction(request: ApprovalRequest, context: ApprovalContext): Promise<ApprovalOutcome> {
    this.requests.push(request);
    this.contexts.push(context);
    context.asked?.(request);
    return Promise.resolve(this.#outcome);
  }
}

/** Only the parts of an environment that dispatch itself uses. */
const ENVIRONMENT = {
  name: "test",
  sharesHost: false,
  cwd: () => "/project/dir",
  resolve: (path: string) => resolvePath("/project/dir", path),
} as unknown as Environment;

type BareResult = string | Record<string, unknown> | ToolResult;

function isWhole(value: BareResult): boolean {
  return typeof value === "object" && value !== null && "content" in value;
}

export class Bench {
  readonly registry = new ToolRegistry();
  readonly events: EventBody[] = [];
  readonly logs: string[] = [];
  readonly spilled = new Map<string, string>();
  readonly hooks = new Hooks({ log: (line) => this.logs.push(line) });
  readonly tools: string[] = [];
  config: Record<string, unknown> = {};
  #count = 0;

  /** Adds a tool whose handler may answer with a bare value, as those of plugins do. */
  add<const S extends JsonSchema>(
    spec: Pick<ToolSpec<S>, "name"> & Partial<Omit<ToolSpec<S>, "handler">> & {
      handler(...given: Parameters<ToolSpec<S>["handler"]>): BareResult | Promise<BareResult>;
    },
  ): this {
    this.tools.push(spec.name);
    const { handler } = spec;
    this.registry.register(
      {
        toolset: "test",
        description: spec.name,
        schema: { type: "object", properties: {} },
        ...spec,
        handler: async (...given: Parameters<ToolSpec<S>["handler"]>) => {
          const value = await handler(...given);
          return isWhole(value) ? value : pluginResult(value) ?? value;
        },
      } as unknown as ToolSpec,
    );
    return this;
  }

  dispatcher(options: Partial<DispatcherOptions> = {}) {
    const dispatcher = createDispatcher({
      registry: this.registry,
      hooks: this.hooks,
      tools: this.tools,
      session: { id: "s1" },
      environment: ENVIRONMENT,
      services: {
        ...createTestServices(),
        spill: {
          write: (name, text) => {
            this.spilled.set(name, text);
            return Promise.resolve(`/spill/${name}`);
          },
        },
      },
      gate: new FixedGate({ answer: "deny", by: "test" }),
      fetch: () => Promise.reject(new Error("no network")),
      config: (path) => this.config[path],
      log: (line) => this.logs.push(line),
      redact: redactSecrets,
      ...options,
    });
    return {
      ...dispatcher,
      plan: (name: string, args: unknown = {}) => dispatcher.plan(this.call(name, args)),
      beginTurn: () => dispatcher.beginTurn(),
      run: (name: string, args: unknown = {}, more: Partial<DispatchOptions> = {}) =>
        dispatcher.run(this.call(name, args), {
          signal: new AbortController().signal,
          emit: (event) => this.events.push(event),
          ...more,
        }),
    };
  }

  call(name: string, args: unknown): ToolCallPart {
    const text = typeof args === "string" ? args : JSON.stringify(args);
    return { type: "tool_call", id: `c${++this.#count}`, name, arguments: text };
  }

  types(): string[] {
    return this.events.map((event) => event.type);
  }
}

/** The result as the JSON it should be. */
export function parsed(result: DispatchResult): Record<string, unknown> {
  return JSON.parse(result.message.content);
}
