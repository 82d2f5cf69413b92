/**
 * Checks that the requested walls can be what they say, before a model is asked.
 * Loaded only where a flag, a spec or the settings say something about them.
 */
import type { Settings } from "../config/load.ts";
import { UsageError } from "../protocol/error.ts";
import type { SessionSpec } from "../protocol/session_spec.ts";
import { readNetwork } from "../sandbox/command/network_words.ts";

/** @throws {UsageError} when the words mean nothing, or nothing would hold what they say. */
export function requireWalls(
  { settings, spec }: { settings: Settings; spec: Pick<SessionSpec, "sandbox" | "network"> },
): void {
  const { backend, sandbox, network } = settings.config.terminal;
  const name = settings.origin("terminal.network") === "flag" ? "--network" : "terminal.network";
  const access = readNetwork(network, { mode: sandbox, name });
  if (backend !== "local") {
    if (spec.sandbox === "read-only") throw elsewhere(`--sandbox ${spec.sandbox}`, backend);
    if (spec.network !== undefined && access !== "on") throw elsewhere("--network", backend);
    return;
  }
  if (sandbox !== "off" || spec.network === undefined || access === "on") return;
  throw new UsageError(`--network ${spec.network} needs the sandbox, and it is off`, {
    hint: "Without walls nothing keeps a command from the network. Use --sandbox workspace-write.",
  });
}

function elsewhere(flag: string, backend: string): UsageError {
  return new UsageError(`${flag} is for commands on this machine, not in ${backend}`, {
    hint:
      `In ${backend} the place itself is the wall; terminal.${backend}_* settings are about it.`,
  });
}
