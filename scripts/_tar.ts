/** Writes tar archives (ustar) that are the same bytes for the same content. */

export interface TarEntry {
  /** Relative, below 100 bytes. */
  path: string;
  data: Uint8Array;
  executable?: boolean;
}

const BLOCK = 512;
/** What `tar` reads at once; an archive ends on such a boundary. */
const RECORD = 20 * BLOCK;
/** 2020-01-01: GNU tar warns about times near 1970. */
const MODIFIED_AT_SECONDS = 1_577_836_800;

/** The entry's header and content; no end of archive. */
export function tarEntry(entry: TarEntry): Uint8Array<ArrayBuffer>[] {
  const padding = new Uint8Array((BLOCK - entry.data.length % BLOCK) % BLOCK);
  return [header(entry), new Uint8Array(entry.data), padding];
}

/** The end of an archive whose entries take `bytes`. */
export function tarEnd(bytes: number): Uint8Array<ArrayBuffer> {
  const end = 2 * BLOCK;
  return new Uint8Array(end + (RECORD - (bytes + end) % RECORD) % RECORD);
}

function header({ path, data, executable }: TarEntry): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  if (encoder.encode(path).length >= 100) throw new Error(`path too long for tar: ${path}`);
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  put(0, path);
  put(100, octal(executable ? 0o755 : 0o644, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(data.length, 11));
  put(136, octal(MODIFIED_AT_SECONDS, 11));
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\x0000");
  put(148, `${octal(block.reduce((sum, byte) => sum + byte, 0), 6)}\0 `);
  return block;
}
