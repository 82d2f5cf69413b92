/** What a command does to protected files, worked out once for each command. */
import type { PathVerdict } from "../../util/protected_paths.ts";
import type { ProtectedKind } from "../../util/protected_paths_data.ts";
import { touchesOf } from "./effects.ts";
import { mentionedInFiles } from "../shell/file_mentions.ts";
import { hasGlob } from "../shell/shell_glob.ts";
import type { Invocation } from "../shell/invocation.ts";
import type { Touch } from "../shell/mentions.ts";
import { protectedBelow, protectedThrough } from "./protected_below.ts";
import { protectionAt } from "./protection.ts";

export interface ProtectedTouch extends Touch {
  verdict: PathVerdict;
}

const known = new WeakMap<Invocation, readonly ProtectedTouch[]>();

/** The protected files a command names, with what happens to each. */
export function protectedTouches(command: Invocation): readonly ProtectedTouch[] {
  let touches = known.get(command);
  if (touches === undefined) {
    const verdicts = new Map<string, PathVerdict | undefined>([["", undefined]]);
    touches = [...touchesOf(command), ...mentionedInFiles(command)].flatMap((touch) => {
      // Deleting or moving a link leaves what it leads to.
      const keepsLink = touch.effect === "delete";
      const key = keepsLink ? `${touch.path}\0` : touch.path;
      if (!verdicts.has(key)) {
        verdicts.set(key, protectionAt(touch.path, command.place, { keepsLink }));
      }
      return [verdicts.get(key), ...unnamed(touch, command)].flatMap((verdict) =>
        verdict === undefined ? [] : [{ ...touch, verdict }]
      );
    });
    known.set(command, touches);
  }
  return touches;
}

/** What a change may reach without naming it: below a directory, or through a pattern. */
function unnamed({ effect, path, below }: Touch, { place }: Invocation) {
  if (path === "" || !CHANGES.has(effect)) return [];
  return [
    below === true ? protectedBelow(path, place) : undefined,
    hasGlob(path) ? protectedThrough(path, place) : undefined,
  ];
}

const CHANGES = new Set(["write", "append", "delete", "mode", "create"]);
const WRITES = new Set(["write", "append", "delete"]);
/** Places in which even an empty file or another owner matters. */
const STRICT = new Set<ProtectedKind>(["trusted base", "system"]);

/** Whether a protected file of one of the kinds is changed. */
export function changes(command: Invocation, ...kinds: ProtectedKind[]): boolean {
  return protectedTouches(command).some(({ effect, verdict: { kind } }) =>
    kinds.includes(kind) &&
    (WRITES.has(effect) || (STRICT.has(kind) && (effect === "create" || effect === "mode")))
  );
}

/** Programs that show what they read and write nowhere else. */
const READERS =
  /^(?:cat|bat|less|more|head|tail|nl|tac|wc|grep|egrep|fgrep|zgrep|rg|ag|ack|diff|cmp|comm|sort|uniq|cut|tr|awk|sed|gsed|jq|yq|xxd|od|hexdump|strings|base64|md5sum|sha\d+sum|cksum|file|fold|column|paste|join|rev|cp|scp|rsync|tar|zip|git|find|fd|sqlite3|source|\.|bash|sh|zsh|python3?|node|deno|test|xargs|)$/;

/** Whether a program that is unknown is told of a protected file: it may as well write there. */
export function mayChange(command: Invocation, ...kinds: ProtectedKind[]): boolean {
  return !READERS.test(command.program) && reads(command, ...kinds);
}

/** Whether what a protected file of one of the kinds contains may be seen. */
export function reads(command: Invocation, ...kinds: ProtectedKind[]): boolean {
  return protectedTouches(command).some(({ effect, verdict: { kind } }) =>
    effect === "read" && kinds.includes(kind)
  );
}

/** Whether the permissions of a protected file of one of the kinds are changed. */
export function changesMode(command: Invocation, ...kinds: ProtectedKind[]): boolean {
  return protectedTouches(command).some(({ effect, verdict: { kind } }) =>
    effect === "mode" && kinds.includes(kind)
  );
}
