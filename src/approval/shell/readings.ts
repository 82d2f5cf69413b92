/**
 * Other commands that a command may turn out to be: a value that is empty, a pattern that names a
 * program or a directory, a link, a copy of a program. Each is judged beside the command itself.
 */
import { PROGRAM_DEFAULTS } from "./executors_data.ts";
import { globMatch, hasGlob } from "./shell_glob.ts";
import type { Invocation, RedirectUse } from "./invocation.ts";
import { printedWords } from "./literal_output.ts";
import { eraseUnknown, hasUnknown, showUnknown } from "./unknown.ts";
import type { WrittenFiles } from "./written_files.ts";

export interface Reading {
  argv: string[];
  /** Where the redirections lead, in their order, when that is elsewhere. */
  targets?: string[];
}

/** Directories at the root that a pattern may stand for. */
const AT_ROOT = "etc var home root usr bin sbin opt boot dev proc sys lib run srv mnt tmp".split(
  " ",
);
const ROOT_PATTERN = /^\/([^/]*[*?[][^/]*)(?=\/|$)/;
/**
 * A value at the start that may be empty or a directory, before a name at the root or a hidden
 * one. After a slash only names that are rare elsewhere: `$PREFIX/bin/x` is everyday.
 */
const UNKNOWN_START =
  /^([^\0/=]*=)?(?:\0[^\0]*(?<!\?)\0)+(?:(?=(?:etc|var|home|root|usr|bin|sbin|opt|boot|dev|proc|sys|lib|run|srv|mnt|tmp)\/)|\/*(?=\.[a-z])|\/+(?=(?:etc|dev|root|proc|sys|boot|home|var\/(?:log|spool|lib)|usr\/s?bin)\/))/s;
/** A value inside the name of a directory at the root, or of a hidden one in the home. */
const UNKNOWN_INSIDE = /^(?:\/(?=[^/])|~\/\.)[^/]*\0/;
const UNKNOWN_OPTION = /^(?:\0[^\0]*\0)+(?=-)/;

export function* readingsOf(
  invocation: Invocation,
  { files, programs, path, isLost, printed }: {
    files: WrittenFiles;
    /** Words that earlier substitutions may have printed. */
    printed: readonly string[];
    /** Names that a pattern in a command word is tried against. */
    programs: Iterable<string>;
    /** Directories of programs that the script set. */
    path: readonly string[];
    /** The script went to a directory that is unknown. */
    isLost: boolean;
  },
): Generator<Reading> {
  const { args } = invocation;
  for (const name of namesBehind(invocation, programs)) yield { argv: [name, ...args] };
  if (hasUnknown(invocation.path) && eraseUnknown(invocation.path) === "" && args.length > 0) {
    // Were the unknown part empty, the rest of the line would be the command.
    yield { argv: args };
  }
  if (args.some((arg) => UNKNOWN_OPTION.test(arg))) {
    yield { argv: [invocation.path, ...args.map((arg) => arg.replace(UNKNOWN_OPTION, ""))] };
  }
  yield* atRoot(invocation);
  if (isLost) yield* changedWords(invocation, atHome);
  if ([invocation.path, ...args].some(hasUnknown) || invocation.redirects.some(isUnknown)) {
    yield* changedWords(invocation, knownStart);
    yield* changedWords(invocation, withoutUnknown);
  }
  if (invocation.redirects.some(isUnknown)) yield someName(invocation);
  yield* withPrinted(invocation, printed);
  for (const program of files.programsBehind(invocation, path)) yield { argv: [program, ...args] };
  yield* files.behindLinks(invocation);
}

/** The mark of a command substitution, and how many words it prints are tried one by one. */
const PRINTED = /\0\(…\)[^\0]*\0/g;
const MAX_PRINTED = 8;

/** `cat $(p)`: what a substitution prints in parts that are known may be meant. */
function* withPrinted(
  { path, args, inner, redirects }: Invocation,
  printed: readonly string[],
): Generator<Reading> {
  if (inner.length + printed.length === 0) return;
  const targets = redirects.map(({ target }) => target);
  if (![...args, ...targets].some((text) => text.includes("\0(…)"))) return;
  const words = inner.length > 0 ? printedWords(inner) : printed;
  if (words.length === 0) return;
  if (words.length > 1) {
    yield {
      argv: [path, ...args.flatMap((arg) => arg.replace(PRINTED, "") === "" ? words : [arg])],
    };
  }
  for (const word of new Set(words.slice(0, MAX_PRINTED))) {
    const put = (text: string) => text.replace(PRINTED, () => word);
    yield { argv: [path, ...args.map(put)], targets: targets.map(put) };
  }
}

/** Programs that the command word may stand for. `/proc/self/exe` is the shell. */
function* namesBehind({ path }: Invocation, programs: Iterable<string>): Generator<string> {
  if (/^\/proc\/[^/]+\/exe$/.test(path)) yield "bash";
  if (hasUnknown(path)) {
    const usual = PROGRAM_DEFAULTS.get(showUnknown(path).slice(1));
    if (usual !== undefined) yield usual;
  }
  if (isProgramPattern(path)) {
    const pattern = eraseUnknown(path.slice(path.lastIndexOf("/") + 1)).toLowerCase();
    for (const program of programs) if (globMatch(pattern, program)) yield program;
  }
}

/** `/bin/r?` runs what it matches. A lone `*` is prose. */
export function isProgramPattern(path: string): boolean {
  const known = eraseUnknown(path);
  return hasGlob(known) && /[/a-z]/i.test(known);
}

/** `/[e]tc/passwd` is `/etc/passwd`. */
function* atRoot(invocation: Invocation): Generator<Reading> {
  const { path } = invocation;
  const args = invocation.args.map(fromRoot);
  const targets = invocation.redirects.map(({ target }) => fromRoot(target));
  const patterns = new Set(
    [...args, ...targets].flatMap((word) => ROOT_PATTERN.exec(word)?.[1] ?? []),
  );
  if (patterns.size === 0) return;
  // A lone star is everything; only where most is at stake is tried.
  const names = [...patterns].every((pattern) => /^\*+$/.test(pattern))
    ? AT_ROOT.slice(0, 4)
    : AT_ROOT;
  for (const name of names) {
    if (![...patterns].some((pattern) => globMatch(pattern, name))) continue;
    const put = (word: string) =>
      word.replace(ROOT_PATTERN, (all, pattern) => globMatch(pattern, name) ? `/${name}` : all);
    yield { argv: [path, ...args.map(put)], targets: targets.map(put) };
  }
}

/** `$x/[e]tc/hosts`, were the value empty. A lone star behind a value is everyday. */
function fromRoot(word: string): string {
  return word[0] === "\0" ? word.replace(/^(?:\0[^\0]*\0)+(?=\/(?!\*+(?:\/|$)))/, "") : word;
}

function isUnknown({ target }: RedirectUse): boolean {
  return hasUnknown(target);
}

/** `> "$x"` writes somewhere below the working directory, were the value a name. */
function someName({ path, args, redirects }: Invocation): Reading {
  const targets = redirects.map(({ target }) => target.replace(/\0[^\0]*\0/g, "x"));
  return { argv: [path, ...args], targets };
}

/** The command with other words and targets, if any of them changes. */
function* changedWords(
  { path, args, redirects }: Invocation,
  change: (word: string) => string,
): Generator<Reading> {
  const words = [path, ...args];
  const targets = redirects.map(({ target }) => target);
  const argv = words.map((word, i) => i === 0 && change !== withoutUnknown ? word : change(word));
  const into = targets.map(change);
  const differs = words.some((word, i) => word !== argv[i]) ||
    targets.some((target, i) => target !== into[i]);
  if (differs) yield { argv, targets: into };
}

/**
 * A word of which only the end is known. `${x}etc/passwd` is taken for the file at the root,
 * `$x/.ssh/config` for that in the home, `/e$x/passwd` for a pattern.
 */
function knownStart(word: string): string {
  if (!hasUnknown(word)) return word;
  if (UNKNOWN_INSIDE.test(word)) return word.replace(/\0[^\0]*\0/g, "*");
  return word.replace(UNKNOWN_START, (start, option = "") => {
    const isHidden = word[start.length] === ".";
    return `${option}${isHidden ? "~/" : "/"}`;
  });
}

/** A hidden file in a directory that is unknown is taken for that in the home. */
function atHome(word: string): string {
  return /^(?:\.\/)?\.[a-z]/.test(word) ? `~/${word}` : word;
}

/** A value in the middle of a name that may be empty: `.e${x}nv`. A whole name is not left out. */
function withoutUnknown(word: string): string {
  if (!hasUnknown(word)) return word;
  const erased = word.replace(/\0[^\0]*\0/g, (mark, at: number) => {
    const isGlued = /[\w.\]-]/.test(word[at - 1] ?? "") ||
      /[\w.[]/.test(word[at + mark.length] ?? "");
    return isGlued && !mark.endsWith("?\0") ? "" : mark;
  });
  return erased === "" || (erased[0] === "/" && word[0] !== "/") ? word : erased;
}
