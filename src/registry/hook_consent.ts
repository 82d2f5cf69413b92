/**
 * Which configured commands a person has agreed to run as hooks: a small file in the home.
 * A changed command is a new command.
 */
import { HermesError } from "../protocol/error.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";

export interface HookApproval {
  event: string;
  command: string;
}

export const HOOK_CONSENT_FILE = "shell-hooks-allowlist.json";

/**
 * Reads the approvals; none when there is no file.
 * @throws {HermesError} when the file is damaged.
 */
export async function readApprovals(file: string): Promise<HookApproval[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  try {
    const { approvals } = JSON.parse(text) as { approvals: HookApproval[] };
    return approvals.map(({ event, command }) => {
      if (typeof event !== "string" || typeof command !== "string") throw new TypeError();
      return { event, command };
    });
  } catch (cause) {
    throw new HermesError(`${file} is damaged`, {
      hint: "Delete it and approve your hooks again: hermes hooks approve",
      cause,
    });
  }
}

export function isApproved(approvals: readonly HookApproval[], hook: HookApproval): boolean {
  return approvals.some(({ event, command }) => event === hook.event && command === hook.command);
}

/** Adds approvals; returns those that are new. */
export async function approveHooks(
  file: string,
  hooks: readonly HookApproval[],
): Promise<HookApproval[]> {
  const known = await readApprovals(file);
  const added = hooks.filter((hook) => !isApproved(known, hook))
    .map(({ event, command }) => ({ event, command }));
  if (added.length > 0) await write(file, [...known, ...added]);
  return added;
}

/** Takes every approval of a command back; returns those. */
export async function revokeHooks(file: string, command: string): Promise<HookApproval[]> {
  const known = await readApprovals(file);
  const removed = known.filter((approval) => approval.command === command);
  if (removed.length > 0) await write(file, known.filter((other) => other.command !== command));
  return removed;
}

async function write(file: string, approvals: readonly HookApproval[]): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify({ approvals }, null, 2)}\n`);
}
