/**
 * The files in which commands leave their exports, and behind which walls each was written. A
 * shell runs what is in such a file: what was left behind walls is never read without them.
 */
import type { RaisedWalls } from "../../src/protocol/sandbox.ts";
import { basename } from "../../src/util/path.ts";
import { privatePlaces } from "../../src/util/private_places.ts";
import { OwnFiles } from "./_own_files.ts";

/** A state that a command starts from. */
export interface ReadState {
  path: string;
  /** The walls that it was left behind. */
  walls: RaisedWalls | undefined;
  /** Made for this command alone. */
  isCopy: boolean;
}

type Left = Omit<ReadState, "isCopy">;

export class StateFiles {
  readonly #own: OwnFiles;
  readonly #left = new Map<string, Left>();
  #files = 0;

  constructor(own: OwnFiles) {
    this.#own = own;
  }

  /** Where a command behind `walls` leaves the state of this name. */
  output(name: string, { walls, dir }: { walls: RaisedWalls | undefined; dir: string }): string {
    // Commands behind walls change everything where they leave theirs.
    const path = walls === undefined ? `${dir}/free-${basename(name)}` : name;
    this.#left.set(name, { path, walls });
    return path;
  }

  /** The state of this name for a command behind `walls`; undefined where there is none for it. */
  input(
    name: string | undefined,
    { walls, dir, background }: {
      walls: RaisedWalls | undefined;
      dir: string;
      background: boolean;
    },
  ): ReadState | undefined {
    const left = name === undefined ? undefined : this.#left.get(name);
    if (left === undefined || (walls === undefined && left.walls !== undefined)) return undefined;
    // The state may change before a process that nobody waits for has read it.
    const isCopied = background || (walls !== undefined && left.walls === undefined);
    return isCopied
      ? { path: this.#copy(left, { walls, dir }), walls: left.walls, isCopy: true }
      : { ...left, isCopy: false };
  }

  /** The state that a command has left at `path`; undefined when it left none. */
  take(path: string): string | undefined {
    return this.#own.take(path);
  }

  forget(name: string): void {
    this.#own.forget(this.#left.get(name)?.path ?? name);
    this.#left.delete(name);
  }

  /** From memory: the file itself may be something else by now. */
  #copy({ path }: Left, { walls, dir }: { walls: RaisedWalls | undefined; dir: string }): string {
    const place = walls === undefined ? dir : privatePlaces(dir).given;
    const copy = `${place}/copy-${++this.#files}`;
    Deno.writeTextFileSync(copy, this.#own.text(path) ?? "", { createNew: true, mode: 0o600 });
    return copy;
  }
}
