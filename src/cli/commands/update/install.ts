/**
 * Replacing the installed executable: the new one is tried before it takes the place, the old
 * one stays beside it for the way back, and at no moment is there no program.
 */
import { helperEnvironment } from "../../../process/child_environment.ts";
import { runProgram } from "../../../process/run_program.ts";
import { HermesError } from "../../../protocol/error.ts";
import { writeFileAtomic } from "../../../util/atomic_write.ts";
import { randomId } from "../../../util/id.ts";
import { reasonOf } from "../../../util/reason.ts";
import { ownEnvironment } from "../../own_environment.ts";

/** The first start unpacks the program. */
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
  const candidate = newNameOf(path);
  try {
    await writeFileAtomic(candidate, next.bytes, { mode: 0o755 });
    const version = await versionOf(candidate);
    if (version !== `hermes ${next.version}`) {
      throw doesNotStart(`it calls itself "${version.slice(0, 80)}"`);
    }
    await copyExecutable(path, backupOf(path));
    await Deno.rename(candidate, path);
  } catch (error) {
    // There is no candidate when writing it was what failed.
    await Deno.remove(candidate).catch(() => {});
    throw error instanceof HermesError ? error : notWritable(path, error);
  }
}

/**
 * Exchanges the executable and the one of before.
 * @throws {HermesError} when there is none, or none that starts.
 */
export async function rollBack(path: string): Promise<void> {
  const backup = backupOf(path);
  const current = newNameOf(path);
  try {
    await Deno.stat(backup);
    if (!/^hermes \d/.test(await versionOf(backup))) throw doesNotStart("it is no hermes");
    await copyExecutable(path, current);
    await Deno.rename(backup, path);
    await Deno.rename(current, backup);
  } catch (error) {
    await Deno.remove(current).catch(() => {}); // exists only when a later step failed
    if (error instanceof HermesError) throw error;
    if (error instanceof Deno.errors.NotFound) {
      throw new HermesError(`there is no earlier version to go back to: ${backup} does not exist`);
    }
    throw notWritable(path, error);
  }
}

/** A name beside the executable that no other update uses. */
function newNameOf(path: string): string {
  return `${path}.${randomId(8)}.new`;
}

/** Copied, not renamed: a start in this very moment finds the old program. Whole, or not there. */
async function copyExecutable(from: string, to: string): Promise<void> {
  await writeFileAtomic(to, await Deno.readFile(from), { mode: 0o755 });
}

/** What a program says to `--version`. @throws {HermesError} when it does not start. */
async function versionOf(path: string): Promise<string> {
  const env = helperEnvironment(ownEnvironment());
  // Not where another user may have put files that the new program reads.
  const starting = runProgram([path, "--version"], { env, cwd: "/", timeoutMs: START_MS });
  const { code, stdout, stderr } = await starting.catch((error) => {
    throw doesNotStart(reasonOf(error));
  });
  const said = stdout.trim();
  if (code === 0) return said;
  throw doesNotStart(stderr.trim().split("\n")[0] || said || `code ${code}`);
}

function doesNotStart(reason: string): HermesError {
  return new HermesError(`the other version does not start here: ${reason}`, {
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
