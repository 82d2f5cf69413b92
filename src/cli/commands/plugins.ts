/** `hermes plugins`: shows which there are, switches them on and off, checks and trusts them. */
import { editConfig } from "../../config/edit.ts";
import type { Settings } from "../../config/load.ts";
import { type Candidate, Discovery } from "../../plugins/discover.ts";
import { probePlugin } from "../../plugins/install.ts";
import { readLock, unpin } from "../../plugins/lock.ts";
import { requireName } from "../../plugins/open.ts";
import { reasonOf } from "../../plugins/problem.ts";
import { describeGrants, entryOf, requireSettings } from "../../plugins/settings.ts";
import {
  openSnapshot,
  removeSnapshots,
  type Snapshot,
  snapshotDir,
} from "../../plugins/snapshot.ts";
import { contentHash, readSource } from "../../plugins/source.ts";
import { changeTrust } from "../../plugins/trust.ts";
import { EXIT, HermesError, UsageError } from "../../protocol/error.ts";
import type { PluginManifest } from "../../protocol/plugin.ts";
import { didYouMean } from "../../util/nearest.ts";
import { removeTree } from "../../util/remove_tree.ts";
import type { CommandInput } from "../command.ts";
import { err, out } from "../io.ts";
import { settingsOf } from "../settings.ts";
import { requireYes } from "./plugins_ask.ts";
import {
  describeConfig,
  describePlugin,
  describePowers,
  describeRegistrations,
  lines,
} from "./plugins_view.ts";

interface PluginWork {
  settings: Settings;
  discovery: Discovery;
  input: CommandInput;
}

type Action = (work: PluginWork) => Promise<number>;

const ACTIONS: Readonly<Record<string, Action>> = {
  list,
  info,
  enable,
  disable,
  remove,
  audit,
  trust,
};

export async function main(input: CommandInput): Promise<number> {
  const settings = await settingsOf(input);
  const work = { settings, discovery: new Discovery(settings.home, Deno.cwd()), input };
  return await ACTIONS[input.path[1] ?? "list"]!(work);
}

interface Row {
  id: string;
  version: string;
  origin: Candidate["origin"];
  location: string;
  state: "enabled" | "disabled" | "available" | "broken";
  description: string;
  problem?: string;
}

async function list(work: PluginWork): Promise<number> {
  const candidates = await work.discovery.list();
  const rows = await Promise.all(candidates.map((candidate) => rowOf(candidate, work.settings)));
  if (work.input.flags.json === true) {
    out(`${JSON.stringify({ plugins: rows }, null, 2)}\n`);
    return EXIT.done;
  }
  const { enabled } = work.settings.config.plugins;
  for (const id of enabled.filter((id) => !rows.some((row) => row.id === id))) {
    err(`hermes: plugins.enabled names "${id}", which is nowhere\n`);
  }
  const width = Math.max(4, ...rows.map((row) => row.id.length));
  for (const { id, version, origin, state, description, problem } of rows) {
    out(`${id.padEnd(width)}  ${version.padEnd(8)}  ${origin.padEnd(7)}  ${state.padEnd(9)}  `);
    out(`${problem ?? description}\n`);
  }
  if (rows.length === 0) err("No plugins. Make one: hermes plugins create NAME\n");
  return EXIT.done;
}

async function rowOf(candidate: Candidate, settings: Settings): Promise<Row> {
  const { id, origin, location } = candidate;
  const { enabled, disabled } = settings.config.plugins;
  const state = disabled.includes(id) ? "disabled" : enabled.includes(id) ? "enabled" : "available";
  try {
    const { manifest } = await snapshotOf(candidate, settings);
    const { version, description } = manifest;
    const problem = state === "enabled" ? needOf(manifest, settings) : undefined;
    return { id, version, origin, location, state, description, ...(problem && { problem }) };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    const problem = reasonOf(error);
    return { id, version: "", origin, location, state: "broken", description: "", problem };
  }
}

/** What must be set before a plugin loads; undefined when it can. */
function needOf(manifest: PluginManifest, settings: Settings): string | undefined {
  try {
    requireSettings(manifest, settings);
    return undefined;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return [reasonOf(error), error.hint].filter(Boolean).join(". ");
  }
}

async function snapshotOf(candidate: Candidate, settings: Settings): Promise<Snapshot> {
  const snapshot = await openSnapshot(await candidate.read(), snapshotDir(settings.home));
  requireName(candidate.id, snapshot.manifest);
  return snapshot;
}

/** @throws {UsageError} when there is no plugin of the name. */
async function findPlugin({ discovery }: PluginWork, id: string): Promise<Candidate> {
  const found = await discovery.find(id);
  if (found) return found;
  const known = (await discovery.list()).map((candidate) => candidate.id);
  throw new UsageError(`there is no plugin "${id}".${didYouMean(id, known)}`, {
    hint: "See which there are: hermes plugins list",
  });
}

async function info(work: PluginWork): Promise<number> {
  const { settings, input } = work;
  const candidate = await findPlugin(work, input.args[0]!);
  const snapshot = await snapshotOf(candidate, settings);
  const registrations = await probePlugin(snapshot);
  const { manifest, hash } = snapshot;
  if (input.flags.json === true) {
    const { origin, location } = candidate;
    out(
      `${
        JSON.stringify({ ...manifest, origin, location, sha256: hash, registrations }, null, 2)
      }\n`,
    );
    return EXIT.done;
  }
  out(describePlugin(candidate, { snapshot, entry: entryOf(settings, candidate.id) }));
  out(describeRegistrations(registrations, snapshot));
  out(describeConfig(manifest));
  return EXIT.done;
}

async function enable(work: PluginWork): Promise<number> {
  const { settings, input } = work;
  for (const id of input.args) {
    const candidate = await findPlugin(work, id);
    const { manifest } = await snapshotOf(candidate, settings);
    await setEnabled(settings, { id, on: true });
    const entry = entryOf(settings, id);
    if (input.flags["allow-tool-override"] === true) {
      const key = `plugins.entries.${id}.allow_tool_override`;
      await editConfig(settings.home, { key, change: () => true });
      entry.allowToolOverride = true;
    }
    out(`${id} is enabled. It may:\n`);
    out(lines(describePowers(manifest, entry).map((line) => `  ${line}`)));
    const need = needOf(manifest, settings);
    if (need !== undefined) err(`hermes: ${id} does not load yet: ${need}\n`);
  }
  return EXIT.done;
}

async function disable({ settings, input }: PluginWork): Promise<number> {
  for (const id of input.args) {
    const known = settings.config.plugins.enabled;
    if (!known.includes(id)) {
      throw new UsageError(`"${id}" is not enabled.${didYouMean(id, known)}`);
    }
    await setEnabled(settings, { id, on: false });
    out(`${id} is disabled\n`);
  }
  return EXIT.done;
}

/** Adds a plugin to `plugins.enabled` or takes it out. */
export async function setEnabled(
  settings: Settings,
  { id, on }: { id: string; on: boolean },
): Promise<void> {
  const names = (current: unknown) => Array.isArray(current) ? current.map(String) : [];
  const without = (current: unknown) => names(current).filter((other) => other !== id);
  // The order is that of the hooks: one that is there keeps its place.
  const change = (current: unknown) =>
    on ? [...new Set([...names(current), id])] : without(current);
  await editConfig(settings.home, { key: "plugins.enabled", change });
  if (!on || !settings.config.plugins.disabled.includes(id)) return;
  await editConfig(settings.home, { key: "plugins.disabled", change: without });
}

async function remove(work: PluginWork): Promise<number> {
  const { settings, input } = work;
  for (const id of input.args) {
    const { origin, location } = await findPlugin(work, id);
    if (origin === "bundled" || origin === "project") {
      throw new UsageError(`${id} cannot be removed: it is ${whose(origin)}`, {
        hint: `Switch it off: hermes plugins disable ${id}`,
      });
    }
    requireYes(input, `Remove ${id} (${location}) and what it has stored?`);
    if (origin === "url") await unpin(settings.home, id);
    else await Deno.remove(location, { recursive: true });
    await removeSnapshots(snapshotDir(settings.home), id);
    await removeTree(settings.home.path("plugin-data", id));
    if (settings.config.plugins.enabled.includes(id)) await setEnabled(settings, { id, on: false });
    // What was granted was granted to this plugin, not to the next one of its name.
    if (Object.hasOwn(settings.config.plugins.entries, id)) {
      await editConfig(settings.home, { key: `plugins.entries.${id}`, change: () => undefined });
    }
    out(`${id} is removed\n`);
  }
  return EXIT.done;
}

function whose(origin: "bundled" | "project"): string {
  return origin === "bundled" ? "part of hermes" : "the project's";
}

/** Says of every enabled plugin what it may do and whether it is still what somebody said yes to. */
async function audit({ settings, discovery, input }: PluginWork): Promise<number> {
  const locked = readLock(settings.home);
  const ids = new Set([...settings.config.plugins.enabled, ...Object.keys(locked)]);
  const findings = await Promise.all(
    [...ids].sort().map(async (id) => {
      const entry = entryOf(settings, id);
      try {
        const candidate = await discovery.find(id);
        if (candidate === undefined) throw new HermesError("there is no such plugin");
        const { manifest, hash } = await snapshotOf(candidate, settings);
        const { origin } = candidate;
        return { id, origin, sha256: hash, may: describePowers(manifest, entry) };
      } catch (error) {
        if (!(error instanceof HermesError)) throw error;
        return {
          id,
          may: describeGrants(entry),
          problem: [reasonOf(error), error.hint].filter(Boolean).join(". "),
        };
      }
    }),
  );
  if (input.flags.json === true) out(`${JSON.stringify({ plugins: findings }, null, 2)}\n`);
  else {
    for (const { id, origin, sha256, may, problem } of findings) {
      out(`${problem === undefined ? "✓" : "✗"} ${id}${origin ? ` (${origin}, ${sha256})` : ""}\n`);
      out(
        lines([...(problem === undefined ? [] : [problem]), ...may].map((line) => `    ${line}`)),
      );
    }
    if (findings.length === 0) err("No plugin is enabled.\n");
  }
  return findings.some((finding) => finding.problem !== undefined) ? EXIT.failed : EXIT.done;
}

/** Trusts plugins of the project in the working directory, as they are now. */
async function trust({ settings, discovery, input }: PluginWork): Promise<number> {
  const project = Deno.cwd();
  const all = discovery.project();
  const wanted = input.args.length === 0 ? all : input.args.map((id) => {
    const found = all.find((candidate) => candidate.id === id);
    if (found) return found;
    const meant = didYouMean(id, all.map((candidate) => candidate.id));
    throw new UsageError(`this project has no plugin "${id}".${meant}`);
  });
  if (wanted.length === 0) {
    throw new UsageError(`there is no plugin in ${project}/.hermes/plugins`);
  }
  for (const { id, location } of wanted) {
    if (input.flags.revoke === true) {
      await changeTrust(settings.home, { project, id, hash: undefined });
      out(`${id} is not trusted any more\n`);
      continue;
    }
    const source = readSource(location);
    const snapshot = await openSnapshot(source, snapshotDir(settings.home));
    requireName(id, snapshot.manifest);
    err(describePlugin({ location }, { snapshot, entry: entryOf(settings, id) }));
    err(describeRegistrations(await probePlugin(snapshot), snapshot));
    requireYes(input, `Trust ${id} as it is now, and enable it?`);
    await changeTrust(settings.home, { project, id, hash: await contentHash(source) });
    await setEnabled(settings, { id, on: true });
    out(`${id} is trusted and enabled\n`);
  }
  return EXIT.done;
}
