/** What a policy says about one path, for whoever is not the kernel: file tools, explanations. Pure. */
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { isWithin } from "../../util/path.ts";
import { isHiddenName } from "./hidden_names.ts";

export type PlaceAccess = "hidden" | "read" | "write";

/** How commands may use an absolute real path: the deepest place that holds it decides. */
export function placeOf(policy: SandboxPolicy, path: string): PlaceAccess {
  let access: PlaceAccess = "read";
  let depth = -1;
  const places: [PlaceAccess, readonly string[]][] = [
    ["hidden", policy.hidden],
    ["write", policy.writable],
    [policy.mode === "read-only" ? "read" : "write", policy.workspace],
    ["read", policy.readable],
  ];
  for (const [kind, roots] of places) {
    for (const root of roots) {
      if (root.length <= depth || !isWithin(path, root)) continue;
      [access, depth] = [kind, root.length];
    }
  }
  return access === "read" && isHiddenName(path) ? "hidden" : access;
}
