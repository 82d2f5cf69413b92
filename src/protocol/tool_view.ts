/**
 * How a call and its result are shown, as data: each surface turns it into its own form
 * (terminal, HTML, chat message). Texts are as they are, escapes and all; the surface makes them
 * safe for where it prints them.
 */

export interface ViewItem {
  text: string;
  state?: "waiting" | "active" | "done" | "dropped";
}

export type ViewBlock =
  /** A sentence or a few. */
  | { kind: "text"; text: string }
  /** What a program printed, or a piece of a file: spacing matters. */
  | { kind: "output"; text: string; isError?: boolean }
  /** A unified diff. */
  | { kind: "diff"; text: string }
  | { kind: "list"; items: ViewItem[] }
  | { kind: "image"; mediaType: string; ref: string };

/** A call that has ended, for its renderers. Secrets are gone from everything in it. */
export interface ViewedCall<A, D> {
  args: A;
  details: D;
  isError: boolean;
}

/** The renderers of one tool; pure, and only called for results that have details. */
export interface ToolView<A, D> {
  /** The result in one line: `exit 0 · 3 lines`. */
  line(call: ViewedCall<A, D>): string;
  /** The result in full, as far as a person wants to see it. */
  expanded(call: ViewedCall<A, D>): ViewBlock[];
}
