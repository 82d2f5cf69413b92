/**
 * Keeps files of a workspace as they were while commands run that could change them: git's
 * settings and hooks, settings of editors and build servers, instructions for agents. Compares
 * after each command and puts back. For hosts where the kernel cannot keep them read-only.
 */
import { dirname, isWithin } from "../../util/path.ts";
import { isTrustedBase, type ProtectedPlaces } from "../../util/protected_paths.ts";
import { KeptDisk, lookAt, stampOf } from "./kept_disk.ts";
import { ENTRIES_MAX, KEPT_NAMES } from "./kept_files_data.ts";
import { judgeChange } from "./kept_judge.ts";
import { namedEntry } from "./kept_names.ts";
import { Putter, shownPath } from "./kept_put_back.ts";
import type { PutBack } from "./kept_report.ts";
import { CommandTimes, KeptSearch } from "./kept_search.ts";
import {
  type DirectoryJudge,
  type FileChange,
  type KeptDirectory,
  KeptState,
} from "./kept_state.ts";
import { KeptStore } from "./kept_store.ts";
import { KeptVersions } from "./kept_versions.ts";

export interface KeptFilesOptions {
  /** Directories of the work, git directories among them: absolute, real, no slash at the end. */
  roots: readonly string[];
  /** Git directories outside the roots that belong to them: those of a worktree's repository. */
  gitDirs?: readonly string[];
  /** Places that hermes itself changes are not kept. */
  places?: ProtectedPlaces;
  /** A directory of hermes' own that commands cannot reach. */
  storeDir: string;
  /** Hears of everything that was put back, as soon as it was: for the person. */
  onPutBack: (changes: PutBack[]) => void;
  /** True while a background process of the session runs: then no change is somebody else's. */
  isBusy?: () => boolean;
}

/** How long after a command the search of the whole project and the index wait. */
const LATER_MS = 250;
/** How long a step of the search may hold up everything else, and how long it then waits. */
const SLICE_MS = 2;
const PAUSE_MS = 8;

export class KeptFiles {
  readonly #options: KeptFilesOptions;
  readonly #disk = new KeptDisk();
  readonly #state: KeptState;
  readonly #store: KeptStore;
  readonly #putter: Putter;
  readonly #times = new CommandTimes();
  readonly #search: KeptSearch;
  readonly #versions = new KeptVersions(this.#disk);
  #running = 0;
  /** Something still ran at the last comparison: what changed since then can be its work. */
  #isOpenEnded = false;
  #isRemembered = false;
  #isClosed = false;
  #isFullTold = false;
  #isLeftTold = false;
  #unsaved = false;
  #unsearched = false;
  /** What was put back since the last `check()`. */
  #pending: PutBack[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #work: Promise<void> | undefined;

  constructor(options: KeptFilesOptions) {
    this.#options = options;
    const { roots, storeDir, places } = options;
    const isExcluded = (path: string) =>
      isWithin(path, storeDir) || places !== undefined && isTrustedBase(path, places);
    const isMade = (info: Deno.FileInfo) => this.#times.isMade(info);
    this.#state = new KeptState({ disk: this.#disk, isExcluded, isMade });
    this.#store = new KeptStore({ storeDir, roots });
    this.#putter = new Putter({ disk: this.#disk, state: this.#state, store: this.#store });
    this.#search = new KeptSearch({ roots, state: this.#state, isExcluded, times: this.#times });
  }

  /** False when the project has more kept files or directories than are looked at. */
  get isComplete(): boolean {
    return !this.#state.isFull && !this.#search.isPartial;
  }

  /** Before the first command: takes everything as it is for right. The rest follows later. */
  remember(): void {
    if (this.#isRemembered) return;
    this.#isRemembered = true;
    const { roots, gitDirs = [] } = this.#options;
    this.#versions.remember(roots);
    const found = [...roots, ...gitDirs].flatMap((path) => {
      const role = gitDirs.includes(path) || isRepository(path) ? "git" : "project";
      return this.#state.addDirectory({ path, root: path, role }, { isOptional: false });
    });
    for (const change of found) this.#adopt(change);
    this.#unsearched = true;
    this.#later();
  }

  /**
   * Right before a command starts. What others changed since the last one is taken for right;
   * while a command or a background process runs, it cannot be told whose change it is, and it
   * is put back.
   */
  beforeCommand(): void {
    this.remember();
    if (this.#isOpenEnded || this.#isWorking()) this.#putBackAll({});
    else this.#adoptAll(() => true);
    this.#times.start(Date.now());
    this.#running++;
  }

  /** After a command and its children ended: puts back, and returns all since the last call. */
  check(): PutBack[] {
    this.#running = Math.max(0, this.#running - 1);
    return this.#compareNow({});
  }

  #compareNow(options: { isThorough?: boolean }): PutBack[] {
    this.#isOpenEnded = this.#isWorking();
    this.#putBackAll(options);
    if (!this.#isOpenEnded) this.#times.end(Date.now());
    this.#unsearched = true;
    this.#later();
    return this.#pending.splice(0);
  }

  /** True while something of the session runs that could change files. */
  #isWorking(): boolean {
    return this.#running > 0 || this.#options.isBusy?.() === true;
  }

  /** After a background process ended: as `check()`, whatever else runs. */
  backgroundEnded(): PutBack[] {
    return this.#compareNow({ isThorough: true });
  }

  /** A file tool changed this path after a person's yes: it is right as it is now. */
  noteAllowed(path: string): void {
    if (!this.#isRemembered) return;
    this.#adoptAll((changed) => isWithin(changed, path));
  }

  /** Does now what would be done in the background: the search of the project, the index. */
  async catchUp(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#work;
    if (!this.#isClosed) await this.#catchUp();
  }

  /**
   * When everything that the session started has ended: a last comparison where something ran
   * since the one before, and a last search; then frees everything. Returns all that is new.
   */
  async close(): Promise<PutBack[]> {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#work;
    if (this.#isRemembered) {
      // Otherwise what changed since the last comparison is the work of others.
      if (this.#isOpenEnded || this.#isWorking()) this.#putBackAll({ isThorough: true });
      if (this.#unsearched) await this.#searchAll();
      await this.#store.end();
    }
    this.#disk.close();
    return this.#pending.splice(0);
  }

  #putBackAll(options: { isThorough?: boolean }): void {
    const done: PutBack[] = [];
    const judge: DirectoryJudge = {
      lost: (directory) => {
        if (directory.path === directory.root || this.#mayGo(directory)) return false;
        const record = this.#putter.directory(directory);
        if (record !== undefined) done.push(record);
        return record !== undefined;
      },
      modeChanged: (directory, mode) => {
        // Of an ordinary directory only that hermes can still look into it.
        const isOpen = directory.role === "project" && (mode & 0o700) === 0o700;
        const isOwn = !isOpen && this.#putter.mode(directory);
        if (!isOwn) directory.mode = mode;
        else done.push(this.#modeRecord(directory));
      },
    };
    for (const change of this.#state.compare(judge, options)) done.push(...this.#settle(change));
    if (this.#state.isFull && !this.#isFullTold) done.push(this.#fullRecord());
    this.#versions.rest();
    this.#tell(done);
  }

  /** True for a directory that git removed with the last of its files. */
  #mayGo({ path }: KeptDirectory): boolean {
    const files = [...this.#state.files.values()].filter((file) => isWithin(file.path, path));
    return lookAt(path) === undefined &&
      files.every((file) => this.#versions.judge({ ...file, now: undefined }) === "own");
  }

  /** Told once: from here on, not everything new is noticed. */
  #fullRecord(): PutBack {
    this.#isFullTold = true;
    const [path = "/"] = this.#options.roots;
    const reason = `more than ${ENTRIES_MAX} protected files, so new ones may stay unnoticed`;
    return { path, shown: path, kind: "instructions", change: "created", outcome: "left", reason };
  }

  #modeRecord(directory: KeptDirectory): PutBack {
    const { kind } = KEPT_NAMES[directory.role];
    const shown = shownPath(directory);
    return { path: directory.path, shown, kind, change: "mode", outcome: "restored" };
  }

  /** Accepts or undoes one change of a command. */
  #settle(change: FileChange): PutBack[] {
    const judgement = judgeChange(change, {
      roots: this.#options.roots,
      isKeptGit: (path) => this.#isKeptGit(path),
    });
    if (judgement.do === "accept") {
      this.#adopt(change);
      return [];
    }
    const version = judgement.do === "undo" ? this.#versions.judge(change) : undefined;
    if (version === "own") {
      this.#versions.accepted(change);
      this.#adopt(change);
      this.#state.pin(change.path);
      return [];
    }
    const keys = judgement.keys === undefined || judgement.keys.length === 0
      ? {}
      : { keys: judgement.keys };
    const as = judgement.do === "mend" ? judgement.as : change.was;
    const record = this.#putter.file(change, as);
    if (record === undefined) return [];
    const committed = version === "committed" ? { isCommitted: true } : {};
    if (judgement.do === "undo" || record.outcome === "left") {
      return [{ ...record, ...keys, ...committed }];
    }
    this.#adoptFromDisk(change);
    return [{ ...record, ...keys, outcome: "mended" }];
  }

  #isKeptGit(path: string): boolean {
    for (const [known, { role }] of this.#state.directories) {
      if (role.startsWith("git") && isWithin(path, known)) return true;
    }
    return false;
  }

  /** Takes differences at the paths that `isMeant` names for right, and leaves others as they are. */
  #adoptAll(isMeant: (path: string) => boolean): void {
    const others: string[] = [];
    const judge: DirectoryJudge = {
      // One that is not meant counts as being back: it is met again by the next comparison.
      lost: ({ path }) => !isMeant(path),
      modeChanged: (directory, mode) => {
        if (isMeant(directory.path)) directory.mode = mode;
        else others.push(directory.path);
      },
    };
    // A directory in a file's place shows its own files only then: hence more than one pass.
    for (let pass = 0; pass < 3; pass++) {
      const changes = this.#state.compare(judge);
      for (const change of changes) {
        if (isMeant(change.path)) this.#adopt(change);
        else this.#state.unsettle(dirname(change.path));
      }
      if (!changes.some(({ now, path }) => now?.type === "other" && isMeant(path))) break;
    }
    for (const path of others) this.#state.unsettle(path);
  }

  #adopt(change: FileChange): void {
    this.#state.adopt(change);
    this.#unsaved = true;
    if (change.now?.type === "link") this.#follow(change);
    this.#later();
  }

  #adoptFromDisk(change: FileChange): void {
    const info = lookAt(change.path);
    const now = this.#state.inspect(change.path, info);
    if (info !== undefined) this.#adopt({ ...change, now, stamp: stampOf(info) });
  }

  /** A kept link leads to a file of the workspace under another name: that one is kept as well. */
  #follow(change: FileChange): void {
    let path: string;
    try {
      path = Deno.realPathSync(change.path);
    } catch {
      return; // It leads nowhere.
    }
    const root = this.#options.roots.find((one) => isWithin(path, one) && path !== one);
    const info = lookAt(path);
    if (root === undefined || info === undefined || this.#state.files.has(path)) return;
    const name = change.path.slice(change.path.lastIndexOf("/") + 1);
    const named = namedEntry(change.role, {
      name,
      isDirectory: info.isDirectory,
      isSymlink: false,
    });
    if (named?.type === "directory") {
      const place = { path, root, role: named.role };
      for (const file of this.#state.addDirectory(place, { isOptional: true })) this.#adopt(file);
    } else if (info.isFile) {
      const now = this.#state.inspect(path, info);
      const { kind, role } = change;
      this.#adopt({ path, root, kind, role, was: undefined, now, stamp: stampOf(info) });
    }
  }

  #tell(changes: PutBack[]): void {
    if (changes.length === 0) return;
    this.#pending.push(...changes);
    this.#options.onPutBack(changes);
  }

  /** Starts the work that nobody waits for. */
  #later(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#work !== undefined) return;
    if (!this.#unsaved && !this.#unsearched) return;
    const timer = setTimeout(() => {
      this.#timer = undefined;
      this.#work = this.#catchUp().finally(() => {
        this.#work = undefined;
        this.#later();
      });
    }, LATER_MS);
    // A program that wants to end does not wait for this.
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  async #catchUp(): Promise<void> {
    if (this.#unsearched) await this.#searchAll();
    if (!this.#unsaved || this.#isClosed) return;
    this.#unsaved = false;
    try {
      if (!this.#isLeftTold) {
        this.#isLeftTold = true;
        this.#tell((await this.#store.leftBehind()).map((left) => this.#leftRecord(left)));
      }
      await this.#store.save(this.#state.files.values());
    } catch {
      // Without the index, a session that is killed cannot be compared with; this one can.
    }
  }

  #leftRecord(left: { path: string; kind: PutBack["kind"]; copy: string | undefined }): PutBack {
    const root = this.#options.roots.find((one) => isWithin(left.path, one)) ?? left.path;
    const { path, kind, copy } = left;
    return {
      path,
      shown: shownPath({ path, root }),
      kind,
      change: "unknown",
      outcome: "left",
      reason: "it may be somebody else's change",
      ...(copy === undefined ? {} : { copy }),
    };
  }

  /** Looks for kept files deeper in the project, in steps that hold nothing up. */
  async #searchAll(): Promise<void> {
    this.#unsearched = false;
    let until = performance.now() + SLICE_MS;
    for (const changes of this.#search.walk()) {
      for (const change of changes) this.#meet(change);
      if (performance.now() < until) continue;
      if (!this.#isClosed) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      until = performance.now() + SLICE_MS;
    }
  }

  /** A kept file that was not known: the work of a command is judged, that of others is right. */
  #meet(change: FileChange): void {
    if (change.stamp === undefined || !this.#times.covers(change.stamp)) {
      this.#adopt(change);
    } else {
      this.#tell(this.#settle(change));
      this.#versions.rest();
    }
  }
}

/** True for a git directory, such as the common one that belongs to a worktree. */
function isRepository(path: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => lookAt(`${path}/${name}`) !== undefined);
}
