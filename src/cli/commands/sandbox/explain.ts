/** `hermes sandbox explain`: the walls around commands in plain words, or as JSON. */
import { EXIT, UsageError } from "../../../protocol/error.ts";
import type { NetworkAccess, SandboxPolicy } from "../../../protocol/sandbox.ts";
import { HostDisk } from "../../../sandbox/command/disk.ts";
import { type PathGrants, pathGrants } from "../../../sandbox/command/grants.ts";
import { isWithin } from "../../../util/path.ts";
import type { CommandInput } from "../../command.ts";
import { out } from "../../io.ts";
import { type PolicyHere, policyHere } from "./policy_here.ts";
import { modeLine, type StandingHere, standingHere, standingLines } from "./standing_here.ts";

export async function main(input: CommandInput): Promise<number> {
  const here = await policyHere(input);
  const { policy } = here;
  const asJson = input.flags.json === true;
  if (policy === undefined) {
    const why = modeLine(here);
    out(asJson ? `${JSON.stringify({ mode: "off", why })}\n` : `Sandbox  ${why}\n`);
    return EXIT.done;
  }
  if (input.flags["macos-profile"] === true) {
    out(await macosProfile(policy));
    return EXIT.done;
  }
  const found = await standingHere(here);
  const hasView = found.standing !== undefined && found.standing.view !== "none";
  const grants = pathGrants(policy, new HostDisk(), { hasView });
  if (asJson) {
    const { standing = null, lines, problem } = found;
    const walls = { standing, lines, ...problem === undefined ? {} : { problem } };
    out(`${JSON.stringify({ mode: policy.mode, walls, policy, ...grants }, null, 2)}\n`);
  } else out(`${explained(here, { policy, grants, found }).join("\n")}\n`);
  return EXIT.done;
}

/** @throws {UsageError} for a list of hosts, whose proxy lives in a session. */
async function macosProfile(policy: SandboxPolicy): Promise<string> {
  if (typeof policy.network === "object") {
    throw new UsageError("--macos-profile cannot hold a list of hosts", {
      hint: "Their proxy runs in a session alone. Say --network on, off or loopback.",
    });
  }
  const { sandboxExecProfile } = await import("../../../sandbox/command/macos_profile.ts");
  return sandboxExecProfile(policy);
}

const MODES: Readonly<Record<SandboxPolicy["mode"], string>> = {
  "read-only": "commands and file tools change nothing",
  "workspace-write": "commands and file tools change the work alone",
};

interface Explained {
  policy: SandboxPolicy;
  grants: PathGrants;
  found: StandingHere;
}

/** The lines of the text. */
function explained(
  { settings, facts }: Pick<PolicyHere, "settings" | "facts">,
  { policy, grants: { grants, crowded }, found }: Explained,
): string[] {
  const home = facts.userHome;
  const shown = (path: string) =>
    home !== "/" && isWithin(path, home) ? `~${path.slice(home.length)}` : path;
  const disk = new HostDisk();
  const [there, missing] = [policy.hidden.filter(isThere), policy.hidden.filter(isMissing)];
  function isThere(path: string): boolean {
    return disk.kind(path) !== undefined;
  }
  function isMissing(path: string): boolean {
    return !isThere(path);
  }
  const changed = policy.mode === "read-only"
    ? policy.writable
    : [...policy.workspace, ...policy.writable];
  return [
    `Sandbox  ${policy.mode}: ${MODES[policy.mode]}`,
    `Network  ${networkWords(policy.network)}`,
    `Caches   ${cacheWords(settings.config.terminal.sandbox_caches, policy, shown)}`,
    `Limits   ${limitWords(policy)}`,
    "",
    "On this machine:",
    ...standingLines(found),
    "",
    changed.length === 0 ? "May change: nothing" : "May change:",
    ...changed.map((path) => `  ${shown(path)}`),
    ...splitLines(changed, grants, shown),
    "",
    "May read: everything but what is hidden.",
    ...crowded.map((path) =>
      `  ${shown(path)} has too many entries: only what is needed of it is open`
    ),
    "",
    "Hidden, neither read nor changed:",
    ...there.map((path) => `  ${shown(path)}`),
    `  and ${missing.length} places that are not here now (--json names them)`,
    ...openLines(policy, shown),
  ];
}

/** A directory that holds something hidden takes no new entries of its own. */
function splitLines(
  changed: readonly string[],
  grants: PathGrants["grants"],
  shown: (path: string) => string,
): string[] {
  return grants.filter(({ path, access }) =>
    access === "see" && changed.some((root) => isWithin(path, root))
  ).map(({ path }) =>
    `  but nothing new directly in ${shown(path)}, because something in it is not to be changed`
  );
}

/** The lines about open places inside a hidden place. */
function openLines(policy: SandboxPolicy, shown: (path: string) => string): string[] {
  const inside = policy.readable.filter((path) =>
    policy.hidden.some((hidden) => isWithin(path, hidden))
  );
  return inside.length === 0
    ? []
    : ["Of it may be read:", ...inside.map((path) => `  ${shown(path)}`)];
}

function networkWords(network: NetworkAccess): string {
  if (network === "on") return "on: every host";
  if (network === "off") return "off: nothing, not even this machine";
  if (network === "loopback") {
    return "loopback: what commands serve themselves, not what else runs here";
  }
  return `these hosts, through a proxy: ${network.hosts.join(", ")}`;
}

function cacheWords(
  mode: string,
  policy: SandboxPolicy,
  shown: (path: string) => string,
): string {
  if (policy.mode === "read-only" || mode === "off") return "none are writable";
  if (mode === "shared") return "shared: your own are writable";
  return `private: the project has its own in ${policy.own.map(shown).join(", ") || "no place"}`;
}

function limitWords({ limits }: SandboxPolicy): string {
  const memory = limits.memoryBytes === 0
    ? "memory as the system allows"
    : `${Math.round(limits.memoryBytes / 2 ** 20)} MiB of memory for each process`;
  const processes = limits.processes === 0
    ? "processes as the system allows"
    : `${limits.processes} processes and threads`;
  return `${processes}, ${memory}`;
}
