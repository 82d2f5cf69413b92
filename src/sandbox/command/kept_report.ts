/** What happened to kept files, and how it is told: one line for the model, one for the person. */
import type { ProtectedKind } from "../../util/protected_paths_data.ts";
import { shellQuote } from "../../util/shell_quote.ts";

/** A kept file that a command changed, and what became of it. */
export interface PutBack {
  /** Absolute. */
  path: string;
  /** Relative to the workspace. */
  shown: string;
  kind: ProtectedKind;
  /** What the command did; `unknown` when a session was killed before it could compare. */
  change: "created" | "changed" | "deleted" | "replaced" | "mode" | "unknown";
  /** `mended`: only the settings in `keys` were taken out. `left`: see `reason`. */
  outcome: "restored" | "removed" | "mended" | "left";
  /** The commit that is checked out has the command's version: git shows the file as changed. */
  isCommitted?: boolean;
  /** Git settings that a command may not change. */
  keys?: string[];
  /** Where the command's version lies; for `unknown`, the version before. */
  copy?: string;
  /** Why it could not be put back. */
  reason?: string;
}

/** Names that fit into one line. */
const SHOWN_MAX = 5;

const OUTCOMES: Readonly<Record<PutBack["change"], string>> = {
  created: "new, removed",
  changed: "old content restored",
  deleted: "restored",
  replaced: "restored",
  mode: "mode restored",
  unknown: "changed",
};

/** One line for the model: what was undone, and how to get it done. Empty when nothing was. */
export function describeForModel(changes: readonly PutBack[]): string {
  const undone = changes.filter(({ outcome }) => outcome !== "left");
  const left = changes.filter(({ outcome, change }) => outcome === "left" && change !== "unknown");
  const lines: string[] = [];
  if (undone.length > 0) {
    lines.push(
      `hermes put back ${listed(undone)}: commands may not change what git, editors, build ` +
        "servers or agents run or follow. Ask the user, or use a file tool, which asks.",
    );
    const restore = restoreCommand(undone);
    if (restore !== undefined) {
      lines.push(`git shows them as changed; leave that, the user can take them: ${restore}`);
    }
  }
  if (left.length > 0) {
    lines.push(`hermes noticed and could not put back ${listed(left)}: tell the user.`);
  }
  return lines.join(" ");
}

/** One line for the person, with where the other versions are. */
export function describeForPerson(changes: readonly PutBack[]): string {
  const undone = changes.filter(({ outcome }) => outcome !== "left");
  const unknown = changes.filter(({ change }) => change === "unknown");
  const left = changes.filter((one) => one.outcome === "left" && one.change !== "unknown");
  const parts: string[] = [];
  if (undone.length > 0) {
    parts.push(`A command changed protected files; put back: ${listed(undone)}.`);
    const restore = restoreCommand(undone);
    if (restore !== undefined) {
      parts.push(
        `The checked-out commit has other versions; if you want those, run yourself: ${restore}.`,
      );
    }
  }
  if (left.length > 0) {
    const reason = left[0]!.reason ?? "";
    parts.push(`A command changed protected files that stay changed: ${listed(left)} (${reason}).`);
  }
  if (unknown.length > 0) {
    parts.push(
      `A session was killed here. Changed since: ${
        listed(unknown)
      }. If that was not you, look at it.`,
    );
  }
  const copies = changes.flatMap(({ copy }) => copy === undefined ? [] : [printable(copy)]);
  if (copies.length > 0) {
    const more = copies.length > 1 ? ` and ${copies.length - 1} more` : "";
    parts.push(
      `${unknown.length > 0 ? "Other version" : "The command's version"}: ${copies[0]}${more}.`,
    );
  }
  return parts.join(" ");
}

/** What a person runs to get the versions of the commit that is checked out. */
function restoreCommand(changes: readonly PutBack[]): string | undefined {
  const paths = changes.filter(({ isCommitted }) => isCommitted === true);
  if (paths.length === 0) return undefined;
  const names = paths.slice(0, SHOWN_MAX).map(({ shown }) => shellQuote(printable(shown)));
  return `git checkout -- ${names.join(" ")}${paths.length > SHOWN_MAX ? " …" : ""}`;
}

function listed(changes: readonly PutBack[]): string {
  const names = changes.slice(0, SHOWN_MAX).map((one) => {
    if (one.outcome === "left") return printable(one.shown);
    const what = one.keys === undefined
      ? OUTCOMES[one.change]
      : `without ${printable(one.keys.slice(0, SHOWN_MAX).join(", "))}`;
    return `${printable(one.shown)} (${what})`;
  });
  const more = changes.length - names.length;
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Names are text of others: no control characters, and not without end. */
function printable(text: string): string {
  const clean = text.replaceAll(/\p{C}/gu, "?");
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean;
}
