/**
 * Replacing the installed executable: the new one is tried before it takes the place, the old
 * one stays beside it for the way back, and at no moment is there no program.
 */
import { helperEnvironment } from "../../process/child_environment.ts";
import { runProgram } from "../../process/run_program.ts";
import { HermesError } from "../../protocol/error.ts";
import { writeFileAtomic } from "../../util/atomic_write.ts";
import { reasonOf } from "../../util/reason.ts";
import { ownEnvironment } from "../own_environment.ts";

/** A portable executable unpacks itself first. */
const START_MS = 60_000;

/** Where the executable of before the last update is kept. */
export function backupOf(path: string): string {
  return `${path}.old`;
}

/**
 * Puts `bytes` in the place of `path`.
 * @throws {HermesError} when the directory cannot be written or the new program does not start.
 */
export async function replaceExecutable(
  path: string,
  next: { bytes: Uint8Array; version: string },
): Promise<void> {
  const candidate = `${path}.new`;
  try {
    await writeFileAtomic(candidate, next.bytes, { mode: 0o755 });
    await assertStarts(candidate, next.version);
    // Copied, not renamed: a start in this very moment still finds the old program.
    await Deno.copyFile(path, backupOf(path));
    await Deno.rename(candidate, path);
  } catch (error) {
    // There is no candidate when writing it was what failed.
    await Deno.remove(candidate).catch(() => {});
    throw error instanceof HermesError ? error : notWritable(path, error);
  }
}

/** Exchanges the executable and the one of before. @throws {HermesError} when there is none. */
export async function rollBack(path: string): Promise<void> {
  const backup = backupOf(path);
  const current = `${path}.new`;
  try {
    await Deno.copyFile(path, current);
    await Deno.rename(backup, path);
    await Deno.rename(current, backup);
  } catch (error) {
    await Deno.remove(current).catch(() => {}); // exists only when a later step failed
    if (error instanceof Deno.errors.NotFound) {
      throw new HermesError(`there is no earlier version to go back to: ${backup} does not exist`);
    }
    throw notWritable(path, error);
  }
}

async function assertStarts(path: string, version: string): Promise<void> {
  const { code, stdout, stderr } = await runProgram([path, "--version"], {
    env: helperEnvironment(ownEnvironment()),
    timeoutMs: START_MS,
  });
  const said = stdout.trim();
  if (code === 0 && said === `hermes ${version}`) return;
  const reason = stderr.trim().split("\n")[0] || said || `code ${code}`;
  throw new HermesError(`the new version does not start here: ${reason}`, {
    hint: "Nothing was changed.",
  });
}

function notWritable(path: string, cause: unknown): HermesError {
  const reason = reasonOf(cause);
  return new HermesError(`cannot replace ${path}: ${reason}`, {
    hint: "Nothing was changed. Update as the user who installed it, or install again.",
    cause,
  });
}
