/**
 * Bytes to text and back: what a file's first bytes say about it, and the byte order mark,
 * encoding and line endings that an edit must keep.
 */
import { BINARY_EXTENSIONS, MAGIC } from "./_binary_data.ts";
import { extname } from "../src/util/path.ts";

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** How a text file is stored, apart from its text. */
export interface TextFormat {
  encoding: TextEncoding;
  /** The file begins with a byte order mark. */
  bom: boolean;
  /** `mixed` files are edited as they are. */
  eol: "\n" | "\r\n" | "mixed";
}

export const PLAIN_TEXT: TextFormat = { encoding: "utf-8", bom: false, eol: "\n" };

/** Bytes looked at to tell text from other things. */
export const SNIFF_BYTES = 1000;

export type Sniffed =
  | { kind: "text"; encoding: TextEncoding; bomBytes: number }
  | { kind: "binary"; type: string };

/** Text or not, from the first bytes. */
export function sniffText(head: Uint8Array): Sniffed {
  const bytes = head.subarray(0, SNIFF_BYTES);
  const marked = byteOrderMark(bytes);
  if (marked) return { kind: "text", ...marked };
  if (bytes.includes(0)) {
    const encoding = utf16Pattern(bytes);
    if (encoding) return { kind: "text", encoding, bomBytes: 0 };
    return { kind: "binary", type: magicType(bytes) ?? "binary data" };
  }
  if (isUtf8(bytes)) return { kind: "text", encoding: "utf-8", bomBytes: 0 };
  return { kind: "binary", type: magicType(bytes) ?? "not UTF-8" };
}

/** `image`, `document`, … for names whose content is never text. */
export function binaryKind(path: string): string | undefined {
  return BINARY_EXTENSIONS.get(extname(path).slice(1).toLowerCase());
}

/** The text of a whole file and how it was stored; undefined when it is not text. */
export function decodeText(bytes: Uint8Array): { text: string; format: TextFormat } | undefined {
  const sniffed = sniffText(bytes);
  if (sniffed.kind === "binary") return undefined;
  const { encoding, bomBytes } = sniffed;
  const body = bytes.subarray(bomBytes);
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    // Invalid further on than was looked at: not text that can be written back unchanged.
    return undefined;
  }
  const crlf = count(text, "\r\n");
  const all = count(text, "\n");
  const eol = crlf === 0 ? "\n" : crlf === all ? "\r\n" : "mixed";
  const format: TextFormat = { encoding, bom: bomBytes > 0, eol };
  return { text: eol === "\r\n" ? text.replaceAll("\r\n", "\n") : text, format };
}

/** Stores `text` as `format` says; text that brings its own CRLF keeps it. */
export function encodeText(text: string, format: TextFormat): Uint8Array {
  const body = format.eol === "\r\n" ? text.replace(/(?<!\r)\n/g, "\r\n") : text;
  const marked = format.bom && !body.startsWith("\ufeff") ? `\ufeff${body}` : body;
  if (format.encoding === "utf-8") return new TextEncoder().encode(marked);
  const bytes = new Uint8Array(marked.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < marked.length; i++) {
    view.setUint16(i * 2, marked.charCodeAt(i), format.encoding === "utf-16le");
  }
  return bytes;
}

/** Lines that a text shows: a final newline ends the last line, it does not begin another. */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function byteOrderMark(
  bytes: Uint8Array,
): { encoding: TextEncoding; bomBytes: number } | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return bytes.includes(0) ? undefined : { encoding: "utf-8", bomBytes: 3 };
  }
  // FF FE 00 00 is UTF-32.
  if (bytes[0] === 0xff && bytes[1] === 0xfe && (bytes[2] !== 0 || bytes[3] !== 0)) {
    return { encoding: "utf-16le", bomBytes: 2 };
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: "utf-16be", bomBytes: 2 };
  return undefined;
}

/** Western text in UTF-16 has a zero in nearly every second byte and none in the others. */
function utf16Pattern(bytes: Uint8Array): TextEncoding | undefined {
  const pairs = bytes.length >> 1;
  if (pairs < 4) return undefined;
  const zeros = [0, 0];
  for (let i = 0; i < pairs * 2; i++) if (bytes[i] === 0) zeros[i % 2]!++;
  if (zeros[0] === 0 && zeros[1]! >= pairs * 0.8) return "utf-16le";
  if (zeros[1] === 0 && zeros[0]! >= pairs * 0.8) return "utf-16be";
  return undefined;
}

/** Valid UTF-8, a character cut off at the end allowed. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    // The decoder's only complaint is invalid bytes, which is the answer.
    return false;
  }
}

function magicType(bytes: Uint8Array): string | undefined {
  return MAGIC.find(({ at = 0, bytes: magic }) => magic.every((byte, i) => bytes[at + i] === byte))
    ?.type;
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++;
  return found;
}
