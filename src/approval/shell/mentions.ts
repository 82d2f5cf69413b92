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
import { pathsIn } from "./words.ts";

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
