/** A disk for policies that is a table: directories end in `/`, links have a target. */
import type { EntryKind, Listing, PolicyDisk } from "../../src/sandbox/command/disk.ts";
import { dirname, normalizePath } from "../../src/util/path.ts";

export class MemoryDisk implements PolicyDisk {
  readonly #entries = new Map<string, { kind: EntryKind; target?: string }>();

  /** `/a/` is a directory, `/a` a file, `/a -> /b` a link, `/a =` something else. */
  constructor(entries: readonly string[]) {
    this.#entries.set("/", { kind: "directory" });
    for (const entry of entries) {
      const [path = "", target] = entry.split(" -> ");
      if (target !== undefined) this.#put(path, { kind: "link", target });
      else if (path.endsWith(" =")) this.#put(path.slice(0, -2), { kind: "other" });
      else if (path.endsWith("/")) this.#put(path.slice(0, -1), { kind: "directory" });
      else this.#put(path, { kind: "file" });
    }
  }

  #put(path: string, entry: { kind: EntryKind; target?: string }): void {
    for (let at = dirname(path); at !== "/" && !this.#entries.has(at); at = dirname(at)) {
      this.#entries.set(at, { kind: "directory" });
    }
    this.#entries.set(path, entry);
  }

  list(directory: string): Listing | undefined {
    if (this.kind(directory) !== "directory") return undefined;
    const base = directory === "/" ? "/" : `${directory}/`;
    const names = new Map<string, EntryKind>();
    for (const [path, { kind }] of this.#entries) {
      const name = path.slice(base.length);
      if (path.startsWith(base) && name !== "" && !name.includes("/")) names.set(name, kind);
    }
    return names;
  }

  real(path: string): string {
    const parts = normalizePath(path).split("/").slice(1);
    let at = "";
    for (const [i, part] of parts.entries()) {
      at = `${at}/${part}`;
      const target = this.#entries.get(at)?.target;
      if (target !== undefined) return this.real([target, ...parts.slice(i + 1)].join("/"));
    }
    return at;
  }

  kind(path: string): EntryKind | undefined {
    return this.#entries.get(this.real(path))?.kind;
  }

  text(): undefined {
    return undefined;
  }

  closed(): boolean {
    return false;
  }
}
