/** A session as it is at one moment: what a listener that joins in the middle gets first. */
import type { Message, Usage, UserPart } from "./message.ts";
import type { Question } from "./question.ts";

/** A tool call that has no result yet. */
export interface RunningCall {
  callId: string;
  name: string;
  arguments: unknown;
  parentCallId?: string;
  /** The last of what it reported. */
  progress: string;
}

/** A turn that has not ended: what of it is in no message yet. */
export interface RunningTurn {
  turn: number;
  input: UserPart[];
  /** Of the message that is being received. */
  text: string;
  reasoning: string;
  calls: RunningCall[];
}

export interface Snapshot {
  sessionId: string;
  /** Number of the last event that the snapshot holds; the next one has a higher number. */
  seq: number;
  provider: string;
  model: string;
  cwd: string;
  usage: Usage;
  transcript: readonly Message[];
  running?: RunningTurn;
  questions: Question[];
  /** Input that waits for its turn. */
  queued: UserPart[][];
}
