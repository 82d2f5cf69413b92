/** The part of an output that does not fit into a result, kept for a file. */
import { cleanOutput } from "../src/util/clean_output.ts";

/** Most characters of overflow that are kept. */
const LIMIT = 5_000_000;

/** Keeps the beginning of an output of any size. */
export class OverflowLog {
  totalChars = 0;
  #parts: string[] = [];

  push(text: string): void {
    const room = LIMIT - this.totalChars;
    this.totalChars += text.length;
    if (room > 0) this.#parts.push(text.slice(0, room));
  }

  get complete(): boolean {
    return this.totalChars <= LIMIT;
  }

  text(): string {
    return cleanOutput(this.#parts.join(""));
  }
}
