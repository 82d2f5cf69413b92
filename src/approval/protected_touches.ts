/** What a command does to protected files, worked out once for each command. */
import type { PathVerdict } from "../util/protected_paths.ts";
import type { ProtectedKind } from "../util/protected_paths_data.ts";
import { touchesOf } from "./effects.ts";
import type { Invocation } from "./invocation.ts";
import type { Touch } from "./mentions.ts";
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
    touches = touchesOf(command).flatMap((touch) => {
      if (!verdicts.has(touch.path)) {
        verdicts.set(touch.path, protectionAt(touch.path, command.place));
      }
      const verdict = verdicts.get(touch.path);
      return verdict === undefined ? [] : [{ ...touch, verdict }];
    });
    known.set(command, touches);
  }
  return touches;
}

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

/** Whether a program that nobody knows is told of a protected file: it may as well write there. */
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
