/**
 * The groups of test files and what each may do. A group is one process of the runner, because
 * Deno's permissions belong to a process. Which file is in which group: `test_groups_data.ts`.
 */
import { ROOT } from "./_tree.ts";
import { NEEDS_ALL, STARTS_PROGRAMS } from "./test_groups_data.ts";

export type GroupName = "plain" | "programs" | "system";

/** In the order in which they run. */
export const GROUPS: readonly GroupName[] = ["plain", "programs", "system"];

export interface TestGroup {
  name: GroupName;
  /** Relative to the root; the slow ones first. */
  files: string[];
}

/** No test speaks to another machine. */
const LOOPBACK = "127.0.0.1,[::1],localhost";

/** The group of a test file. */
export function groupOf(path: string): GroupName {
  const isIn = (places: readonly string[]) =>
    places.some((place) => path === place || (place.endsWith("/") && path.startsWith(place)));
  if (isIn(NEEDS_ALL)) return "system";
  return isIn(STARTS_PROGRAMS) ? "programs" : "plain";
}

/** The files by group, without empty groups. */
export function groupFiles(files: readonly string[]): TestGroup[] {
  return GROUPS
    .map((name) => ({ name, files: files.filter((path) => groupOf(path) === name) }))
    .filter((group) => group.files.length > 0);
}

/** The permissions of a group, as flags of `deno test`; `temp` is the run's own directory. */
export function permissionFlags(group: GroupName, temp: string): string[] {
  if (group === "system") return ["-A"];
  const common = [
    "--no-prompt",
    "--deny-import",
    "--allow-env",
    `--allow-net=${LOOPBACK}`,
  ];
  return group === "plain"
    ? [
      ...common,
      `--allow-read=${ROOT},${temp}`,
      `--allow-write=${temp}`,
      "--allow-sys=uid,gid,osRelease,hostname",
    ]
    : [
      ...common,
      "--allow-read",
      "--allow-write",
      "--allow-sys",
      "--allow-run",
      "--allow-ffi",
    ];
}
