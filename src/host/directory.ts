/** The directory a session begins in. */
import type { Settings } from "../config/load.ts";
import { UsageError } from "../protocol/error.ts";
import { resolvePath } from "../util/path.ts";

export interface DirectoryFacts {
  /** What the spec names. */
  given?: string;
  /** Where the host was started. */
  base: string;
  userHome?: string;
}

/**
 * `terminal.cwd` moves a local session; elsewhere the path belongs to the other machine.
 * @throws {UsageError} when commands could not run there.
 */
export function firstDirectory(settings: Settings, facts: DirectoryFacts): string {
  const { given, base, userHome = "~" } = facts;
  if (given !== undefined) return given;
  const { backend, cwd } = settings.config.terminal;
  if (backend !== "local") return base;
  const directory = resolvePath(base, cwd.replace(/^~(?=$|\/)/, userHome));
  checkDirectory(directory, "terminal.cwd");
  return directory;
}

/** @throws {UsageError} when commands could not run in `directory`, which `setting` names. */
export function checkDirectory(directory: string, setting: string): void {
  try {
    if (!Deno.statSync(directory).isDirectory) throw new Deno.errors.NotFound();
  } catch {
    // A missing directory and a file are the same mistake.
    throw new UsageError(`${setting} is not a directory: ${directory}`);
  }
  try {
    // Looking at `.` inside takes the same permission as entering.
    Deno.statSync(`${directory}/.`);
  } catch {
    throw new UsageError(`${setting} cannot be entered: ${directory}`, {
      hint: "You need the permission to execute on it.",
    });
  }
}
