/**
 * What happened to a database file, told by its size and its first bytes, and a copy of it in
 * which SQLite can still look around: one that was cut short is refused whole, until the missing
 * pages are there again, if only as zeros.
 */

export interface Damage {
  /** For the notice: "was …". */
  what: string;
  /** Bytes that a whole file would have; undefined when its size is as it should be. */
  wholeBytes?: number;
}

/** An empty file younger than this may be one that another process is about to fill. */
const BEING_MADE_MS = 10_000;
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const MIN_PAGE_BYTES = 512;
/** Of files whose header is lost; SQLite's default. */
const USUAL_PAGE_BYTES = 4096;

/** True when the size alone says so: emptied (not just being made), or cut inside a page. */
export function isPlainlyDamaged(path: string): boolean {
  try {
    const { isFile, size, mtime, birthtime } = Deno.statSync(path);
    // A directory or a device is not repaired: opening it tells.
    if (!isFile) return false;
    if (size > 0) return size % MIN_PAGE_BYTES !== 0;
    const times = [mtime, birthtime].flatMap((time) => time ? [time.getTime()] : []);
    return sizeOf(`${path}-wal`) > 0 || Date.now() - Math.min(...times) > BEING_MADE_MS;
  } catch {
    return false; // absent or unreadable, which opening it tells
  }
}

/** Call only when no connection of this process is open: closing the file drops SQLite's locks. */
export function describeDamage(path: string): Damage {
  const size = sizeOf(path);
  if (size === 0) return { what: "empty", wholeBytes: USUAL_PAGE_BYTES };
  const header = firstBytes(path);
  if (header.every((byte) => byte === 0)) {
    return { what: "overwritten with zeros", wholeBytes: Math.max(size, USUAL_PAGE_BYTES) };
  }
  const wholeBytes = sizeByHeader(header);
  if (wholeBytes === undefined || wholeBytes <= size) return { what: "damaged" };
  return { what: `cut short (${size} of ${wholeBytes} bytes)`, wholeBytes };
}

/** Makes `copy` with its log and as long as it should be. */
export function copyPadded(
  path: string,
  { copy, wholeBytes }: { copy: string; wholeBytes: number },
): void {
  Deno.copyFileSync(path, copy);
  try {
    Deno.copyFileSync(`${path}-wal`, `${copy}-wal`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  Deno.truncateSync(copy, wholeBytes);
}

function firstBytes(path: string): Uint8Array {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(HEADER_BYTES);
  return bytes.subarray(0, file.readSync(bytes) ?? 0);
}

function sizeByHeader(header: Uint8Array): number | undefined {
  if (header.length < HEADER_BYTES) return undefined;
  if (new TextDecoder().decode(header.subarray(0, MAGIC.length)) !== MAGIC) return undefined;
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const field = view.getUint16(16);
  const pageBytes = field === 1 ? 65_536 : field;
  return pageBytes < MIN_PAGE_BYTES ? undefined : view.getUint32(28) * pageBytes;
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0; // absent
  }
}
