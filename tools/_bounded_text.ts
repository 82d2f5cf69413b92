/**
 * Text that is collected from a foreign document up to a bound: a small file can describe more
 * text, cells or paragraphs than fit into memory, so nothing of it is built before it is counted.
 */

/** What one document gives at most: a thousand pages. */
const MAX_CHARS = 2_000_000;
/** Paragraphs, cells and pieces of text that are looked at. */
const MAX_ELEMENTS = 1_000_000;

/** Thrown when there is no room for more; caught by `collect()`. */
class Full extends Error {}

export class BoundedText {
  #parts: string[] = [];
  #chars = 0;
  #elements = 0;

  /** One more part of the document is looked at. */
  step(): void {
    if (++this.#elements > MAX_ELEMENTS) throw new Full();
  }

  /** Appends as much as there is room for. */
  add(text: string): void {
    const room = MAX_CHARS - this.#chars;
    this.#parts.push(text.length > room ? text.slice(0, room) : text);
    this.#chars += text.length;
    if (text.length > room) throw new Full();
  }

  /** What `work` has added; a note says when that is not all. Undefined when it gives `false`. */
  async collect(work: (text: this) => Promise<boolean> | boolean): Promise<string | undefined> {
    try {
      if (!await work(this)) return undefined;
    } catch (error) {
      if (!(error instanceof Full)) throw error;
      this.#parts.push("\n[cut here: the document is too large to be extracted in full]\n");
    }
    return this.#parts.join("");
  }
}
