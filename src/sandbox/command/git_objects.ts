/**
 * Commits and trees of a repository that commands may have tampered with. Every object is checked
 * against its id, so that whoever knows the id of a commit knows all that it records. Reads files
 * alone: no program is run and no setting is read. Everything is bounded; what is missing, too
 * large or forged does not exist.
 */
import type { KeptDisk } from "./kept_disk.ts";
import {
  applyDelta,
  findInIndex,
  type GitType,
  inflate,
  readPackHead,
  sha1Hex,
} from "./git_pack.ts";

/** Commits and trees are small; a larger one is not read. */
const OBJECT_BYTES_MAX = 2 * 1024 * 1024;
/** An index of a million objects has less. */
const INDEX_BYTES_MAX = 64 * 1024 * 1024;
const PACKS_MAX = 100;
/** Git makes chains of 50 unless told otherwise. */
const DELTAS_MAX = 60;

export interface GitCommit {
  tree: string;
  parents: string[];
  /** Seconds. What a commit says of itself. */
  committedAt: number;
}

/** What a tree has at a path. */
export interface GitEntry {
  /** `100644`, `100755`, `120000`, `40000`. */
  mode: string;
  id: string;
}

interface RawObject {
  type: GitType;
  bytes: Uint8Array<ArrayBuffer>;
}

interface Pack {
  file: Deno.FsFile;
  size: number;
  index: Uint8Array;
}

export class GitObjects implements Disposable {
  readonly #directory: string;
  readonly #disk: KeptDisk;
  #packs: Pack[] | undefined;
  readonly #trees: Map<string, Map<string, GitEntry>> = new Map();

  /** `directory` is `objects` of a repository. */
  constructor(directory: string, disk: KeptDisk) {
    this.#directory = directory;
    this.#disk = disk;
  }

  [Symbol.dispose](): void {
    for (const { file } of this.#packs ?? []) file.close();
    this.#packs = undefined;
  }

  commit(id: string): GitCommit | undefined {
    const text = this.#text(id, "commit");
    const tree = /^tree ([0-9a-f]{40})\n/.exec(text ?? "")?.[1];
    if (text === undefined || tree === undefined) return undefined;
    const head = text.slice(0, Math.max(0, text.indexOf("\n\n")));
    const parents: string[] = [];
    let committedAt = 0;
    for (const line of head.split("\n")) {
      if (/^parent [0-9a-f]{40}$/.test(line)) parents.push(line.slice(7));
      if (line.startsWith("committer ")) committedAt = Number(line.split(" ").at(-2)) || 0;
    }
    return { tree, parents, committedAt };
  }

  /** The commit that an id stands for: its own, or that of an annotated tag. */
  peel(id: string): string | undefined {
    let at = id;
    for (let step = 0; step < 5; step++) {
      const text = this.#text(at, "tag");
      if (text === undefined) return at;
      const next = /^object ([0-9a-f]{40})\n/.exec(text)?.[1];
      if (next === undefined) return undefined;
      at = next;
    }
    return undefined;
  }

  /** What a tree has at a path: null for nothing, undefined when it cannot be known. */
  entry(tree: string, path: string): GitEntry | null | undefined {
    let at = tree;
    const names = path.split("/");
    for (const [i, name] of names.entries()) {
      const entries = this.#entries(at);
      if (entries === undefined) return undefined;
      const entry = entries.get(name);
      if (entry === undefined) return null;
      if (i === names.length - 1) return entry;
      if (entry.mode !== "40000") return null;
      at = entry.id;
    }
    return null;
  }

  #entries(id: string): Map<string, GitEntry> | undefined {
    const known = this.#trees.get(id);
    if (known !== undefined) return known;
    const bytes = this.#object(id, "tree");
    if (bytes === undefined) return undefined;
    const entries = new Map<string, GitEntry>();
    for (let at = 0; at < bytes.length;) {
      const zero = bytes.indexOf(0, at);
      if (zero < 0 || zero + 21 > bytes.length) return undefined;
      const text = new TextDecoder().decode(bytes.subarray(at, zero));
      const space = text.indexOf(" ");
      const hex = bytes.subarray(zero + 1, zero + 21).toHex();
      entries.set(text.slice(space + 1), { mode: text.slice(0, space), id: hex });
      at = zero + 21;
    }
    this.#trees.set(id, entries);
    return entries;
  }

  #text(id: string, type: GitType): string | undefined {
    const bytes = this.#object(id, type);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  }

  /** The content of an object whose id is right. */
  #object(id: string, type: GitType): Uint8Array | undefined {
    if (!/^[0-9a-f]{40}$/.test(id)) return undefined;
    for (const raw of this.#candidates(id)) {
      if (raw?.type === type && objectId(type, raw.bytes) === id) return raw.bytes;
    }
    return undefined;
  }

  /** What the repository has under an id: it may have several, and some may be forged. */
  *#candidates(id: string): Generator<RawObject | undefined> {
    yield this.#loose(id);
    for (const pack of this.#openPacks()) {
      const offset = findInIndex(pack.index, id);
      if (offset !== undefined) yield this.#packed(pack, { offset, depth: 0 });
    }
  }

  #loose(id: string): RawObject | undefined {
    const path = `${this.#directory}/${id.slice(0, 2)}/${id.slice(2)}`;
    const packed = this.#disk.read(path, OBJECT_BYTES_MAX);
    const bytes = packed === undefined ? undefined : inflate(packed, OBJECT_BYTES_MAX);
    const zero = bytes?.indexOf(0) ?? -1;
    if (bytes === undefined || zero < 0) return undefined;
    const head = new TextDecoder().decode(bytes.subarray(0, zero));
    const type = /^(commit|tree|blob|tag) \d+$/.exec(head)?.[1] as GitType | undefined;
    return type === undefined ? undefined : { type, bytes: bytes.slice(zero + 1) };
  }

  #packed(pack: Pack, place: { offset: number; depth: number }): RawObject | undefined {
    if (place.depth > DELTAS_MAX || place.offset >= pack.size) return undefined;
    const head = readPackHead(this.#bytes(pack, { offset: place.offset, length: 64 }));
    if (head === undefined || head.size > OBJECT_BYTES_MAX) return undefined;
    const offset = place.offset + head.length;
    // Deflated data is never much longer than what it holds.
    const data = this.#bytes(pack, { offset, length: head.size + (head.size >> 8) + 256 });
    const bytes = inflate(data, OBJECT_BYTES_MAX);
    if (bytes === undefined) return undefined;
    if (head.type !== undefined) return { type: head.type, bytes };
    const base = head.baseId === undefined
      ? place.offset - head.back!
      : findInIndex(pack.index, head.baseId);
    if (base === undefined || base < 0 || base === place.offset) return undefined;
    const from = this.#packed(pack, { offset: base, depth: place.depth + 1 });
    const result = from && applyDelta(from.bytes, { delta: bytes, maxBytes: OBJECT_BYTES_MAX });
    return result && { type: from.type, bytes: result };
  }

  #bytes(pack: Pack, part: { offset: number; length: number }): Uint8Array<ArrayBuffer> {
    const buffer = new Uint8Array(Math.max(0, Math.min(part.length, pack.size - part.offset)));
    pack.file.seekSync(part.offset, Deno.SeekMode.Start);
    let length = 0;
    while (length < buffer.length) {
      const count = pack.file.readSync(buffer.subarray(length));
      if (count === null) break;
      length += count;
    }
    return buffer.subarray(0, length);
  }

  #openPacks(): Pack[] {
    if (this.#packs !== undefined) return this.#packs;
    this.#packs = [];
    const directory = `${this.#directory}/pack`;
    for (const name of namesIn(directory).filter((one) => one.endsWith(".idx")).sort()) {
      if (this.#packs.length >= PACKS_MAX) break;
      const index = this.#disk.read(`${directory}/${name}`, INDEX_BYTES_MAX);
      const file = this.#disk.open(`${directory}/${name.replace(/idx$/, "pack")}`);
      if (file === undefined) continue;
      if (index === undefined) file.close();
      else this.#packs.push({ file, size: file.statSync().size, index });
    }
    return this.#packs;
  }
}

/** The id that git gives to content. */
export function objectId(type: GitType, bytes: Uint8Array): string {
  return sha1Hex([new TextEncoder().encode(`${type} ${bytes.length}\0`), bytes]);
}

function namesIn(directory: string): string[] {
  try {
    return [...Deno.readDirSync(directory)].map(({ name }) => name);
  } catch {
    return []; // Nothing was ever packed.
  }
}
