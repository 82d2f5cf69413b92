/** The formats inside a pack of git: its index, the head of an entry, deltas. Pure. */

export type GitType = "commit" | "tree" | "blob" | "tag";

const TYPES: Readonly<Record<number, GitType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const OFFSET_DELTA = 6;
const ID_DELTA = 7;

/** `\377tOc` and the version that git has written since 2007. */
const INDEX_HEAD = [0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2];
const FANOUT = 8;
const NAMES = FANOUT + 256 * 4;

/** Where a pack has an object; undefined when it has none of that id. */
export function findInIndex(index: Uint8Array, id: string): number | undefined {
  if (index.length < NAMES || INDEX_HEAD.some((byte, i) => index[i] !== byte)) return undefined;
  const view = new DataView(index.buffer, index.byteOffset, index.length);
  const first = parseInt(id.slice(0, 2), 16);
  const total = view.getUint32(FANOUT + 255 * 4);
  if (index.length < NAMES + total * 28) return undefined;
  let low = first === 0 ? 0 : view.getUint32(FANOUT + (first - 1) * 4);
  let high = Math.min(total, view.getUint32(FANOUT + first * 4));
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = NAMES + middle * 20;
    const found = index.subarray(at, at + 20).toHex();
    if (found === id) return offsetOf(view, { total, nth: middle });
    if (found < id) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

function offsetOf(view: DataView, at: { total: number; nth: number }): number | undefined {
  const offsets = NAMES + at.total * 24;
  const offset = view.getUint32(offsets + at.nth * 4);
  if (offset < 0x80000000) return offset;
  const far = offsets + at.total * 4 + (offset - 0x80000000) * 8;
  return far + 8 > view.byteLength ? undefined : Number(view.getBigUint64(far));
}

export interface PackHead {
  /** Undefined for a delta. */
  type: GitType | undefined;
  /** How much the deflated data holds. */
  size: number;
  /** Bytes of the head. */
  length: number;
  /** How far before the entry its base lies, or the id of its base. */
  back?: number;
  baseId?: string;
}

/** The head of an entry, from its first bytes. */
export function readPackHead(bytes: Uint8Array): PackHead | undefined {
  let at = 0;
  let byte = bytes[at++] ?? 0;
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte & 0x80 && at < 12; factor *= 128) {
    byte = bytes[at++] ?? 0;
    size += (byte & 0x7f) * factor;
  }
  if (kind === ID_DELTA) {
    const baseId = bytes.subarray(at, at + 20).toHex();
    return { type: undefined, size, length: at + 20, baseId };
  }
  if (kind === OFFSET_DELTA) {
    byte = bytes[at++] ?? 0;
    let back = byte & 0x7f;
    while (byte & 0x80 && at < 24) {
      byte = bytes[at++] ?? 0;
      back = (back + 1) * 128 + (byte & 0x7f);
    }
    return { type: undefined, size, length: at, back };
  }
  const type = TYPES[kind];
  return type === undefined ? undefined : { type, size, length: at };
}

/** Makes an object of its base; undefined when the delta does not fit or makes too much. */
export function applyDelta(
  base: Uint8Array,
  { delta, maxBytes }: { delta: Uint8Array; maxBytes: number },
): Uint8Array<ArrayBuffer> | undefined {
  let at = 0;
  function number(): number {
    let value = 0;
    for (let factor = 1; at < delta.length; factor *= 128) {
      const byte = delta[at++]!;
      value += (byte & 0x7f) * factor;
      if (!(byte & 0x80)) break;
    }
    return value;
  }
  /** Little-endian; `bits` says which of its bytes are there. */
  function parts(bits: number, count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) if (bits & (1 << i)) value += (delta[at++] ?? 0) * 256 ** i;
    return value;
  }
  if (number() !== base.length) return undefined;
  const size = number();
  if (size > maxBytes) return undefined;
  const result = new Uint8Array(size);
  let made = 0;
  while (at < delta.length) {
    const code = delta[at++]!;
    const isCopy = (code & 0x80) !== 0;
    const from = isCopy ? parts(code, 4) : at;
    const length = isCopy ? parts(code >> 4, 3) & 0xffffff || 0x10000 : code;
    const source = isCopy ? base : delta;
    if (code === 0 || made + length > size || from + length > source.length) return undefined;
    result.set(source.subarray(from, from + length), made);
    if (!isCopy) at += length;
    made += length;
  }
  return made === size ? result : undefined;
}

/** What zlib packed at the start of `bytes`; undefined when it is damaged or more than `maxBytes`. */
export function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> | undefined {
  // Not imported: loading it takes longer than everything else here, and it is seldom needed.
  const { inflateSync } = globalThis.process.getBuiltinModule("node:zlib");
  try {
    return new Uint8Array(inflateSync(bytes, { maxOutputLength: maxBytes }));
  } catch {
    return undefined; // Not what git wrote.
  }
}

export function sha1Hex(parts: readonly Uint8Array[]): string {
  const hash = globalThis.process.getBuiltinModule("node:crypto").createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
