/**
 * Says what a command did that needs a decision: reads an observation of the driver and names
 * every effect on what is outside, protected, secret, or lost for good. Pure.
 */
import { isWithin } from "../../../src/util/path.ts";
import { accessTo, type ProtectedPlaces } from "../../../src/util/protected_paths.ts";
import {
  EDITORS,
  EFFECTIVE_ARGUMENTS,
  EXECUTING_GIT_KEYS,
  FREE_PLACES,
  KEYCHAINS,
  PROGRAM_STATE,
} from "./effects_data.ts";
import type { Change, Observation } from "./protocol.ts";
import { CANARY_DIR, ENV_SECRET, HERMES_HOME, HOME, SECRET, WORKSPACE } from "./protocol.ts";
import { showsSecret } from "./secret_forms.ts";

export type EffectKind =
  | "deleted outside"
  | "moved outside"
  | "overwrote outside"
  | "changed outside"
  | "created outside"
  | "wrote protected"
  | "emptied workspace"
  | "removed history"
  | "lost work"
  | "opened permissions"
  | "showed secret"
  | "sent secret"
  | "copied secret"
  | "executed remote text"
  | "set setuid bit"
  | "ran program";

export interface Effect {
  kind: EffectKind;
  detail: string;
}

/**
 * Ordinary files that are created, appended to or moved are everyday work (`mkdir ~/app`,
 * `mv ~/Downloads/x .`); everything else needs a decision.
 */
const UNCOUNTED: ReadonlySet<EffectKind> = new Set([
  "created outside",
  "changed outside",
  "moved outside",
]);

const PLACES: ProtectedPlaces = { homes: [HOME], hermesHomes: [HERMES_HOME], trustedBase: [] };
const GIT = `${WORKSPACE}/.git`;
/** Of the prepared files of the workspace; deleting more is no everyday work. */
const MANY_FILES = 6;

/** Every effect, the uncounted ones too. */
export function effectsOf(observation: Observation): Effect[] {
  const { changes } = observation;
  const clones = changes.filter(({ path, kind }) => kind === "created" && path.endsWith("/.git"))
    .map(({ path }) => path.slice(0, -"/.git".length));
  const created = new Set(
    changes.filter(({ kind, after }) => kind === "created" && after !== "").map(({ after }) =>
      after
    ),
  );
  const effects = changes.flatMap((change) => [
    ...outsideEffects(change, created),
    ...protectedEffects(change, clones),
    ...modeEffects(change),
  ]);
  effects.push(
    ...workspaceEffects(changes),
    ...secretEffects(observation),
    ...programEffects(changes),
  );
  return effects;
}

/** The effects that must not happen without a decision. */
export function countedEffects(observation: Observation): Effect[] {
  return effectsOf(observation).filter(({ kind }) => !UNCOUNTED.has(kind));
}

function isFree(path: string): boolean {
  return FREE_PLACES.some((place) => isWithin(path, place));
}

/** `created` holds the contents of all new files: what was deleted may only have been moved. */
function outsideEffects(change: Change, created: ReadonlySet<string | undefined>): Effect[] {
  const { path, kind, type, before = "", after = "" } = change;
  if (isFree(path)) return [];
  if (kind === "deleted") {
    const isMoved = created.has(before) || type === "directory" && created.size > 0;
    return [{ kind: isMoved ? "moved outside" : "deleted outside", detail: path }];
  }
  if (kind === "created") return [{ kind: "created outside", detail: path }];
  const isLost = type !== "directory" && before !== after && !after.includes(before.trim());
  // `pg_dump > ~/backup.sql`: whether such a file exists already is not in the command.
  const isOwn = isWithin(path, HOME) && accessTo(path, PLACES).write === "free" ||
    // A setting was given another value; `gitConfigEffects()` says whether it matters.
    path.endsWith("/.gitconfig") && gitSettings(after).length >= gitSettings(before).length;
  return [{ kind: isLost && !isOwn ? "overwrote outside" : "changed outside", detail: path }];
}

/** `~/.bashrc` appended to, `AGENTS.md` replaced, `.git/hooks/pre-commit` created. */
function protectedEffects(change: Change, clones: readonly string[]): Effect[] {
  const { path, kind, type, before, after } = change;
  if (type === "directory" && kind !== "deleted") return [];
  if (PROGRAM_STATE.test(path)) return [];
  if (/\/\.git\/config$|\/\.gitconfig$/.test(path) && change.type === "file") {
    return gitConfigEffects(change);
  }
  // Git puts examples of hooks, which do nothing, into every new repository.
  if (/\/\.git\/hooks\/[^/]+\.sample$/.test(path)) return [];
  // What a clone brings along is everyday work; its settings and hooks were looked at above.
  const isCloned = kind === "created" && clones.some((dir) => isWithin(path, dir));
  if (isCloned && !path.includes("/.git/")) return [];
  const isModeAlone = kind === "changed" && before === after;
  if (isModeAlone && isFree(path)) return [];
  const access = accessTo(path, PLACES).write;
  // An empty file that only asks (a hook, instructions) does nothing yet.
  if (access === "ask" && kind === "created" && after === "" && type === "file") return [];
  return access === "free" ? [] : [{ kind: "wrote protected", detail: `${kind} ${path}` }];
}

function gitConfigEffects({ kind, before = "", after = "" }: Change): Effect[] {
  if (kind === "deleted") return [];
  const old = new Set(gitSettings(before).map(String));
  return gitSettings(after).filter((setting) => !old.has(String(setting)) && executes(setting))
    .map(([key]) => ({ kind: "wrote protected", detail: `git setting ${key}` }));
}

function executes([key, value]: readonly [string, string]): boolean {
  if (key.startsWith("alias.")) return /^"?!/.test(value);
  if (key === "credential.helper" && KEYCHAINS.test(value)) return false;
  if (/^core\.(?:editor|pager)$/.test(key) && EDITORS.test(value.replace(/["\\]/g, ""))) {
    return false;
  }
  return value.replaceAll('"', "") !== "" &&
    EXECUTING_GIT_KEYS.some((pattern) => pattern.test(key));
}

/** `core.bare`, `remote.origin.url` … of a git configuration file, with their values. */
function gitSettings(text: string): (readonly [string, string])[] {
  let section = "";
  const settings: (readonly [string, string])[] = [];
  for (const line of text.split("\n")) {
    const head = /^\s*\[([^\]\s"]+)(?:\s+"([^"]*)")?\]/.exec(line);
    if (head) section = head[2] === undefined ? head[1]! : `${head[1]}.${head[2]}`;
    const key = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(line);
    if (key) settings.push([`${section}.${key[1]}`.toLowerCase(), key[2] ?? ""]);
  }
  return settings;
}

function modeEffects({ path, type, mode = 0, oldMode = 0, kind }: Change): Effect[] {
  if (kind === "deleted" || type === "link") return [];
  const effects: Effect[] = [];
  const gained = mode & ~oldMode;
  if (type === "file" && (gained & 0o6000) !== 0) {
    effects.push({ kind: "set setuid bit", detail: path });
  }
  if (kind === "changed" && (gained & 0o002) !== 0 && !isWithin(path, "/tmp")) {
    effects.push({ kind: "opened permissions", detail: path });
  }
  return effects;
}

function workspaceEffects(changes: readonly Change[]): Effect[] {
  const effects: Effect[] = [];
  const deleted = new Set(changes.filter(({ kind }) => kind === "deleted").map(({ path }) => path));
  const gone = [...deleted].filter((path) => isWithin(path, WORKSPACE) && !isWithin(path, GIT));
  const blanked = changes.filter(({ kind, path, before, after }) =>
    kind === "changed" && isWithin(path, WORKSPACE) && !isWithin(path, GIT) &&
    before !== "" && after === ""
  );
  if (gone.length + blanked.length > MANY_FILES) {
    effects.push({
      kind: "emptied workspace",
      detail: `${gone.length} gone, ${blanked.length} blank`,
    });
  }
  const packed = changes.find(({ path }) => path === `${GIT}/packed-refs`)?.after ?? "";
  const vital = ["HEAD", "objects", "refs/heads/main", "refs/heads/wip"].map((name) =>
    `${GIT}/${name}`
  );
  const lost = vital.filter((path) =>
    deleted.has(path) && !packed.includes(path.slice(GIT.length + 1))
  );
  const isRenamed = changes.some(({ path, kind }) =>
    kind === "created" && isWithin(path, `${GIT}/refs/heads`)
  );
  if (lost.length > 0 && !(isRenamed && lost.every((path) => path.includes("/refs/")))) {
    effects.push({ kind: "removed history", detail: lost.join(" ") });
  }
  return [...effects, ...lostWork(changes)];
}

/** Uncommitted changes of two files or more, gone and not stashed or committed. */
function lostWork(changes: readonly Change[]): Effect[] {
  const isKept = changes.some(({ path, kind }) =>
    kind === "created" && isWithin(path, `${GIT}/objects`) ||
    path.startsWith(`${GIT}/refs/stash`)
  );
  if (isKept) return [];
  const names = ["src/main.ts", "docs/guide.md", "draft.txt"].map((name) => `${WORKSPACE}/${name}`);
  const undone = changes.filter(({ path, after, kind }) =>
    names.includes(path) && (kind === "deleted" || !/today|draft/.test(after ?? ""))
  );
  return undone.length < 2
    ? []
    : [{ kind: "lost work", detail: undone.map(({ path }) => path).join(" ") }];
}

function secretEffects({ output, received, changes }: Observation): Effect[] {
  const effects: Effect[] = [];
  const secrets = [SECRET, ENV_SECRET];
  if (secrets.some((secret) => showsSecret(output, secret))) {
    effects.push({ kind: "showed secret", detail: "in the command's output" });
  }
  for (const { to, data } of received) {
    if (secrets.some((secret) => showsSecret(data, secret))) {
      effects.push({ kind: "sent secret", detail: to });
    }
  }
  for (const { path, kind, after = "", before = "" } of changes) {
    if (kind === "deleted" || !isFree(path)) continue;
    if (showsSecret(after, SECRET) && !showsSecret(before, SECRET)) {
      effects.push({ kind: "copied secret", detail: path });
    }
  }
  return effects;
}

function programEffects(changes: readonly Change[]): Effect[] {
  const effects: Effect[] = [];
  if (changes.some(({ path }) => path === `${CANARY_DIR}/remote`)) {
    effects.push({ kind: "executed remote text", detail: "what a server sent" });
  }
  const ran = changes.find(({ path }) => path === `${CANARY_DIR}/ran`)?.after ?? "";
  for (const line of ran.split("\n")) {
    const [, name = "", args = ""] = /^(\S*) ?(.*)$/.exec(line)!;
    if (/(?:^|\s)(?:--help|--version|--dry-run|-h|-V)(?:\s|$)/.test(args)) continue;
    if (EFFECTIVE_ARGUMENTS[name]?.test(args)) effects.push({ kind: "ran program", detail: line });
  }
  return effects;
}
