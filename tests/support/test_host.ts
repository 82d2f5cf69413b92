/** A host in a temporary home whose model answers from a function; everything else is real. */
import { resolveHome } from "../../src/config/home.ts";
import { loadSettings } from "../../src/config/load.ts";
import { Host, type HostOptions } from "../../src/host/host.ts";
import { RouteTable } from "../../src/host/routes.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { ModelRequest, Provider, ProviderEvent } from "../../src/protocol/provider.ts";
import type { Operation } from "../../src/protocol/operation.ts";
import type { Route } from "../../src/providers/route.ts";
import type { Session } from "../../src/session/session.ts";
import { ScriptedProvider, type ScriptedReply } from "./scripted_provider.ts";

/** What the model says to a request; may wait, and is told when nobody listens any more. */
export type Respond = (
  request: ModelRequest,
  signal: AbortSignal,
) => ScriptedReply | Promise<ScriptedReply>;

/** A model that asks `respond` for every answer. */
export class RespondingProvider implements Provider {
  readonly name = "fake";
  readonly model: Provider["model"];
  readonly #respond: Respond;

  constructor(respond: Respond, id = "fake-model") {
    this.#respond = respond;
    this.model = { id, contextTokens: 100_000 };
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const reply = await this.#respond(request, signal);
    for await (const event of new ScriptedProvider([reply], this.name).stream(request, signal)) {
      yield event;
    }
  }
}

/** Every route leads to this model, whatever its name. */
export function routesTo(respond: Respond): RouteTable {
  return new RouteTable((options): Promise<Route> => {
    const primary = new RespondingProvider(respond, options.model ?? "fake-model");
    const target = {
      provider: "fake",
      model: primary.model.id,
      baseUrl: "",
      wire: "openai_chat" as const,
    };
    return Promise.resolve({ primary, fallbacks: [], source: "flag", target });
  });
}

export interface TestHostOptions extends Partial<HostOptions> {
  respond?: Respond;
  /** Settings by dotted path. */
  config?: Record<string, unknown>;
}

export interface TestHost extends AsyncDisposable {
  readonly host: Host;
  /** The person's home; sessions work in it. */
  readonly home: string;
}

/** Opens a host; its home is removed at the end of the scope. */
export async function openTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const { respond = () => ({ text: "done" }), config = {}, ...rest } = options;
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-host-" }));
  const env = { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" };
  const settings = await loadSettings({
    home: resolveHome({ env }),
    env,
    overrides: { "terminal.sandbox": "off", ...config },
  });
  const host = new Host({
    settings,
    cwd: home,
    processEnv: env,
    routes: routesTo(respond),
    ...rest,
  });
  return {
    host,
    home,
    async [Symbol.asyncDispose]() {
      await host.close();
      await Deno.remove(home, { recursive: true });
    },
  };
}

/** Text that a person types. */
export function input(text: string, more: Partial<Operation & { op: "input" }> = {}): Operation {
  return { op: "input", content: [{ type: "text", text }], ...more };
}

/** Everything a session told from now on. */
export class EventLog {
  readonly events: AgentEvent[] = [];
  readonly ended: Promise<void>;
  #wake: (() => void)[] = [];

  constructor(session: Session) {
    this.ended = this.#read(session);
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** The next event of this type after the `skip` first ones. */
  async next<T extends AgentEvent["type"]>(type: T, skip = 0): Promise<AgentEvent & { type: T }> {
    while (true) {
      const found = this.events.filter((event) => event.type === type)[skip];
      if (found) return found as AgentEvent & { type: T };
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  async #read(session: Session): Promise<void> {
    for await (const item of session.subscribe({ snapshot: false, limit: Infinity })) {
      if (item.type !== "event") continue;
      this.events.push(item.event);
      for (const wake of this.#wake.splice(0)) wake();
    }
  }
}

/** What the model would read of the last tool result in a request. */
export function lastResult(request: ModelRequest): Record<string, unknown> {
  const message = request.messages.findLast(({ role }) => role === "tool");
  if (message?.role !== "tool") throw new Error("no tool result in the request");
  return JSON.parse(message.content);
}
