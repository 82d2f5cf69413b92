/**
 * What `hermes run` shows while it works: progress lines on standard error, and on a terminal the
 * answer on standard output as it comes. A fold over events; writing is the caller's.
 */
import type { AgentEvent } from "../../protocol/event.ts";
import { CallLabels } from "./call_labels.ts";
import { progressLines, type ProgressOptions } from "./progress.ts";

export interface RunViewOptions extends ProgressOptions {
  /** Shows no progress. */
  quiet: boolean;
  /** Shows the answer while it is received. */
  stream: boolean;
}

/** What to write next: `answer` belongs on standard output, `progress` on standard error. */
export interface RunText {
  answer: string;
  progress: string;
}

export class RunView {
  readonly #options: RunViewOptions;
  readonly #labels = new CallLabels();
  /** True while the last of the streamed text has no line end. */
  #isOpen = false;
  /** What was shown of the last message. */
  #streamed: string | undefined;

  constructor(options: RunViewOptions) {
    this.#options = options;
  }

  /** True when this answer was shown as it came; a hook may have replaced it since. */
  hasShown(answer: string): boolean {
    return this.#streamed !== undefined && answer.trimEnd().endsWith(this.#streamed.trimEnd());
  }

  fold(event: AgentEvent): RunText {
    const { stream, quiet } = this.#options;
    const label = this.#labels.follow(event);
    if (event.type === "message_start") this.#streamed = undefined;
    if (stream && event.type === "message_delta" && event.kind === "text") {
      this.#streamed = (this.#streamed ?? "") + event.text;
      this.#isOpen = !event.text.endsWith("\n");
      return { answer: event.text, progress: "" };
    }
    if (
      event.type === "message_end" || event.type === "turn_end" || event.type === "question_start"
    ) {
      return { answer: this.#close(), progress: "" };
    }
    // The error that ends the run is told at its end.
    if (quiet || (event.type === "error" && event.fatal)) return { answer: "", progress: "" };
    const lines = progressLines(event, { ...this.#options, ...label });
    if (lines.length === 0) return { answer: "", progress: "" };
    return { answer: this.#close(), progress: lines.map((line) => `${line}\n`).join("") };
  }

  #close(): string {
    if (!this.#isOpen) return "";
    this.#isOpen = false;
    return "\n";
  }
}
