/**
 * Files that commands wrote, copied or linked, so that a file which runs later is known for what
 * it is: a text to judge, another program under a new name, or unread text.
 */
import { touchesOf } from "../rules/effects.ts";
import { inputText, type Invocation, isStdinFile, parseOptions } from "./invocation.ts";
import { globMatch, hasGlob } from "./shell_glob.ts";
import { canonicalPath, type Place } from "./paths.ts";
import { programFiles } from "./program_files.ts";
import { SYSTEM_PROGRAM, TRANSLATORS } from "./program_files_data.ts";
import { basename, dirname } from "../../util/path.ts";
import { editedInPlace } from "../rules/rule.ts";
import { hasUnknown } from "./unknown.ts";

/** What earlier commands of the session left. Paths are as `canonicalPath()` writes them. */
export interface EarlierFiles {
  /** Texts of shell files. */
  readonly texts: ReadonlyMap<string, string>;
  /** Files whose text is unknown. */
  readonly unread: ReadonlySet<string>;
  /** Links and copies of programs, with what they lead to. */
  readonly links: ReadonlyMap<string, readonly string[]>;
  readonly programs: ReadonlyMap<string, readonly string[]>;
}

export const NO_FILES: EarlierFiles = {
  texts: new Map(),
  unread: new Set(),
  links: new Map(),
  programs: new Map(),
};

const COPIERS = /^(?:cp|mv|ln|link|install|ditto|rsync|scp|gcp|gmv|gln|ginstall)$/;
/** These act on a link itself. */
const ON_LINKS = /^(?:rm|unlink|ln|link|mv|readlink|ls|stat|test|\[|file|rmdir|git|trash)$/;
/** A path whose last directory and name are written out. */
const ENDS_KNOWN = /[^/\0]\/[^/\0]+$/;
/** Patterns of files that were run times files that were written. */
const MAX_COMPARED = 100_000;
const MAX_LINKS = 16;
const MAX_TARGETS = 8;

export class WrittenFiles implements EarlierFiles {
  readonly #earlier: EarlierFiles;
  /** Texts of files written here; words of the script put the output of `<(…)` there too. */
  readonly texts: Map<string, string>;
  readonly unread = new Set<string>();
  /** Edited in place: not remembered for later commands, like edits by other tools. */
  readonly edited = new Set<string>();
  readonly links = new Map<string, string[]>();
  readonly programs = new Map<string, string[]>();
  /** Files that were run, with the texts that were judged then. */
  readonly #run = new Map<string, Set<string | undefined>>();

  constructor(texts: Map<string, string>, earlier: EarlierFiles) {
    this.texts = texts;
    this.#earlier = earlier;
  }

  /** The text of a file, where every text it may have is known. */
  text(path: string, place: Place): string | undefined {
    if (this.texts.size + this.#earlier.texts.size === 0) return undefined;
    return this.#textAt(canonicalPath(path, place));
  }

  #textAt(key: string): string | undefined {
    if (this.unread.has(key)) return undefined;
    return this.texts.get(key) ??
      (this.#earlier.unread.has(key) ? undefined : this.#earlier.texts.get(key));
  }

  /** The file whose text the command at hand is known to write; the caller tells it by `write()`. */
  expected: string | undefined;

  /** A file was given a text; one that may not have been written keeps the older text beside it. */
  write(key: string, given: { text: string; certain: boolean; appends: boolean }): void {
    const { text, certain, appends } = given;
    const before = this.#textAt(key);
    if (certain && !appends) this.unread.delete(key);
    else if (this.#isUnread(key)) return;
    const kept = appends ? before ?? "" : certain || before === undefined ? "" : `${before}\n`;
    this.texts.set(key, kept + text);
  }

  /** Takes down what a command writes, copies, links and runs. */
  note(invocation: Invocation): void {
    const { program, place } = invocation;
    const isCopy = COPIERS.test(program);
    if (isCopy) this.#copy(invocation);
    const paths = isCopy ? redirectTouches(invocation) : writes(invocation);
    if (paths.length > 0 && !this.#isTranslation(invocation)) {
      const poured = pouredText(invocation);
      const edited = editedInPlace(invocation);
      for (const path of paths) {
        const key = canonicalPath(path, place);
        if (key.startsWith("/dev/") || key === this.expected) continue;
        if (edited.includes(path)) this.edited.add(key);
        else this.edited.delete(key);
        if (poured === undefined) this.unread.add(key);
        else this.write(key, { text: poured, certain: false, appends: false });
      }
    }
    for (const { path, isShell } of programFiles(invocation)) {
      const key = canonicalPath(path, place);
      const judged = this.#run.get(key) ?? new Set();
      this.#run.set(key, judged.add(isShell ? this.#textAt(key) : undefined));
    }
  }

  /** Whether something that was run was written by these commands and not judged. */
  get runsUnread(): boolean {
    if (this.#run.size === 0) return false;
    const own = [...this.unread, ...this.texts.keys()].filter((key) => !hasUnknown(key));
    for (const [key, judged] of this.#run) {
      // A loop or a background job may run it after it was written once more.
      const text = this.#textAt(key);
      if (this.#isUnread(key) || (text !== undefined && !judged.has(text))) return true;
      if (text !== undefined || own.length === 0) continue;
      if (basename(key) === "{}" || (hasUnknown(key) && !ENDS_KNOWN.test(key))) return true;
      const end = key.slice(key.lastIndexOf("\0") + 1);
      if (end !== key && own.some((path) => path.endsWith(end))) return true;
      if (!hasGlob(key)) continue;
      if (this.#run.size * own.length > MAX_COMPARED) return true;
      if (own.some((path) => globMatch(key, path))) return true;
    }
    return false;
  }

  #isUnread(key: string): boolean {
    return this.unread.has(key) || (!this.texts.has(key) && this.#earlier.unread.has(key));
  }

  #isWritten(key: string): boolean {
    return this.#isUnread(key) || this.texts.has(key) || this.#earlier.texts.has(key);
  }

  /** The system's programs that a command runs under another name. */
  programsBehind(invocation: Invocation, path: readonly string[]): string[] {
    if (this.programs.size + this.#earlier.programs.size === 0) return [];
    const { path: word, place } = invocation;
    const paths = word.includes("/") ? [word] : path.map((dir) => `${dir}/${word}`);
    return paths.flatMap((name) => {
      const key = canonicalPath(name, place);
      return [...this.programs.get(key) ?? [], ...this.#earlier.programs.get(key) ?? []];
    });
  }

  /** Whether a bare name is found in a directory where it was written. */
  isFoundUnread({ path: name, place }: Invocation, path: readonly string[]): boolean {
    return name !== "" && !name.includes("/") &&
      path.some((dir) => this.#isWritten(canonicalPath(`${dir}/${name}`, place)));
  }

  /** The words of a command with links followed, once for each thing they may lead to. */
  behindLinks(invocation: Invocation): { argv: string[]; targets: string[] }[] {
    if (this.links.size + this.#earlier.links.size === 0) return [];
    const words = [invocation.path, ...invocation.args];
    const targets = invocation.redirects.map(({ target }) => target);
    const keeps = ON_LINKS.test(invocation.program);
    const variants: { argv: string[]; targets: string[] }[] = [];
    for (let i = 0; i < MAX_TARGETS; i++) {
      let more = false;
      const follow = (word: string, isLinkItself: boolean): string => {
        const found = this.#follow(word, { place: invocation.place, isLinkItself });
        more ||= found.length > i + 1;
        return found[i] ?? found.at(-1) ?? word;
      };
      const argv = words.map((word, at) =>
        at === 0 && !word.includes("/") ? word : follow(word, keeps)
      );
      const into = targets.map((target) => follow(target, false));
      const changed = argv.some((word, at) => word !== words[at]) ||
        into.some((target, at) => target !== targets[at]);
      if (changed) variants.push({ argv, targets: into });
      if (!more) break;
    }
    return variants;
  }

  #follow(
    word: string,
    { place, isLinkItself }: { place: Place; isLinkItself: boolean },
  ): string[] {
    const cut = /^(?:-[^=]*|\w+)=/.exec(word)?.[0] ?? "";
    const path = word.slice(cut.length);
    if (path === "" || (cut === "" && path[0] === "-")) return [];
    let key = canonicalPath(path, place);
    const results: string[] = [];
    for (let hops = 0; hops < MAX_LINKS; hops++) {
      const link = this.#linkAbove(key);
      if (link === undefined || (isLinkItself && link === key && !path.endsWith("/"))) break;
      const leads = [...this.links.get(link) ?? [], ...this.#earlier.links.get(link) ?? []];
      results.push(...leads.map((target) => `${cut}${target}${key.slice(link.length)}`));
      key = leads[0]! + key.slice(link.length);
    }
    return results.slice(0, MAX_LINKS);
  }

  /** The path itself or the directory above it that is a link. */
  #linkAbove(key: string): string | undefined {
    for (let end = key.length; end > 0; end = key.lastIndexOf("/", end - 1)) {
      const path = key.slice(0, end);
      if (this.links.has(path) || this.#earlier.links.has(path)) return path;
    }
    return undefined;
  }

  /** Compilers only pass on what they were given. */
  #isTranslation({ program, args, place }: Invocation): boolean {
    if (!TRANSLATORS.test(program)) return false;
    return !args.some((arg) => arg[0] !== "-" && this.#isWritten(canonicalPath(arg, place)));
  }

  #copy(invocation: Invocation): void {
    for (const { from, to } of copiesOf(invocation)) {
      const { place, program } = invocation;
      const key = canonicalPath(to, place);
      const source = canonicalPath(from, place);
      if (program === "ln" || program === "link" || program === "gln") {
        const target = linkTarget(invocation, { from, to });
        add(this.links, key, canonicalPath(target, place));
        continue;
      }
      if (SYSTEM_PROGRAM.test(source)) add(this.programs, key, source);
      for (const behind of this.programs.get(source) ?? this.#earlier.programs.get(source) ?? []) {
        add(this.programs, key, behind);
      }
      const text = isStdinFile(from, place) ? inputText(invocation) : this.#textAt(source);
      const isStrange = isStdinFile(from, place) || hasUnknown(source) || this.#isUnread(source) ||
        /^\/(?:dev|proc)\/|^[\w.@-]+:/.test(from);
      if (text !== undefined) this.write(key, { text, certain: false, appends: false });
      else if (isStrange) this.unread.add(key);
    }
  }
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else if (!known.includes(value) && known.length < MAX_TARGETS) known.push(value);
}

/** `tee` and `dd` write what they read, where that is known. */
function pouredText(invocation: Invocation): string | undefined {
  const { program, args } = invocation;
  const changes = args.some((arg) => /^(?:if|conv|bs|skip|seek|count)=|^-[a-z]*a|^--app/.test(arg));
  if ((program !== "tee" && program !== "dd") || changes) return undefined;
  const text = inputText(invocation);
  return text === undefined || hasUnknown(text) ? undefined : text;
}

/** Files that a command writes; git only brings back what was there. */
function writes(invocation: Invocation): string[] {
  if (invocation.program === "git") return redirectTouches(invocation);
  const paths = touchesOf(invocation)
    .filter(({ effect, path }) => (effect === "write" || effect === "append") && path !== "")
    .map(({ path }) => path);
  return [...paths, ...downloads(invocation)];
}

function redirectTouches({ redirects }: Invocation): string[] {
  return redirects.filter(({ op, target }) =>
    /^(?:>>?|>\||&>>?|<>|>&)$/.test(op) && !/^(?:\d+-?|-)?$/.test(target)
  ).map(({ target }) => target);
}

/** `curl -O URL` and `wget URL` name the file after the address. */
function downloads({ program, args }: Invocation): string[] {
  const keeps = program === "wget" ||
    (program === "curl" &&
      args.some((arg) => /^-[a-zA-Z]*[OJ]|^--remote-(?:name|header)/.test(arg)));
  if (!keeps) return [];
  return args.filter((arg) => /^[\w+.-]+:\/\/|^[\w.-]+\.\w+\//.test(arg))
    .map((arg) => basename(arg.split(/[?#]/, 1)[0]!));
}

/** What a copying program takes, and each place where it may put it. */
function copiesOf({ program, args }: Invocation): { from: string; to: string }[] {
  const { values, operands } = parseOptions(args, {
    values: program === "rsync" ? "ef" : program === "install" ? "gmotS" : "tS",
    longValues: ["target-directory", "suffix", "mode", "owner", "group", "exclude", "rsh"],
  });
  const into = values.get("t")?.[0] ?? values.get("target-directory")?.[0];
  if (into === undefined && operands.length === 1 && program === "ln") {
    return [{ from: operands[0]!, to: basename(operands[0]!) }];
  }
  const sources = into === undefined ? operands.slice(0, -1) : operands;
  const target = into ?? operands.at(-1) ?? "";
  return sources.flatMap((from) => [
    { from, to: target },
    { from, to: `${target}/${basename(from)}` },
  ]);
}

/** A symbolic link is read from the directory it lies in. */
function linkTarget({ args }: Invocation, { from, to }: { from: string; to: string }): string {
  const isSymbolic = args.some((arg) => /^-[a-zA-Z]*s|^--sym/.test(arg));
  const isRelative = !/^[/~\0]/.test(from);
  return isSymbolic && isRelative && to.includes("/") ? `${dirname(to)}/${from}` : from;
}
