/** The interactive view: a fold over events that gives the text to write next. Pure but for its own position. */
import type { AgentEvent } from "../../protocol/event.ts";
import { CallLabels } from "./call_labels.ts";
import { progressLines, type ProgressOptions } from "./progress.ts";
import { terminalText } from "../../util/terminal_text.ts";

export class ChatView {
  #options: ProgressOptions;
  readonly #labels = new CallLabels();
  /** True while the cursor stands inside streamed text. */
  #open = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /** The text to write for an event. */
  fold(event: AgentEvent): string {
    const label = this.#labels.follow(event);
    switch (event.type) {
      case "message_delta":
        if (event.kind === "reasoning") {
          return this.#options.verbose ? this.#options.style.dim(terminalText(event.text)) : "";
        }
        this.#open = true;
        return terminalText(event.text);
      case "message_end":
        return this.#close();
      case "turn_end":
        return this.#close() + this.#turnEnd(event);
      // The question itself is on the screen.
      case "approval_start":
      case "session_start":
      case "session_end":
        return "";
      default: {
        const lines = progressLines(event, { ...this.#options, ...label });
        return lines.length === 0 ? "" : this.#close() + lines.map((line) => `${line}\n`).join("");
      }
    }
  }

  #close(): string {
    if (!this.#open) return "";
    this.#open = false;
    return "\n";
  }

  #turnEnd(event: AgentEvent & { type: "turn_end" }): string {
    return event.reason === "done" ? "" : `${this.#options.style.yellow(`[${event.reason}]`)}\n`;
  }
}
