/**
 * Where a session's private directory may lie: its scripts, states and stand-ins for hidden places
 * must not be for commands to move or replace, so nowhere in what they change.
 */
import { HostDisk } from "../sandbox/command/disk.ts";
import { isWithin } from "../util/path.ts";
import { sessionPolicy, type WallFacts } from "./walls.ts";

const OTHERS: readonly string[] = ["/tmp", "/var/tmp"];

/** `preferred`, or else a temporary directory of the system that commands may not change. */
export function privateParent(preferred: string, facts: WallFacts): string {
  const { terminal } = facts.settings.config;
  // Never the work, nor in it: a policy takes longer to make than this look.
  const isUsual = preferred === OTHERS[0] && terminal.sandbox_writable.length === 0 &&
    (facts.grants ?? []).length === 0;
  if (isUsual) return preferred;
  const policy = sessionPolicy(facts);
  if (policy === undefined) return preferred;
  const disk = new HostDisk();
  // A directory that is not there cannot be used, and the person who named it is told.
  if (disk.kind(preferred) === undefined) return preferred;
  const changeable = [...policy.workspace, ...policy.writable];
  const isKept = (path: string) => {
    const real = disk.real(path);
    return disk.kind(real) === "directory" &&
      !changeable.some((place) => isWithin(real, place));
  };
  // Where a person has opened them all, that is how they want it.
  return [preferred, ...OTHERS].find(isKept) ?? preferred;
}
