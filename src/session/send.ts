/** One turn for one consumer, over the queue and the event stream that every listener uses. */
import type { TurnResult } from "../agent/types.ts";
import { HermesError } from "../protocol/error.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Acknowledgement } from "../protocol/operation.ts";
import type { Subscription } from "./event_feed.ts";
import type { TurnRequest } from "./turn_queue.ts";

/** A turn whose end a consumer waits for. */
export interface FollowedTurn extends TurnRequest {
  /** Told with the number of the turn when it begins. */
  onStart?(turn: number): void;
  onEnd?(result: TurnResult): void;
  /** Told when the transcript could not be stored. */
  onFailure?(error: unknown): void;
}

export interface SendParts {
  subscribe(): Subscription;
  submit(turn: FollowedTurn): Acknowledgement;
}

/**
 * Runs a turn and yields its events, the last one `turn_end`. A consumer that stops early
 * interrupts the turn; one that is slow does not slow it down.
 * @throws {HermesError} when the session takes no turn.
 */
export async function* sendTurn(
  { subscribe, submit }: SendParts,
  request: TurnRequest & { signal: AbortSignal },
): AsyncGenerator<AgentEvent, TurnResult> {
  const feed = subscribe();
  const left = new AbortController();
  const ended = Promise.withResolvers<TurnResult>();
  // Whoever iterates hears of a failure below.
  ended.promise.catch(() => feed.close());
  let turn: number | undefined;
  const acknowledgement = submit({
    ...request,
    signal: AbortSignal.any([request.signal, left.signal]),
    onStart: (number) => turn = number,
    onEnd: ended.resolve,
    onFailure: ended.reject,
    onDrop: () => ended.reject(new HermesError("the session is closed")),
  });
  if (acknowledgement.status === "rejected") {
    feed.close();
    throw new HermesError(acknowledgement.reason);
  }
  let hasBegun = false;
  let isOver = false;
  try {
    for await (const item of feed) {
      if (item.type !== "event") continue;
      const { event } = item;
      hasBegun ||= event.type === "turn_start" && event.turn === turn;
      if (!hasBegun) continue;
      isOver = event.type === "turn_end" && event.turn === turn;
      yield event;
      if (isOver) break;
    }
    return await ended.promise;
  } finally {
    if (!isOver) {
      left.abort(new Error("interrupted"));
      await ended.promise.catch(() => {
        // The failure is on its way to the consumer, or no consumer is left.
      });
    }
  }
}
