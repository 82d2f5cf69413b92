/**
 * Separates `<think>…</think>` at the start of an answer from the answer: local servers
 * without a reasoning parser leave it in the text. Anywhere else the tag is ordinary text.
 */

export interface SplitText {
  reasoning: string;
  text: string;
}

const OPEN = /^\s*<(think|thinking|reasoning|thought)>/i;
const MAYBE_OPEN = /^\s*(<[a-z]{0,9})?$/i;

export class ThinkTagSplitter {
  #state: "start" | "inside" | "after" | "text" = "start";
  #held = "";
  #close = "";

  /** Takes the next piece; text that may be part of a tag is held back. */
  push(piece: string): SplitText {
    if (this.#state === "text") return { reasoning: "", text: piece };
    if (this.#state === "after") return this.#after(piece);
    this.#held += piece;
    if (this.#state === "start") {
      const open = OPEN.exec(this.#held);
      if (open === null) {
        return MAYBE_OPEN.test(this.#held) ? { reasoning: "", text: "" } : this.end();
      }
      this.#close = `</${open[1]}>`;
      this.#held = this.#held.slice(open[0].length).trimStart();
      this.#state = "inside";
    }
    return this.#inside();
  }

  /** What is still held back, at the end of the answer. */
  end(): SplitText {
    const held = this.#held;
    const inside = this.#state === "inside";
    this.#held = "";
    this.#state = "text";
    return inside ? { reasoning: held, text: "" } : { reasoning: "", text: held };
  }

  /** Blank lines between reasoning and answer belong to neither. */
  #after(piece: string): SplitText {
    const text = piece.trimStart();
    if (text !== "") this.#state = "text";
    return { reasoning: "", text };
  }

  #inside(): SplitText {
    const at = this.#held.toLowerCase().indexOf(this.#close.toLowerCase());
    if (at >= 0) {
      const reasoning = this.#held.slice(0, at);
      const rest = this.#held.slice(at + this.#close.length);
      this.#held = "";
      this.#state = "after";
      return { ...this.#after(rest), reasoning };
    }
    const safe = Math.max(0, this.#held.length - this.#close.length);
    const reasoning = this.#held.slice(0, safe);
    this.#held = this.#held.slice(safe);
    return { reasoning, text: "" };
  }
}
