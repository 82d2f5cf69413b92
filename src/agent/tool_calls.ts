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
  /** An action needs a yes that nobody can give: its call and the later ones have no result yet. */
  needsApproval?: string;
  halt?: string;
  /** Every call named a tool that does not exist. */
  allUnknown: boolean;
}

export interface ToolDeps {
  dispatcher: ToolDispatcher;
  history: History;
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
  for (const segment of planSegments(calls, (call) => deps.dispatcher.plan(call))) {
    for await (const done of runSegment(segment, { ...deps, batch })) {
      if (done.kind === "event") {
        yield done.event;
        continue;
      }
      const { result } = done;
      if (!result.unknownTool) outcome.allUnknown = false;
      if (result.needsApproval) {
        outcome.needsApproval ??= result.message.content;
        continue;
      }
      deps.history.append(result.message);
      yield* done.held;
      if (result.halt !== undefined) outcome.halt ??= result.halt;
    }
    if (outcome.needsApproval !== undefined) break;
  }
  return outcome;
}

/** Splits calls into ordered runs whose members may run together. */
export function planSegments(
  calls: readonly ToolCallPart[],
  plan: (call: ToolCallPart) => CallPlan,
): ToolCallPart[][] {
  const segments: ToolCallPart[][] = [];
  let open: { calls: ToolCallPart[]; plans: CallPlan[] } | undefined;
  for (const call of calls) {
    const next = plan(call);
    if (
      open && next.parallel && open.calls.length < MAX_PARALLEL &&
      !open.plans.some((other) => conflicts(other, next))
    ) {
      open.calls.push(call);
      open.plans.push(next);
      continue;
    }
    const fresh = [call];
    segments.push(fresh);
    open = next.parallel ? { calls: fresh, plans: [next] } : undefined;
  }
  return segments;
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
