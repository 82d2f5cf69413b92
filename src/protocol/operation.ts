/**
 * What a surface asks of a session: plain data, so that it can come from a terminal, a socket, a
 * chat platform or a file. A session answers each operation with an acknowledgement at once; what
 * follows from it is in the event stream.
 */
import type { EndReason } from "./event.ts";
import type { JsonSchema } from "./json_schema.ts";
import type { UserPart } from "./message.ts";
import type { QuestionAnswer } from "./question.ts";

/** Raised when an operation changes its meaning; an unknown version is rejected. */
export const OPERATION_VERSION = 1;

/**
 * What becomes of input that comes while a turn runs: it waits for its own turn, reaches the model
 * at its next call, ends the running turn and takes its place, or is refused.
 */
export const BUSY_POLICIES = ["queue", "steer", "interrupt", "reject"] as const;

export type BusyPolicy = typeof BUSY_POLICIES[number];

export type OperationBody =
  | {
    op: "input";
    content: UserPart[];
    /** Default the surface's. */
    busy?: BusyPolicy;
    /** The input was not typed by a person. */
    synthetic?: boolean;
    /** The answer is wanted as JSON of this shape. */
    outputSchema?: JsonSchema;
  }
  /** Goes on from the transcript as it stands. */
  | { op: "continue"; outputSchema?: JsonSchema }
  | { op: "steer"; text: string }
  /** Ends the running turn, or the running command when there is none. */
  | { op: "interrupt"; reason?: string }
  | { op: "answer"; questionId: string; answer: QuestionAnswer }
  | { op: "command"; name: string; argument: string }
  | { op: "compact"; topic?: string }
  | { op: "set_model"; model: string; provider?: string }
  | { op: "close"; reason?: EndReason };

export type Operation = OperationBody & {
  v?: typeof OPERATION_VERSION;
  /** Who submits it, for records and for those who watch: `terminal`, `telegram:4711`. */
  by?: string;
};

export type Acknowledgement =
  /** The operation takes effect now; `turn` is the turn it began. */
  | { status: "accepted"; turn?: number }
  /** The operation waits; 1 is next. */
  | { status: "queued"; position: number }
  /** One line that says why nothing happens. */
  | { status: "rejected"; reason: string };
