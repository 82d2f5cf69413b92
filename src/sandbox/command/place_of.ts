/** What a policy says about one path, for whoever is not the kernel: file tools, explanations. Pure. */
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { isHiddenName } from "./hidden_names.ts";

export type PlaceAccess = "hidden" | "read" | "write";

const tables = new WeakMap<SandboxPolicy, ReadonlyMap<string, PlaceAccess>>();

/** How commands may use an absolute real path: the deepest place that holds it decides. */
export function placeOf(policy: SandboxPolicy, path: string): PlaceAccess {
  const places = tables.get(policy) ?? tableOf(policy);
  let access = places.get(path);
  for (let end = path.length; access === undefined && end > 0;) {
    end = path.lastIndexOf("/", end - 1);
    access = places.get(path.slice(0, Math.max(end, 1)));
  }
  return access === "hidden" || access === "write"
    ? access
    : isHiddenName(path)
    ? "hidden"
    : "read";
}

function tableOf(policy: SandboxPolicy): ReadonlyMap<string, PlaceAccess> {
  const { hidden, workspace, writable, readable } = policy;
  const work: PlaceAccess = policy.mode === "read-only" ? "read" : "write";
  // Later ones win: a place that is both is what is least.
  const table = new Map<string, PlaceAccess>([
    ...readable.map((path) => [path, "read"] as const),
    ...workspace.map((path) => [path, work] as const),
    ...writable.map((path) => [path, "write"] as const),
    ...hidden.map((path) => [path, "hidden"] as const),
  ]);
  tables.set(policy, table);
  return table;
}
