/**
 * What the shared list of protected files means to a file tool: what is refused, what needs a
 * yes. Pure rules over absolute paths; callers pass every name that a file has.
 */
import type { ApprovalRequest } from "../src/protocol/approval.ts";
import { isWithin } from "../src/util/path.ts";
import {
  type PathVerdict,
  type ProtectedPlaces,
  protectionOf,
} from "../src/util/protected_paths.ts";
import {
  DEVICE_FILES,
  PROCESS_SECRETS,
  type ProtectedKind,
} from "../src/util/protected_paths_data.ts";

/** One name of a file, and what the list says about it. */
export interface JudgedName {
  path: string;
  verdict: PathVerdict;
}

/** True for paths whose content never ends, blocks, or shows a process's memory and environment. */
export function isDevicePath(path: string): boolean {
  return DEVICE_FILES.test(path) || PROCESS_SECRETS.test(path);
}

/** The name that is protected most, for reading or for writing; undefined for an ordinary file. */
export function strictest(
  names: readonly string[],
  use: "read" | "write",
  places: ProtectedPlaces,
): JudgedName | undefined {
  const judged = names.map((path) => ({ path, verdict: protectionOf(path, places) }))
    .filter((name): name is JudgedName => name.verdict !== undefined);
  return judged.find(({ verdict }) => verdict[use] === "refuse") ??
    judged.find(({ verdict }) => verdict[use] === "ask");
}

/** True when the content must not be found by a search: keys, and what is read only after a yes. */
export function isHidden(path: string, places: ProtectedPlaces): boolean {
  return isDevicePath(path) || strictest([path], "read", places) !== undefined;
}

const REFUSALS: Partial<Record<ProtectedKind, string>> = {
  "trusted base": "belongs to hermes, which alone changes it; the user can with `hermes config`.",
  credentials: "holds credentials or access rules; ask the user to change it.",
  system: "is a system file; ask the user to change it.",
};

/** Why a file with these names may not be written at all, or undefined. */
export function writeRefusal(
  names: readonly string[],
  options: { places: ProtectedPlaces; safeRoots: readonly string[] },
): string | undefined {
  const { places, safeRoots } = options;
  for (const path of names) {
    if (isDevicePath(path) || /^\/(?:proc|sys)(?:\/|$)/.test(path)) {
      return `${path} is a device or process file.`;
    }
    if (safeRoots.length > 0 && !safeRoots.some((root) => isWithin(path, root))) {
      return `${path} is outside the directories that may be written (${safeRoots.join(", ")}).`;
    }
  }
  const found = strictest(names, "write", places);
  if (found?.verdict.write !== "refuse") return undefined;
  return `${found.path} ${REFUSALS[found.verdict.kind] ?? found.verdict.description}`;
}

/** The rule and reason when a write needs a person's yes, or undefined. */
export function writeApproval(
  names: readonly string[],
  places: ProtectedPlaces,
): Omit<ApprovalRequest, "tool" | "subject"> & { path: string } | undefined {
  const found = strictest(names, "write", places);
  if (found?.verdict.write !== "ask") return undefined;
  const { rule, description, kind } = found.verdict;
  const asked = { path: found.path, rule, description };
  // How ssh connects is changed often and runs nothing by itself; a yes to the others is for one file.
  return kind === "ssh config"
    ? { ...asked, allowAlways: true }
    : { ...asked, allowAlways: false, onceOnly: true };
}
