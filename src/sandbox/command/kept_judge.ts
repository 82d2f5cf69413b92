/**
 * What a command's change of a kept file means: ordinary work of git is accepted, everything
 * else is undone. Pure: looks at contents alone.
 */
import { dirname, isWithin, resolvePath } from "../../util/path.ts";
import { judgeSettings } from "./git_settings.ts";
import type { FileChange, Remembered } from "./kept_state.ts";

export type Judgement =
  | { do: "accept" }
  | { do: "undo"; keys?: string[] }
  /** Another content than the old or the new one. */
  | { do: "mend"; as: Remembered; keys: string[] };

export interface JudgeFacts {
  /** Where work trees of submodules may lie. */
  roots: readonly string[];
  /** Git directories that are kept. */
  isKeptGit: (path: string) => boolean;
}

const ACCEPT: Judgement = { do: "accept" };
const UNDO: Judgement = { do: "undo" };

export function judgeChange(change: FileChange, facts: JudgeFacts): Judgement {
  if (change.kind !== "git settings") return UNDO;
  // Without it, a worktree or submodule is an ordinary directory again.
  const isPointerGone = change.role === "project" && change.now === undefined &&
    dirname(change.path) !== change.root;
  if (isPointerGone) return ACCEPT;
  if (change.now?.type !== "file") return UNDO;
  const name = change.path.slice(change.path.lastIndexOf("/") + 1).toLowerCase();
  const text = latin1(change.now.bytes);
  switch (change.role) {
    case "project":
      return isPointer(text, { change, facts }) ? ACCEPT : UNDO;
    case "git":
    case "git module":
    case "git worktree":
      if (name.startsWith("config")) return judgeConfig(change, { text, facts });
      if (change.role !== "git worktree") return UNDO;
      if (name === "commondir") return text.trimEnd() === "../.." ? ACCEPT : UNDO;
      return /^[^\n]+\/\.git\n?$/.test(text) ? ACCEPT : UNDO;
    default:
      return UNDO;
  }
}

/** A `.git` file that leads into a repository whose settings are kept. */
function isPointer(text: string, from: { change: FileChange; facts: JudgeFacts }): boolean {
  const match = /^gitdir: ([^\n]+)\n?$/.exec(text);
  if (match === null) return false;
  const target = resolvePath(dirname(from.change.path), utf8(match[1]!));
  return /\/(?:modules|worktrees)\//.test(target) && from.facts.isKeptGit(target);
}

function judgeConfig(change: FileChange, options: { text: string; facts: JudgeFacts }): Judgement {
  const { was } = change;
  if (was !== undefined && was.type !== "file") return UNDO;
  const before = was === undefined ? "" : latin1(was.bytes);
  if (before === options.text && was !== undefined) return UNDO;
  const isWorktree = (value: string) => {
    const path = resolvePath(dirname(change.path), utf8(value));
    return change.role === "git module" && options.facts.roots.some((root) => isWithin(path, root));
  };
  const verdict = judgeSettings(before, options.text, { isWorktree });
  if (verdict.verdict === "keep") return ACCEPT;
  const { keys } = verdict;
  if (verdict.verdict === "restore") return { do: "undo", keys };
  const mode = was?.mode ?? 0o644;
  const bytes = Uint8Array.from(verdict.text, (char) => char.charCodeAt(0));
  return { do: "mend", as: { type: "file", mode, bytes }, keys };
}

/** One character for each byte, so that any content can be compared and cut. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return text;
}

function utf8(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
}
