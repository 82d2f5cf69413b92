/**
 * Runs the tool calls of one assistant message: neighbours that allow it side by side, the
 * rest one after the other, results stored and reported in source order. Every call ends in
 * exactly one result, also after an abort.
 */
import type { EventBody } from "../protocol/event.ts";
import type { CallPlan, DispatchResult, ToolDispatcher } from "../protocol/dispatch.ts";
import type { ToolCallPart, ToolMessage } from "../protocol/message.ts";
import { EventQueue } from "../util/event_queue.ts";
import { isWithin } from "../util/path.ts";
import type { History } from "./types.ts";

export interface ToolCallsOutcome {
  /** An action needs a yes that no person can give: its call and the later ones have no result yet. */
  needsApproval?: string;
  halt?: string;
  /** Every call named a tool that does not exist. */
  allUnknown: boolean;
}

export interface ToolDeps {
  dispatcher: ToolDispatcher;
  history: Pick<History, "append">;
  signal: AbortSignal;
}

const MAX_PARALLEL = 8;

/** Runs `calls` and appends one tool message each to the history before reporting its end. */
export async function* runToolCalls(
  calls: readonly ToolCallPart[],
  deps: ToolDeps,
): AsyncGenerator<EventBody, ToolCallsOutcome> {
  const outcome: ToolCallsOutcome = { allUnknown: calls.length > 0 };
  const batch = { usedChars: 0 };
  for (let done = 0; done < calls.length && outcome.needsApproval === undefined;) {
    const next = calls.slice(done, done + MAX_PARALLEL);
    const segment = await nextSegment(next, (call) => deps.dispatcher.plan(call));
    done += segment.length;
    for await (const item of runSegment(segment, { ...deps, batch })) {
      if (item.kind === "event") {
        yield item.event;
        continue;
      }
      const { result } = item;
      if (!result.unknownTool) outcome.allUnknown = false;
      if (result.needsApproval) {
        outcome.needsApproval ??= result.message.content;
        continue;
      }
      deps.history.append(result.message);
      yield* item.held;
      if (result.halt !== undefined) outcome.halt ??= result.halt;
    }
  }
  return outcome;
}

/** The calls at the front that may run together: one, or as many as allow it. */
export async function nextSegment(
  calls: readonly ToolCallPart[],
  plan: (call: ToolCallPart) => Promise<CallPlan>,
): Promise<readonly ToolCallPart[]> {
  if (calls.length === 1) return calls;
  const plans: CallPlan[] = [];
  for (const call of calls.slice(0, MAX_PARALLEL)) {
    const next = await plan(call);
    if (!next.parallel || plans.some((other) => conflicts(other, next))) break;
    plans.push(next);
  }
  return calls.slice(0, Math.max(1, plans.length));
}

function conflicts(a: CallPlan, b: CallPlan): boolean {
  return a.paths.some((one) =>
    b.paths.some((other) =>
      (one.write || other.write) &&
      (isWithin(one.path, other.path) || isWithin(other.path, one.path))
    )
  );
}

type SegmentItem =
  | { kind: "event"; event: EventBody }
  /** `held` is the call's `tool_end`, shown only once its result is stored. */
  | { kind: "result"; result: DispatchResult; held: EventBody[] };

async function* runSegment(
  calls: readonly ToolCallPart[],
  deps: ToolDeps & { batch: { usedChars: number } },
): AsyncGenerator<SegmentItem> {
  const queue = new EventQueue<SegmentItem>();
  const settled: (SegmentItem & { kind: "result" } | undefined)[] = calls.map(() => undefined);
  let next = 0;
  const running = calls.map(async (call, index) => {
    const held: EventBody[] = [];
    const emit = (event: EventBody) => {
      if (event.type === "tool_end" && event.callId === call.id) held.push(event);
      else queue.push({ kind: "event", event });
    };
    const result = deps.signal.aborted
      ? { message: cancelled(call) }
      : await deps.dispatcher.run(call, { signal: deps.signal, emit, batch: deps.batch });
    settled[index] = { kind: "result", result, held };
    while (next < settled.length && settled[next]) queue.push(settled[next++]!);
  });
  const all = Promise.all(running).then(() => queue.close(), (error) => queue.fail(error));
  try {
    yield* queue;
  } finally {
    await all;
  }
}

function cancelled(call: ToolCallPart): ToolMessage {
  return {
    role: "tool",
    toolCallId: call.id,
    name: call.name,
    content: JSON.stringify({ error: "Cancelled before it started." }),
    isError: true,
  };
}
