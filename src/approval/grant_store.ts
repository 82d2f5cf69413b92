/**
 * The grants of a home: one JSON file, replaced whole by one writer at a time, read again when it
 * changed. What a grant covers is not decided here.
 */
import { HermesError } from "../protocol/error.ts";
import { type Grant, GRANT_KINDS, type GrantOffer } from "../protocol/grant.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { sha256Hex } from "../util/hash.ts";
import { dirname } from "../util/path.ts";

/** Below the home. */
export const GRANTS_FILE = "grants.json";
const LOCK_FILE = ".grants.lock";
/** So many characters that a person tells grants apart. */
const ID_CHARS = 10;

/** Where lasting grants are kept. */
export interface GrantStore {
  read(): Promise<readonly Grant[]>;
  /** Stores grants; a grant that is stored already keeps its date. */
  add(grants: readonly Grant[]): Promise<void>;
}

/** The same grant has the same id, whenever it was given. */
export async function grantId(grant: GrantOffer): Promise<string> {
  return (await sha256Hex(identity(grant))).slice(0, ID_CHARS);
}

function identity({ kind, value, project, tool, rules, cwd, digest }: GrantOffer): string {
  return JSON.stringify([kind, value, project, tool, rules, cwd, digest]);
}

export class GrantFile implements GrantStore {
  readonly #path: string;
  #known: { stamp: string; grants: readonly Grant[] } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  /** No grants when there is no file. @throws {HermesError} when the file is damaged. */
  async read(): Promise<readonly Grant[]> {
    const stamp = await stampOf(this.#path);
    if (stamp === undefined) return [];
    if (this.#known?.stamp !== stamp) {
      const grants = (await this.#records()).filter(isGrant);
      this.#known = { stamp, grants };
    }
    return this.#known.grants;
  }

  async add(grants: readonly Grant[]): Promise<void> {
    await this.#change((records) => {
      const there = new Set(records.filter(isGrant).map(identity));
      return [...records, ...grants.filter((grant) => !there.has(identity(grant)))];
    });
  }

  /** Removes the grants that `isGone` accepts; returns them. */
  async remove(isGone: (grant: Grant) => boolean): Promise<Grant[]> {
    const gone: Grant[] = [];
    await this.#change((records) =>
      records.filter((record) => {
        if (!isGrant(record) || !isGone(record)) return true;
        gone.push(record);
        return false;
      })
    );
    return gone;
  }

  /** Records of a newer version are kept as they are. */
  async #change(change: (records: readonly unknown[]) => unknown[]): Promise<void> {
    const directory = dirname(this.#path);
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
    using lock = await Deno.open(`${directory}/${LOCK_FILE}`, {
      create: true,
      write: true,
      mode: 0o600,
    });
    await lock.lock(true);
    const before = await this.#records();
    const after = change(before);
    if (after.length === before.length) return;
    await writeFileAtomic(this.#path, `${JSON.stringify({ grants: after }, null, 2)}\n`);
  }

  async #records(): Promise<unknown[]> {
    let text: string;
    try {
      text = await Deno.readTextFile(this.#path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
    try {
      const { grants } = JSON.parse(text) as { grants?: unknown };
      if (Array.isArray(grants)) return grants;
      throw new TypeError("grants is no list");
    } catch (cause) {
      throw new HermesError(`${this.#path} is damaged: what was allowed for good cannot be read`, {
        hint: "Mend it or delete it; until then you are asked again.",
        cause,
      });
    }
  }
}

function isGrant(record: unknown): record is Grant {
  if (typeof record !== "object" || record === null) return false;
  const { scope, kind, value, project, createdAt, rules, ...more } = record as Partial<Grant>;
  const isText = [value, project, createdAt].every((text) => typeof text === "string");
  const isPlain = [more.tool, more.cwd, more.digest].every((text) =>
    text === undefined || typeof text === "string"
  );
  const named = rules === undefined ||
    (Array.isArray(rules) && rules.every((rule) => typeof rule === "string"));
  return scope === "project" && isText && isPlain && named &&
    (GRANT_KINDS as readonly unknown[]).includes(kind);
}

/** Undefined when there is no file. A replaced file has another stamp, however fast that was. */
async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { mtime, size, ino } = await Deno.stat(path);
    return `${mtime?.getTime()} ${size} ${ino}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
