/** The paths that a command's words name, and which of them it only uses as a key or setting. */
import {
  type Effect,
  ENV_FILE_PROGRAMS,
  IDENTITY_LETTER,
  IDENTITY_OPTIONS,
  READS_TEXT,
} from "../rules/effects_data.ts";
import { realPathOf } from "./real_paths.ts";
import type { Invocation } from "./invocation.ts";
import type { Place } from "./paths.ts";
import { protectionAt } from "../rules/protection.ts";

export interface Touch {
  effect: Effect;
  /** As written, relative to the command's directory. */
  path: string;
  /** Whatever lies below `path` may be meant: the names are data. */
  below?: true;
}

/** The same effect on each of the paths. */
export function all(effect: Effect, paths: Iterable<string>): Touch[] {
  return [...paths].map((path) => ({ effect, path }));
}

/** The same effect on whatever lies below each of the directories. */
export function allBelow(effect: Effect, paths: Iterable<string>): Touch[] {
  return [...paths].map((path) => ({ effect, path, below: true }));
}

/** Words that name what a program is to use rather than to show. */
export function isIdentity(command: Invocation, i: number): boolean {
  const { program, args } = command;
  const arg = args[i]!;
  const option = arg[0] === "-" ? arg.split("=", 1)[0]! : args[i - 1] ?? "";
  if (option[0] !== "-") return false;
  if (IDENTITY_OPTIONS.test(option)) return true;
  if (option === "-i" || option === "-E") {
    return IDENTITY_LETTER.has(program) || (program === "curl" && option === "-E");
  }
  return /^--env-file/.test(option) &&
    (ENV_FILE_PROGRAMS.has(program) || args.includes("compose"));
}

let lastDirectory: string | undefined;
let lastIsSecret = false;

/** Whether the directory a command runs in is itself protected; scripts stay in one for a while. */
export function isSecretPlace(place: Place): boolean {
  if (place.cwd === undefined) return false;
  if (place.cwd !== lastDirectory) {
    lastDirectory = place.cwd;
    lastIsSecret = protectionAt(".", place) !== undefined;
  }
  return lastIsSecret;
}

/** Whether a bare word, which looks like no path, is the name of a link here. */
function isLink(word: string, place: Place): boolean {
  if (place.disk === undefined || !/^\w[\w-]{0,100}$/.test(word)) return false;
  const real = realPathOf(word, place);
  return real !== undefined && real !== realPathOf(word, place, { keepsLink: true });
}

/** Everything that looks like a path in the given words is read. */
export function mentioned(command: Invocation, words: readonly string[]): Touch[] {
  const readsText = READS_TEXT.test(command.program);
  const touches: Touch[] = [];
  // In a directory of secrets every name is one.
  if (isSecretPlace(command.place)) {
    touches.push(...all("read", words.filter((word) => word[0] !== "-")));
  }
  for (const [i, word] of words.entries()) {
    if (words === command.args && isIdentity(command, i)) continue;
    for (const path of pathsIn(word, { readsText })) touches.push({ effect: "read", path });
    if (isLink(word, command.place)) touches.push({ effect: "read", path: word });
  }
  return touches;
}

/** What one word of a reading program names; in a directory of secrets, any name. */
export function readIn(command: Invocation, word: string): Touch[] {
  if (isSecretPlace(command.place) || isLink(word, command.place)) return all("read", [word]);
  return all("read", pathsIn(word, { readsText: false }));
}

/** Addresses on other machines are no paths here. */
const ADDRESS = /\b(?!file:)[a-z][a-z0-9+.-]{0,30}:\/\/[^\s'"]{0,2000}/gi;
const SEPARATORS = /[\s'"`=,;:@()<>|&{}[\]\\]+/;
/** What may be a path worth asking about: every protected path has a dot or a slash, or is a key's name. */
const CANDIDATE = /[./~]|^id_/;
/** Longer arguments are programs or data; their first part is looked at. */
const MAX_CHARS = 20_000;

/**
 * The paths inside one argument: bare, after `=`, `@` or `:`, behind a short option, in a
 * `file://` address, or in a line of code. Candidates: the caller decides whether one matters.
 */
export function* pathsIn(
  word: string,
  { readsText }: { readsText: boolean },
): Generator<string> {
  if (!CANDIDATE.test(word) && !word.includes("id_")) return;
  const text = word.slice(0, MAX_CHARS);
  if (/^[\w~./\0*?+%-]+$/.test(text) && text[0] !== "-") {
    yield text;
    return;
  }
  const bare = text.includes("://") ? text.replace(ADDRESS, " ") : text;
  const isProse = /\s/.test(bare);
  if (!isProse && bare[0] !== "-") yield bare;
  // `-I/usr/include`, `-f.env`
  const attached = /^-[A-Za-z]([~./\0].*)$/s.exec(bare)?.[1];
  if (attached !== undefined) yield attached;
  for (const piece of bare.split(SEPARATORS)) {
    if (piece === "" || piece === bare || !CANDIDATE.test(piece)) continue;
    // In prose a bare name is only a word; in code it may be a file.
    if (isProse && !readsText && !piece.includes("/")) continue;
    // `file://~/x` is `~/x`
    yield piece.replace(/^\/+(?=~)/, "");
  }
}
