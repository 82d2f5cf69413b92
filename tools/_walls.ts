/**
 * The walls around commands, for file tools: the same places are closed to them. Only where
 * the session works on this machine; elsewhere the container or the other host is the wall.
 */
import type { SandboxPolicy } from "../src/protocol/sandbox.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { placeOf } from "../src/sandbox/command/place_of.ts";

/** The policy of the session, or undefined where no walls stand. */
export async function wallsOf(ctx: ToolContext): Promise<SandboxPolicy | undefined> {
  return await ctx.services.sandboxPolicy?.();
}

/** Why a file with these names is not read, or undefined. */
export function readingRefusal(
  policy: SandboxPolicy,
  names: readonly string[],
): string | undefined {
  const path = names.find((name) => placeOf(policy, name) === "hidden");
  if (path === undefined) return undefined;
  return `${path} is hidden by the sandbox (${policy.mode}); ask the user for what you need of it.`;
}

/** Why a file with these names is never written behind these walls, or undefined. */
export function writingRefusal(
  policy: SandboxPolicy,
  { real, names }: { real: string; names: readonly string[] },
): string | undefined {
  const hidden = readingRefusal(policy, names);
  if (hidden !== undefined) return hidden;
  if (policy.mode === "read-only" && placeOf(policy, real) !== "write") {
    return `${real}: the sandbox is read-only and nothing is changed. ` +
      "It would take --sandbox workspace-write.";
  }
  return undefined;
}

/** Why a file is written only after a person's yes, or undefined. */
export function outsideReason(policy: SandboxPolicy, real: string): string | undefined {
  if (placeOf(policy, real) === "write") return undefined;
  return `${real} is outside what the sandbox (${policy.mode}) lets you change: ` +
    `${policy.workspace.join(", ") || "nothing"}. ` +
    "It would take terminal.sandbox_writable with this place, or --sandbox off.";
}
