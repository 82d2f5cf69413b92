/** The loop's dependencies with real budget and history, a scripted model and a scripted dispatcher. */
import { Budget, type BudgetLimits } from "../../src/agent/budget.ts";
import type { LoopDeps, TurnResult } from "../../src/agent/types.ts";
import { runTurn } from "../../src/agent/loop.ts";
import { shrinkMessages } from "../../src/context/shrink.ts";
import type { CallPlan, DispatchResult, ToolDispatcher } from "../../src/protocol/dispatch.ts";
import type { EventBody } from "../../src/protocol/event.ts";
import type { Message, ToolCallPart } from "../../src/protocol/message.ts";
import type { Provider } from "../../src/protocol/provider.ts";

export type FakeTool = (
  call: ToolCallPart,
  signal: AbortSignal,
) => Promise<Partial<DispatchResult> & { content?: string }>;

/** Runs each call through `tool`; plans come from `plan`. Keeps the order of starts and ends. */
export class FakeDispatcher implements ToolDispatcher {
  readonly log: string[] = [];
  turns = 0;
  #tool: FakeTool;
  #plan: (call: ToolCallPart) => CallPlan;

  constructor(tool: FakeTool, plan?: (call: ToolCallPart) => CallPlan) {
    this.#tool = tool;
    this.#plan = plan ?? (() => ({ parallel: false, paths: [] }));
  }

  plan(call: ToolCallPart): Promise<CallPlan> {
    return Promise.resolve(this.#plan(call));
  }

  beginTurn(): void {
    this.turns++;
  }

  async run(
    call: ToolCallPart,
    options: { signal: AbortSignal; emit(event: EventBody): void },
  ): Promise<DispatchResult> {
    this.log.push(`start ${call.id}`);
    options.emit({ type: "tool_start", callId: call.id, name: call.name, arguments: {} });
    const { content = "{}", ...rest } = await this.#tool(call, options.signal);
    this.log.push(`end ${call.id}`);
    options.emit({
      type: "tool_end",
      callId: call.id,
      name: call.name,
      isError: false,
      durationMs: 0,
      result: content,
    });
    return {
      message: { role: "tool", toolCallId: call.id, name: call.name, content, isError: false },
      ...rest,
    };
  }
}

export interface LoopSetup {
  provider: Provider;
  fallbacks?: Provider[];
  dispatcher?: FakeDispatcher;
  limits?: Partial<BudgetLimits>;
  history?: Message[];
  inbox?: string[][];
  signal?: AbortSignal;
}

/** Dependencies with waits near zero. `messages` is the live transcript, `discarded` what never got there. */
export function loopDeps(
  setup: LoopSetup,
): { deps: LoopDeps; messages: Message[]; discarded: Message[] } {
  const discarded: Message[] = [];
  const messages: Message[] = [...(setup.history ?? [])];
  const dispatcher = setup.dispatcher ?? new FakeDispatcher(() => Promise.resolve({}));
  const inbox = [...(setup.inbox ?? [])];
  const deps: LoopDeps = {
    providers: { active: setup.provider, fallbacks: [...(setup.fallbacks ?? [])] },
    system: "system",
    tools: [{ name: "probe", description: "d", parameters: { type: "object" } }],
    dispatcher: () => Promise.resolve(dispatcher),
    history: {
      messages: () => messages,
      append: (message) => void messages.push(message),
      discard: (message) => void discarded.push(message),
    },
    inbox: { drain: () => inbox.shift() ?? [] },
    budget: new Budget({ maxIterations: 10, ...setup.limits }),
    retry: { maxAttempts: 3, baseMs: 1, maxMs: 2, random: () => 0 },
    shrink: (messages, attempt) => Promise.resolve(shrinkMessages(messages, attempt)),
    signal: setup.signal ?? new AbortController().signal,
    request: {},
  };
  return { deps, messages, discarded };
}

/** Runs a turn to its end. */
export async function collectTurn(
  deps: LoopDeps,
  prompt: string | undefined,
): Promise<{ events: EventBody[]; result: TurnResult }> {
  const events: EventBody[] = [];
  const turn = runTurn(
    prompt === undefined ? {} : { content: [{ type: "text", text: prompt }] },
    deps,
  );
  let step = await turn.next();
  while (!step.done) {
    events.push(step.value);
    step = await turn.next();
  }
  return { events, result: step.value };
}
