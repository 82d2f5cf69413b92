/** What commands may reach, from the words of a flag or a setting. Resolves no name. */
import { UsageError } from "../../protocol/error.ts";
import type { NetworkAccess, SandboxMode } from "../../protocol/sandbox.ts";
import { parseHostList } from "./host_list.ts";

/**
 * `on`, `off`, `loopback`, or hosts with commas between; empty is the default of the mode.
 * `name` is what the person wrote it behind.
 * @throws {UsageError} that names the wrong part.
 */
export function readNetwork(
  text: string,
  { mode, name = "--network" }: { mode: SandboxMode; name?: string },
): NetworkAccess {
  const word = text.trim().toLowerCase();
  if (word === "") return mode === "read-only" ? "off" : "on";
  if (word === "on" || word === "off" || word === "loopback") return word;
  try {
    return { hosts: parseHostList(text).map((rule) => rule.text) };
  } catch (error) {
    if (!(error instanceof UsageError) || name === "--network") throw error;
    throw new UsageError(
      error.message.replace(/^--network/, name),
      error.hint === undefined ? {} : { hint: error.hint },
    );
  }
}
