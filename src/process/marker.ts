/**
 * The variable that marks what hermes has started, so that processes which left their group and
 * lost their parent are still found: by this hermes, by its watcher, and by the next hermes.
 */
import { randomId } from "../util/id.ts";

/** The variable that carries the marker. */
export const MARKER_VARIABLE = "HERMES_EXEC";

/** Begins every marker of this process; made when it is first needed. */
let prefix: string | undefined;

/** Begins every marker of this process. */
export function markerPrefix(): string {
  return prefix ??= randomId(16);
}

/** A new name under which one user of this folder marks its processes, as `NAME.1`, `NAME.2`, … */
export function newMarkerName(): string {
  return markerPrefix() + randomId(8);
}
