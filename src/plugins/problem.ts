/** Why a plugin cannot be used, in one line for people. */
import { HermesError } from "../protocol/error.ts";

/** Expected: a broken plugin is reported and skipped, nothing else suffers. */
export class PluginProblem extends HermesError {
  override name = "PluginProblem";
}

// deno-lint-ignore no-control-regex -- the runtime colours some of its messages
const COLOR = /\x1b\[[0-9;]*m/g;
/** Prepared modules by the names their author knows. */
const PREPARED = /file:\/\/\S*?\/modules\/(\S+?)(\.js)?(?=[:\s"')]|$)/g;

/** The message of whatever was thrown, on one line, in the author's file names. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(COLOR, "").replaceAll(PREPARED, "$1").replaceAll(/\s*\n\s*/g, " ")
    .slice(0, 500);
}
