/**
 * Where hermes keeps what commands did to kept files: copies of what was removed or replaced, and
 * an index of the remembered files for as long as a session is open. A session that was killed
 * leaves its index behind, and the next one tells what differs. Private to the user.
 */
import { writeFileAtomic } from "../../util/atomic_write.ts";
import { sha256Hex } from "../../util/hash.ts";
import { createId } from "../../util/id.ts";
import { basename, joinPath } from "../../util/path.ts";
import { COPIES_MAX } from "./kept_files_data.ts";
import type { KeptFile } from "./kept_state.ts";

/** One file of an index: its path and what tells that it is the same. */
interface IndexRow {
  path: string;
  kind: KeptFile["kind"];
  mode: number;
  /** `sha256:…` of the content, or `link:…` with the target. */
  content: string;
}

interface Index {
  owner: string;
  roots: readonly string[];
  files: IndexRow[];
}

/** A file that differs from what a killed session remembered. */
export interface LeftChange {
  path: string;
  kind: KeptFile["kind"];
  /** The file as the killed session remembered it; undefined where no copy is stored. */
  copy: string | undefined;
}

export class KeptStore {
  readonly #directory: string;
  readonly #roots: readonly string[];
  readonly #session: string;
  #written = "";

  constructor(options: { storeDir: string; roots: readonly string[] }) {
    const [first = "/"] = options.roots;
    this.#directory = joinPath(options.storeDir, `${basename(first)}-${shortHash(first)}`);
    this.#roots = options.roots;
    this.#session = joinPath(this.#directory, `session-${createId()}`);
  }

  /** A free path for the copy of a file, in a directory that exists. */
  copyPath(name: string): string {
    const directory = joinPath(this.#directory, "copies", createId());
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return joinPath(directory, name === "" ? "file" : name);
  }

  /** Writes what is remembered, when it differs from what was written last. */
  async save(files: Iterable<KeptFile>): Promise<void> {
    const rows: IndexRow[] = [];
    const copies = new Map<string, Uint8Array>();
    for (const { path, kind, was } of files) {
      if (was.type === "link") rows.push({ path, kind, mode: 0, content: `link:${was.target}` });
      if (was.type !== "file") continue;
      const hash = await sha256Hex(was.bytes as Uint8Array<ArrayBuffer>);
      rows.push({ path, kind, mode: was.mode, content: `sha256:${hash}` });
      // Environment files hold secrets: only that they changed can be told.
      if (kind !== "env file") copies.set(hash, was.bytes);
    }
    const text = JSON.stringify(rows);
    if (text === this.#written) return;
    await Deno.mkdir(this.#session, { recursive: true, mode: 0o700 });
    for (const [hash, bytes] of copies) {
      await Deno.writeFile(joinPath(this.#session, hash), bytes, { mode: 0o600 });
    }
    // Loaded here, because the way to the first command does not need it.
    const { thisOwner } = await import("../../process/owner.ts");
    const index: Index = { owner: await thisOwner(), roots: this.#roots, files: rows };
    await writeFileAtomic(joinPath(this.#session, "index.json"), JSON.stringify(index));
    this.#written = text;
  }

  /** Ends the session in good order: nothing is left for the next one to compare with. */
  async end(): Promise<void> {
    await Deno.remove(this.#session, { recursive: true }).catch(() => {
      // Nothing was ever saved.
    });
    await this.#prune();
    // Only an empty directory goes: copies and other sessions stay.
    await Deno.remove(this.#directory).catch(() => {});
  }

  /**
   * What differs from the indexes of sessions that were killed. These indexes are used up, so
   * that each difference is told once; copies of what they remembered are moved to the others.
   */
  async leftBehind(): Promise<LeftChange[]> {
    const changes: LeftChange[] = [];
    const { isOwnerGone } = await import("../../process/owner.ts");
    for (const name of await namesIn(this.#directory)) {
      const directory = joinPath(this.#directory, name);
      if (!name.startsWith("session-") || directory === this.#session) continue;
      const index = await readIndex(joinPath(directory, "index.json"));
      if (index === undefined || !await isOwnerGone(index.owner)) continue;
      for (const row of index.files) {
        if (await isSame(row)) continue;
        changes.push({ path: row.path, kind: row.kind, copy: await this.#rescue(directory, row) });
      }
      await Deno.remove(directory, { recursive: true });
    }
    return changes;
  }

  async #rescue(directory: string, row: IndexRow): Promise<string | undefined> {
    const from = joinPath(directory, row.content.replace(/^sha256:/, ""));
    const to = this.copyPath(basename(row.path));
    try {
      await Deno.rename(from, to);
      return to;
    } catch {
      return undefined; // A link, an environment file, or a copy that was never finished.
    }
  }

  /** Keeps the newest copies: their names sort by time. */
  async #prune(): Promise<void> {
    const copies = joinPath(this.#directory, "copies");
    const names = (await namesIn(copies)).sort();
    for (const name of names.slice(0, Math.max(0, names.length - COPIES_MAX))) {
      await Deno.remove(joinPath(copies, name), { recursive: true }).catch(() => {
        // Another session tidied up at the same time.
      });
    }
  }
}

async function isSame(row: IndexRow): Promise<boolean> {
  try {
    const info = await Deno.lstat(row.path);
    if (info.isSymlink) return row.content === `link:${await Deno.readLink(row.path)}`;
    if (!info.isFile || ((info.mode ?? 0) & 0o7777) !== row.mode) return false;
    return row.content === `sha256:${await sha256Hex(await Deno.readFile(row.path))}`;
  } catch {
    return false; // Gone.
  }
}

async function readIndex(path: string): Promise<Index | undefined> {
  try {
    const index: Index = JSON.parse(await Deno.readTextFile(path));
    return Array.isArray(index.files) && typeof index.owner === "string" ? index : undefined;
  } catch {
    return undefined; // Killed before it was written.
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
  } catch {
    return []; // Nothing was stored for this project yet.
  }
}

/** Tells projects of one name apart (FNV-1a); the index names its roots in full. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
