/**
 * What a hook's command really runs: its program through the PATH, the script an interpreter is
 * given, the interpreter a script names, and the files these name in turn. Reads, hashes and
 * compares; starts nothing. What a program loads by itself (libraries, packages) is not found.
 */
import { basename, dirname, isAbsolute, isWithin, joinPath, resolvePath } from "../../util/path.ts";
import { which } from "../../util/which.ts";
import { type CoveredFile, findFile, type FoundFile } from "./hook_files.ts";
import {
  ASKS_WHERE,
  INLINE_OPTIONS,
  INTERPRETER,
  LOADING_OPTION,
  PACKAGE_FOLDER,
  PLACED,
  PYTHON,
  PYTHON_MODULES,
  RECIPES,
  RUN_BY_VARIABLE,
  SCRIPT_NAME,
  SHELL,
  SHELL_TEXT,
  WRAPPER,
} from "./hook_program_data.ts";
import { commandWords, filesNamedIn, importedModules, shebangOf } from "./hook_scan.ts";

export interface ProgramPlace {
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** What is known of a large file, so that it need not be read again. */
  known?: (path: string) => CoveredFile | undefined;
}

/** A script that does not care where it lies: a copy of these bytes can run in its place. */
export interface MovableScript {
  /** Its place among the words of the command. */
  index: number;
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  sha256: string;
  /** What runs it, when the command names only the script. */
  interpreter: readonly string[];
}

export interface HookProgram {
  /** The command with the path of its program in the first place. */
  argv: readonly string[];
  /** Every file the consent covers, by path. */
  files: CoveredFile[];
  movable?: MovableScript;
}

const MAX_FILES = 100;
/** Of a long text: the same ones are looked at before and after a consent. */
const MAX_LOOKUPS = 2_000;
const MAX_WORD_CHARS = 1_000;
const MAX_TREE_DEPTH = 4;
const MAX_SCANNED_CHARS = 256 * 1024;

/** What the words of a command run; undefined when the program is not there. */
export async function surveyProgram(
  argv: readonly string[],
  place: ProgramPlace,
): Promise<HookProgram | undefined> {
  return await new Survey(place).run(argv);
}

class Survey {
  readonly #place: ProgramPlace;
  readonly #files = new Map<string, CoveredFile>();
  readonly #tried = new Set<string>();
  /** Names that a script loads and that were not found: maybe they are below its folder. */
  readonly #missing = new Set<string>();
  /** Folders of scripts that ask where they lie; looked at last, when all names are known. */
  readonly #folders = new Set<string>();

  constructor(place: ProgramPlace) {
    this.#place = place;
  }

  async run(words: readonly string[]): Promise<HookProgram | undefined> {
    const path = await this.#lookUp(words[0]!);
    const program = path === undefined ? undefined : await this.#find(path);
    if (path === undefined || program === undefined) return undefined;
    this.#add(program);
    const argv = [path, ...words.slice(1)];
    const own = await this.#readScript(program);
    const name = basename(path);
    const script = await this.#readArguments(words.slice(1), name);
    // Grows while it is walked.
    for (const folder of this.#folders) await this.#coverTree(folder, MAX_TREE_DEPTH);
    const files = [...this.#files.values()].sort((a, b) => a.path < b.path ? -1 : 1);
    // A script by an interpreter's name looks for the real one from where it is.
    const isRunner = INTERPRETER.test(name) || WRAPPER.test(name);
    const movable = own?.interpreter && !isRunner
      ? movableOf(program, { ...own, index: 0 })
      : script && movableOf(script.found, script);
    return { argv, files, ...(movable ? { movable } : {}) };
  }

  /** Covers what the arguments of a program run; gives the script of an interpreter. */
  async #readArguments(words: readonly string[], program: string) {
    let runner = program;
    let isInline = false;
    let script: { found: FoundFile; index: number; isPlaced: boolean } | undefined;
    await this.#coverRecipe(runner, ".");
    for (const [at, word] of words.entries()) {
      if (WRAPPER.test(runner)) {
        await this.#coverProgram(word);
        if (INTERPRETER.test(basename(word))) runner = basename(word);
      }
      isInline ||= isInlineOption(runner, word);
      const isText = SHELL.test(runner) && SHELL_TEXT.test(words[at - 1] ?? "");
      // Python looks for modules in the working directory then.
      if (isInline && PYTHON.test(runner)) await this.#coverShadows(this.#place.cwd);
      if (isText || /[\s;|&()<>]/.test(word)) {
        await this.#scan(word, { runner, bases: [this.#place.cwd] });
        continue;
      }
      if (PYTHON.test(runner) && words[at - 1] === "-m") {
        await this.#scanImports(`import ${word}`, [this.#place.cwd]);
      }
      const mayBeScript = script === undefined && !isInline && INTERPRETER.test(runner);
      await this.#coverRecipe(runner, word);
      for (const text of partsOf(word)) {
        const isScript = mayBeScript && text === word && !word.startsWith("-");
        const isForced = isScript || (text !== word && RUN_BY_VARIABLE.test(word));
        const found = await this.#findWord(text, { isForced });
        const read = found && await this.#readScript(found, runner);
        if (!isScript || found === undefined || LOADING_OPTION.test(words[at - 1] ?? "")) continue;
        const isPlaced = PLACED.test(runner) || read === undefined || read.isPlaced;
        script = { found, index: at + 1, isPlaced };
      }
    }
    return script;
  }

  /** The file a word names, covered when it is one that is run. */
  async #findWord(
    text: string,
    { isForced, base = this.#place.cwd }: { isForced: boolean; base?: string },
  ): Promise<FoundFile | undefined> {
    if (text === "" || text.length > MAX_WORD_CHARS || text.includes("\0")) return undefined;
    const path = resolvePath(base, expandHome(text, this.#place.env));
    const isWanted = isForced || SCRIPT_NAME.test(path);
    const wanted = (mode: number) => isWanted || (mode & 0o111) !== 0;
    // A name that was passed over may turn out to be one that is run.
    const isNew = isForced ? this.#isNew(path) : !this.#tried.has(path) && this.#isNew(`${path}?`);
    const found = isNew ? await this.#find(path, wanted) : undefined;
    // Whatever the system keeps is as it is.
    if (found?.covered.sha256 === undefined) return undefined;
    return this.#add(found) ? found : undefined;
  }

  /** False for a path that was looked at before, and for all when there are too many. */
  #isNew(path: string): boolean {
    if (this.#tried.has(path) || this.#tried.size >= MAX_LOOKUPS) return false;
    this.#tried.add(path);
    return true;
  }

  /** Covers a program that a word names, unless it is the system's. */
  async #coverProgram(word: string): Promise<void> {
    if (word.startsWith("-") || word.includes("/")) return;
    const path = await this.#lookUp(word);
    const found = path === undefined ? undefined : await this.#find(path);
    if (found?.covered.sha256 === undefined) return;
    if (this.#add(found)) await this.#readScript(found);
  }

  /** Covers the file that says what `make` and its like do, in the folder a word names. */
  async #coverRecipe(runner: string, folder: string): Promise<void> {
    const names = Object.hasOwn(RECIPES, runner) ? RECIPES[runner]! : [];
    const base = resolvePath(this.#place.cwd, folder);
    for (const name of names) {
      const found = await this.#findWord(name, { isForced: true, base });
      if (found) await this.#scan(textOf(found), { runner: "", bases: [base] });
    }
  }

  /** What a script names: its interpreter and other files, all covered. Undefined for what is no text. */
  async #readScript({ covered, bytes }: FoundFile, runner = "") {
    const text = bytes && scriptText(bytes);
    if (text === undefined) return undefined;
    const interpreter = shebangOf(text);
    for (const word of interpreter?.join(" ").split(/\s+/) ?? []) {
      await this.#coverInterpreter(word);
    }
    const named = [...interpreter ?? [], runner].map((word) => basename(word));
    const known = this.#files.size;
    const isPython = named.some((word) => PYTHON.test(word)) || covered.path.endsWith(".py");
    const folder = dirname(covered.real ?? covered.path);
    const bases = [folder, this.#place.cwd];
    const isComputed = await this.#scan(text, { runner: isPython ? "python3" : "", bases });
    const isPlaced = isComputed || this.#files.size > known || ASKS_WHERE.test(text) ||
      named.some((word) => PLACED.test(word));
    if (isPlaced && isPython) await this.#coverShadows(folder);
    if (isPlaced) this.#folders.add(folder);
    return { interpreter, isPlaced };
  }

  /**
   * Covers what could be run below the folder of a script that asks where it lies: what it
   * loads from there cannot always be read from its text. A folder that holds the work, the
   * home or the programs of the PATH is not the hook's own.
   */
  async #coverTree(folder: string, depth: number): Promise<void> {
    const { env, cwd } = this.#place;
    const shared = [cwd, env.HOME ?? "/", ...(env.PATH ?? "").split(":")];
    if (!this.#isNew(`${folder}/`) || shared.some((path) => isWithin(path, folder))) return;
    for (const { name, isDirectory } of await entriesOf(folder)) {
      if (this.#files.size >= MAX_FILES) return;
      if (isDirectory) {
        if (depth > 0 && !PACKAGE_FOLDER.test(name)) {
          await this.#coverTree(joinPath(folder, name), depth - 1);
        }
        continue;
      }
      const isForced = this.#missing.has(name) || name === "package.json";
      const found = await this.#findWord(name, { isForced, base: folder });
      if (found) await this.#readScript(found);
    }
  }

  /** Covers files that Python would load in the place of modules of its library. */
  async #coverShadows(folder: string): Promise<void> {
    if (!this.#isNew(`${folder}/*.py`)) return;
    for (const { name } of await entriesOf(folder)) {
      if (!PYTHON_MODULES.has(name.split(".")[0]!)) continue;
      for (const file of [name, `${name}/__init__.py`]) {
        const found = await this.#findWord(file, { isForced: true, base: folder });
        if (found) await this.#readScript(found, "python3");
      }
    }
  }

  /** `#!/usr/bin/env python3` names two programs. */
  async #coverInterpreter(word: string): Promise<void> {
    if (!word.includes("/")) return await this.#coverProgram(word);
    const found = await this.#find(word);
    if (found && this.#add(found)) await this.#readScript(found);
  }

  /** Covers the files that a text names; true when a name is made of what only the run knows. */
  async #scan(
    text: string,
    { runner, bases }: { runner: string; bases: readonly string[] },
  ): Promise<boolean> {
    const short = text.slice(0, MAX_SCANNED_CHARS);
    const { names, isComputed } = filesNamedIn(short, this.#place.env);
    for (const [name, isForced] of names) {
      let isFound = false;
      for (const base of bases) {
        const found = await this.#findWord(name, { isForced, base });
        if (found) await this.#readScript(found);
        isFound ||= found !== undefined;
        if (isAbsolute(name)) break;
      }
      if (isForced && !isFound) this.#missing.add(basename(name));
    }
    if (PYTHON.test(runner)) await this.#scanImports(short, bases);
    if (SHELL.test(runner)) {
      for (const word of commandWords(short)) {
        await this.#coverProgram(word);
      }
    }
    return isComputed;
  }

  async #scanImports(text: string, bases: readonly string[]): Promise<void> {
    for (const module of importedModules(text)) {
      for (const base of bases) {
        for (const end of [".py", "/__init__.py"]) {
          const found = await this.#findWord(`${module}${end}`, { isForced: true, base });
          if (found) await this.#readScript(found, "python3");
        }
      }
    }
  }

  async #lookUp(word: string): Promise<string | undefined> {
    const { env, cwd } = this.#place;
    const program = expandHome(word, env);
    if (program.includes("/")) return await which(resolvePath(cwd, program), undefined);
    const folders = (env.PATH ?? "").split(":").map((folder) => resolvePath(cwd, folder));
    return await which(program, folders.join(":"));
  }

  async #find(path: string, wanted = (_: number) => true): Promise<FoundFile | undefined> {
    const { known = () => undefined } = this.#place;
    return await findFile(path, { known, wanted });
  }

  /** False when it was there already. */
  #add({ covered }: FoundFile): boolean {
    if (this.#files.has(covered.path) || this.#files.size >= MAX_FILES) return false;
    this.#files.set(covered.path, covered);
    return true;
  }
}

/** What is in a folder, in the order of names; nothing when it cannot be read. */
async function entriesOf(folder: string): Promise<Deno.DirEntry[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return []; // Gone, or out of reach: nothing that could run.
  }
}

function movableOf(
  { covered, bytes }: FoundFile,
  { index, isPlaced, interpreter }: {
    index: number;
    isPlaced: boolean;
    interpreter?: readonly string[] | undefined;
  },
): MovableScript | undefined {
  if (isPlaced || bytes === undefined || covered.sha256 === undefined) return undefined;
  const { path, sha256 } = covered;
  return { index, name: basename(path), bytes, sha256, interpreter: interpreter ?? [] };
}

function isInlineOption(program: string, word: string): boolean {
  return INLINE_OPTIONS.some(({ runner, option }) => runner.test(program) && option.test(word));
}

/** A word, and what follows its `=`. */
function partsOf(word: string): string[] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word, word.slice(at + 1)];
}

/** No shell runs that would know `~`, and hooks like to live in the home. */
export function expandHome(word: string, env: Readonly<Record<string, string>>): string {
  return word.startsWith("~/") && env.HOME ? joinPath(env.HOME, word.slice(2)) : word;
}

/** What a file says that is no script by its first line; nothing for what is no text. */
function textOf({ bytes }: FoundFile): string {
  return bytes === undefined ? "" : scriptText(bytes) ?? "";
}

/** The text of a script; undefined for anything else. */
function scriptText(bytes: Uint8Array): string | undefined {
  return bytes.subarray(0, 1024).includes(0) ? undefined : new TextDecoder().decode(bytes);
}
