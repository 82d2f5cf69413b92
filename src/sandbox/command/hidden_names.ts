/**
 * What is closed by its name wherever it is: keys, secrets of the system, private directories of
 * other sessions, sockets in temporary directories. Pure.
 */
import { ANYWHERE_ROWS, SYSTEM_SECRETS } from "../../util/protected_paths_data.ts";
import { SOCKET_NAMES } from "./policy_data.ts";

const NAMED = ANYWHERE_ROWS.filter(({ kind }) => kind === "trusted base" || kind === "credentials")
  .map(({ pattern }) => pattern);

/** True for a path that no grant of what holds it may open. */
export function isHiddenName(path: string): boolean {
  const full = path.toLowerCase();
  return SYSTEM_SECRETS.test(full) || SOCKET_NAMES.test(full) ||
    NAMED.some((pattern) => pattern.test(full));
}
