/**
 * Other commands that a command may turn out to be: a value that is empty, a pattern that names a
 * program or a directory, a link, a copy of a program. Each is judged beside the command itself.
 */
import { PROGRAM_DEFAULTS } from "./executors_data.ts";
import { globMatch, hasGlob } from "./glob.ts";
import type { Invocation } from "./invocation.ts";
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
const ROOT_PATTERN = /^\/([^/]*[*?[][^/]*)(?=\/.)/;
const UNKNOWN_OPTION = /^(?:\0[^\0]*\0)+(?=-)/;

export function* readingsOf(
  invocation: Invocation,
  { files, programs, path }: {
    files: WrittenFiles;
    /** Names that a pattern in a command word is tried against. */
    programs: Iterable<string>;
    /** Directories of programs that the script set. */
    path: readonly string[];
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
  for (const program of files.programsBehind(invocation, path)) yield { argv: [program, ...args] };
  yield* files.behindLinks(invocation);
}

/** Programs that the command word may stand for. `/proc/self/exe` is the shell. */
function* namesBehind({ path }: Invocation, programs: Iterable<string>): Generator<string> {
  if (/^\/proc\/[^/]+\/exe$/.test(path)) yield "bash";
  if (hasUnknown(path)) {
    const usual = PROGRAM_DEFAULTS.get(showUnknown(path).slice(1));
    if (usual !== undefined) yield usual;
  } else if (isProgramPattern(path)) {
    const pattern = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
    for (const program of programs) if (globMatch(pattern, program)) yield program;
  }
}

/** `/bin/r?` runs what it matches. A lone `*` is prose. */
export function isProgramPattern(path: string): boolean {
  return hasGlob(path) && !hasUnknown(path) && /[/a-z]/i.test(path);
}

/** `/[e]tc/passwd` is `/etc/passwd`. */
function* atRoot({ path, args, redirects }: Invocation): Generator<Reading> {
  const targets = redirects.map(({ target }) => target);
  const patterns = new Set(
    [...args, ...targets].flatMap((word) => ROOT_PATTERN.exec(word)?.[1] ?? []),
  );
  if (patterns.size === 0) return;
  for (const name of AT_ROOT) {
    if (![...patterns].some((pattern) => globMatch(pattern, name))) continue;
    const put = (word: string) =>
      word.replace(ROOT_PATTERN, (all, pattern) => globMatch(pattern, name) ? `/${name}` : all);
    yield { argv: [path, ...args.map(put)], targets: targets.map(put) };
  }
}
