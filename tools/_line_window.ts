/**
 * A page of numbered lines out of a file of any size in constant memory: the file is read by
 * ranges, only the wanted part of each wanted line is kept.
 */

/** A file by ranges: local, remote, or text that is already in memory. */
export interface ByteSource {
  size: number;
  read(start: number, length: number): Promise<Uint8Array>;
}

export interface WindowOptions {
  /** First line wanted, from 1. */
  offset: number;
  /** Lines wanted at most. */
  limit: number;
  maxLineChars: number;
  maxChars: number;
  /** Bytes of a byte order mark to leave out. */
  skipBytes?: number;
  /** Takes secrets out of lines and keeps their number; called once, before lines are cut. */
  redact?: (text: string) => string;
}

export interface LineWindow {
  /** `<number>|<text>` lines. */
  content: string;
  /** Lines in the file; undefined when it is too large to count on the way. */
  totalLines: number | undefined;
  /** Where to go on; absent at the end of the file. */
  nextOffset?: number;
  /** What ended the page early. */
  truncatedBy?: "lines" | "bytes";
  /** Lines that were shown only in part. */
  cutLines: number[];
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;
/** Files above this are not read further than the page needs. */
const COUNT_LIMIT_BYTES = 32 << 20;
/** The longest first line of a private key has fewer characters. */
const MARKER_CHARS = 96;
const CUT = "... [truncated]";
const KEY_HEADER = "-----BEGIN PRIVATE KEY-----\n";
/** How far past the first wanted line a page may reach, so that one endless line ends too. */
const PAGE_LIMIT_BYTES = 64 << 20;

/** Reads the page. */
export async function readWindow(
  source: ByteSource,
  options: WindowOptions,
): Promise<LineWindow> {
  const page = new Page(options);
  const start = options.skipBytes ?? 0;
  let at = start;
  let pageStart: number | undefined;
  const before = new KeyMarkers();
  while (at < source.size) {
    const chunk = await source.read(at, Math.min(CHUNK_BYTES, source.size - at));
    if (chunk.length === 0) break;
    at += chunk.length;
    const shown = page.take(chunk);
    before.take(chunk, shown);
    if (page.open) pageStart ??= at;
    const enough = page.full && source.size > COUNT_LIMIT_BYTES;
    const tooFar = page.open && at - (pageStart ?? at) > PAGE_LIMIT_BYTES;
    if (enough || tooFar) break;
  }
  return page.finish({ complete: at >= source.size, insideKey: before.open });
}

/** Bytes in memory as a source. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: (start, length) => Promise.resolve(bytes.subarray(start, start + length)),
  };
}

/** Text in memory as a source. */
export function textSource(text: string): ByteSource {
  return bytesSource(new TextEncoder().encode(text));
}

/** Whether the page begins inside a private key: what was read before it tells. */
class KeyMarkers {
  open = false;
  #done = false;
  #tail = "";

  /** The first `end` bytes of a chunk are before the page; all of them when it is undefined. */
  take(chunk: Uint8Array, end: number | undefined): void {
    if (this.#done) return;
    this.#done = end !== undefined;
    const text = this.#tail + new TextDecoder("latin1").decode(chunk.subarray(0, end));
    const last = text.lastIndexOf("PRIVATE KEY");
    if (last >= 0) {
      const head = text.slice(Math.max(0, last - MARKER_CHARS), last);
      this.open = head.lastIndexOf("-----BEGIN ") > head.lastIndexOf("-----END ");
    }
    // A marker may lie across two chunks.
    this.#tail = text.slice(-MARKER_CHARS);
  }
}

/** A line as it is in the file, with its number. */
interface Row {
  line: number;
  text: string;
}

class Page {
  full = false;
  #options: WindowOptions;
  #line = 1;
  /** Bytes of the current line seen so far, kept or not. */
  #lineBytes = 0;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #rows: Row[] = [];
  #begun = false;
  #chars = 0;
  #cut: number[] = [];
  #next: number | undefined;
  #truncatedBy: "lines" | "bytes" | undefined;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  /** The first wanted line was reached and the page is not full. */
  get open(): boolean {
    return !this.full && this.#line >= this.#options.offset;
  }

  /** Where in the chunk the page begins; undefined when it does not begin there. */
  take(chunk: Uint8Array): number | undefined {
    let begins = this.#begun ? 0 : undefined;
    let at = 0;
    while (at < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, at);
      const end = newline < 0 ? chunk.length : newline;
      if (this.open) {
        begins ??= at;
        this.#begun = true;
        this.#keep(chunk.subarray(at, end));
      }
      this.#lineBytes += end - at;
      if (newline < 0) break;
      this.#endLine();
      at = newline + 1;
    }
    return begins;
  }

  finish(end: { complete: boolean; insideKey: boolean }): LineWindow {
    if (this.#lineBytes > 0) this.#endLine();
    if (!end.complete && this.#next === undefined) {
      this.#stop(this.#line, this.full ? "lines" : "bytes");
    }
    const content = this.#render(end.insideKey);
    return {
      content,
      totalLines: end.complete ? this.#line - 1 : undefined,
      ...(this.#next === undefined ? {} : { nextOffset: this.#next }),
      ...(this.#truncatedBy === undefined ? {} : { truncatedBy: this.#truncatedBy }),
      cutLines: this.#cut,
    };
  }

  #keep(bytes: Uint8Array): void {
    // One more character than is shown, at four bytes each, tells a cut line from one that just fits.
    const room = (this.#options.maxLineChars + 1) * 4 - this.#keptBytes;
    if (room <= 0) return;
    // A copy: the chunk may be large and must not live as long as the page.
    const part = bytes.slice(0, room);
    this.#kept.push(part);
    this.#keptBytes += part.length;
  }

  #endLine(): void {
    if (this.#line >= this.#options.offset) {
      if (!this.full) this.#show();
      // The page was full before this line: it is the one to go on with.
      else if (this.#next === undefined) this.#stop(this.#line, "lines");
    }
    this.#line++;
    this.#lineBytes = 0;
    this.#kept = [];
    this.#keptBytes = 0;
  }

  /** Decides by the length of the line in the file, so that pages do not depend on what is hidden. */
  #show(): void {
    const { maxLineChars, maxChars, limit } = this.#options;
    const text = decodeLine(this.#kept);
    const isCut = text.length > maxLineChars;
    const shown = `${this.#line}|`.length + (isCut ? maxLineChars + CUT.length : text.length);
    if (this.#chars + shown > maxChars && this.#rows.length > 0) {
      return this.#stop(this.#line, "bytes");
    }
    if (isCut) this.#cut.push(this.#line);
    this.#rows.push({ line: this.#line, text });
    this.#chars += shown + 1;
    if (this.#rows.length === limit) this.full = true;
  }

  /** Secrets go first: a line number or a cut would hide what they are. */
  #render(insideKey: boolean): string {
    const { redact = (text: string) => text, maxLineChars, maxChars } = this.#options;
    const header = insideKey ? KEY_HEADER : "";
    const lines = redact(header + this.#rows.map(({ text }) => text).join("\n")).split("\n");
    if (insideKey) lines.shift();
    return this.#rows.map(({ line }, i) => {
      const text = lines[i] ?? "";
      const cut = this.#cut.includes(line) && text.length > maxLineChars
        ? sliceChars(text, maxLineChars) + CUT
        : text;
      return sliceChars(`${line}|${cut}`, maxChars);
    }).join("\n");
  }

  #stop(next: number, by: "lines" | "bytes"): void {
    this.full = true;
    this.#next = next;
    this.#truncatedBy = by;
  }
}

function decodeLine(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = parts.map((part) => decoder.decode(part, { stream: true })).join("") +
    decoder.decode();
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** The first `length` characters, without half of a surrogate pair at the end. */
function sliceChars(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
