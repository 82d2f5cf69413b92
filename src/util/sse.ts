/**
 * Server-sent events from raw bytes, as they arrive. Knows the framing only: what the data
 * means, and markers such as `[DONE]`, are the caller's.
 */

export interface SseEvent {
  /** The `event:` field; empty when the server named none. */
  event: string;
  /** All `data:` lines joined by newlines. */
  data: string;
}

const MAX_EVENT_CHARS = 16 * 1024 * 1024;
/** Each takes memory, however short it is. */
const MAX_DATA_LINES = 100_000;

/** Decodes one stream. Chunks may be cut anywhere, also inside a character or a line break. */
export class SseDecoder {
  #utf8 = new TextDecoder();
  #maxChars: number;
  /** Text after the last complete line, in the pieces it came in: a long line is searched once. */
  #rest: string[] = [];
  #restChars = 0;
  #event = "";
  #data: string[] = [];
  #dataChars = 0;

  constructor(options: { maxChars?: number } = {}) {
    this.#maxChars = options.maxChars ?? MAX_EVENT_CHARS;
  }

  /**
   * Takes the next bytes and returns the events they complete.
   * @throws RangeError when a line or event grows beyond the limit.
   */
  push(chunk: Uint8Array): SseEvent[] {
    return this.#take(this.#utf8.decode(chunk, { stream: true }));
  }

  /** The event that the end of the stream left without its closing blank line, if any. */
  end(): SseEvent[] {
    return this.#take(`${this.#utf8.decode()}\n\n`);
  }

  #take(text: string): SseEvent[] {
    const held = this.#rest.at(-1) ?? "";
    this.#rest.push(text);
    this.#restChars += text.length;
    const events = /[\r\n]/.test(text) || held.endsWith("\r")
      ? this.#lines(this.#rest.join(""))
      : [];
    if (this.#restChars > this.#maxChars) throw this.#tooLong();
    return events;
  }

  #lines(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let start = 0;
    for (const match of text.matchAll(/\r\n|\n|\r/g)) {
      // A carriage return at the very end may be the first half of a CRLF.
      if (match[0] === "\r" && match.index === text.length - 1) break;
      const event = this.#line(text.slice(start, match.index));
      if (event) events.push(event);
      start = match.index + match[0].length;
    }
    const rest = text.slice(start);
    this.#rest = [rest];
    this.#restChars = rest.length;
    return events;
  }

  #line(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "event") this.#event = value;
    if (field === "data") {
      // With its line break: lines without text are no less endless.
      this.#dataChars += value.length + 1;
      if (this.#dataChars > this.#maxChars || this.#data.length >= MAX_DATA_LINES) {
        throw this.#tooLong();
      }
      this.#data.push(value);
    }
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const event = { event: this.#event, data: this.#data.join("\n") };
    const empty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    this.#dataChars = 0;
    return empty ? undefined : event;
  }

  #tooLong(): RangeError {
    return new RangeError(`An event is longer than ${this.#maxChars} characters`);
  }
}
