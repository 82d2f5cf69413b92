/** `hermes plugins`: shows which there are, switches them on and off, checks and trusts them. */
import { editConfig } from "../../../config/edit.ts";
import type { Settings } from "../../../config/load.ts";
import { type Candidate, Discovery } from "../../../plugins/discover.ts";
import { probePlugin } from "../../../plugins/install.ts";
import { readLock, unpin } from "../../../plugins/lock.ts";
import { readAgreed } from "../../../plugins/open.ts";
import { changesSince, forgetPin, pinAgreed, sealedPin } from "../../../plugins/pins.ts";
import { permissionsOf } from "../../../plugins/powers.ts";
import { reasonOf } from "../../../plugins/problem.ts";
import { describeGrants, entryOf } from "../../../plugins/plugin_settings.ts";
import { removeSnapshots, snapshotsOf } from "../../../plugins/snapshot.ts";
import { EXIT, HermesError, UsageError } from "../../../protocol/error.ts";
import { didYouMean } from "../../../util/nearest.ts";
import { removeTree } from "../../../util/remove_tree.ts";
import type { CommandInput } from "../../command.ts";
import { err, out } from "../../io.ts";
import { settingsOf } from "../../settings.ts";
import { requireYes } from "./require_yes.ts";
import {
  aboutPlugin,
  needOf,
  type PluginState,
  problemLine,
  snapshotOf,
  stateOf,
} from "./state.ts";
import {
  describeConfig,
  describeDemands,
  describePlugin,
  describePowers,
  describeRegistrations,
  lines,
} from "./view.ts";

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
  state: PluginState["state"];
  description: string;
  /** Where another one of the name is, which is not used. */
  rival?: string;
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
  for (const { id, version, origin, state, description, rival, problem } of rows) {
    out(`${id.padEnd(width)}  ${version.padEnd(8)}  ${origin.padEnd(7)}  ${state.padEnd(9)}  `);
    out(`${problem ?? description}${rival === undefined ? "" : ` (not used: ${rival})`}\n`);
  }
  if (rows.length === 0) err("No plugins. Make one: hermes plugins create NAME\n");
  return EXIT.done;
}

async function rowOf(candidate: Candidate, settings: Settings): Promise<Row> {
  const { id, origin, location, rival } = candidate;
  const { state, manifest, ...need } = await stateOf(candidate, settings);
  const { version = "", description = "" } = manifest ?? {};
  const problem = problemLine(need);
  const more = { ...(rival && { rival }), ...(problem && { problem }) };
  return { id, version, origin, location, state, description, ...more };
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
  const snapshot = await aboutPlugin(candidate.id, async () => {
    return await snapshotOf(candidate, { settings, source: await candidate.read() });
  });
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

/** Enables plugins as they are now: what is in the home is pinned by its content. */
async function enable(work: PluginWork): Promise<number> {
  const { settings, input } = work;
  for (const id of input.args) {
    const candidate = await chooseOf(work, id);
    const { origin } = candidate;
    // Enabling is the yes to a plugin in the home; the others have been agreed to elsewhere.
    const { source, manifest } = await aboutPlugin(id, async () => {
      const source = origin === "user" ? await candidate.read() : await readAgreed(candidate);
      return { source, ...await snapshotOf(candidate, { settings, source }) };
    });
    const before = await sealedPin(settings.home, id);
    if (origin !== "project") await pinAgreed(settings.home, { key: id, origin, source, manifest });
    await setEnabled(settings, { id, on: true });
    const entry = entryOf(settings, id);
    if (input.flags["allow-tool-override"] === true) {
      const key = `plugins.entries.${id}.allow_tool_override`;
      await editConfig(settings.home, { key, change: () => true });
      entry.allowToolOverride = true;
    }
    out(`${id} is enabled. It may:\n`);
    out(lines(describePowers(manifest, entry).map((line) => `  ${line}`)));
    const changes = before?.origin === "user" && await changesSince(before, source);
    if (changes) out(`  Changed since it was enabled: ${changes}\n`);
    if (before) out(describeDemands(before.permissions, permissionsOf(manifest)));
    const need = needOf(manifest, settings);
    if (need !== undefined) err(`hermes: ${id} does not load yet: ${problemLine(need)}\n`);
  }
  return EXIT.done;
}

/** Which plugin of a name is to be enabled. @throws {UsageError} when that is not clear. */
async function chooseOf(work: PluginWork, id: string): Promise<Candidate> {
  const { settings, discovery, input } = work;
  const { from } = input.flags;
  const found = await findPlugin(work, id);
  const all = await discovery.all(id);
  if (from !== undefined) {
    const chosen = all.find(({ origin }) => origin === from);
    if (chosen) return chosen;
    throw new UsageError(`there is no plugin "${id}" from "${from}"`, {
      hint: `There are: ${all.map(({ origin }) => origin).join(", ")}.`,
    });
  }
  if (found.origin === "project") return found;
  const pin = await sealedPin(settings.home, id);
  const rivals = all.filter(({ origin }) => origin !== "project");
  const enabled = pin && rivals.find(({ origin }) => origin === pin.origin);
  if (enabled) return enabled;
  if (rivals.length <= 1) return rivals[0] ?? found;
  const places = rivals.map(({ origin, location }) => `${origin} (${location})`).join(", ");
  throw new UsageError(`there is more than one plugin "${id}": ${places}`, {
    hint: `Say which: hermes plugins enable ${id} --from ${rivals.at(-1)!.origin}`,
  });
}

async function disable({ settings, input }: PluginWork): Promise<number> {
  for (const id of input.args) {
    const known = settings.config.plugins.enabled;
    if (!known.includes(id)) {
      throw new UsageError(`"${id}" is not enabled.${didYouMean(id, known)}`);
    }
    await setEnabled(settings, { id, on: false });
    await forgetPin(settings.home, id);
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
    const found = await findPlugin(work, id);
    const rival = found.rival === undefined ? undefined : { origin: "user", location: found.rival };
    const { origin, location } = found.origin === "bundled" && rival ? rival : found;
    if (origin === "bundled" || origin === "project") {
      throw new UsageError(`${id} cannot be removed: it is ${whose(origin)}`, {
        hint: `Switch it off: hermes plugins disable ${id}`,
      });
    }
    requireYes(input, `Remove ${id} (${location}) and what it has stored?`);
    if (origin === "url") await unpin(settings.home, id);
    else await removeTree(location);
    await forgetPin(settings.home, id);
    await removeSnapshots(snapshotsOf(settings.home), id);
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

/** Says of every enabled plugin what it may do and whether it is still what the person agreed to. */
async function audit({ settings, discovery, input }: PluginWork): Promise<number> {
  const locked = await readLock(settings.home);
  const ids = new Set([...settings.config.plugins.enabled, ...Object.keys(locked)]);
  const findings = await Promise.all(
    [...ids].sort().map(async (id) => {
      const entry = entryOf(settings, id);
      try {
        const candidate = await discovery.find(id);
        if (candidate === undefined) throw new HermesError("there is no such plugin");
        const source = await readAgreed(candidate);
        const { manifest, hash } = await snapshotOf(candidate, { settings, source });
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
  for (const candidate of wanted) {
    const { id, origin } = candidate;
    const key = candidate.pinKey!;
    if (input.flags.revoke === true) {
      await forgetPin(settings.home, key);
      out(`${id} is not trusted any more\n`);
      continue;
    }
    const { source, snapshot } = await aboutPlugin(id, async () => {
      const source = await candidate.read();
      return { source, snapshot: await snapshotOf(candidate, { settings, source }) };
    });
    const { manifest } = snapshot;
    err(describePlugin(candidate, { snapshot, entry: entryOf(settings, id) }));
    err(describeRegistrations(await probePlugin(snapshot), snapshot));
    const before = await sealedPin(settings.home, key);
    if (before) err(describeDemands(before.permissions, permissionsOf(manifest)));
    const other = (await discovery.all(id)).find((one) => one.origin !== "project");
    if (other) err(`  ! In this project it takes the place of: ${other.location}\n`);
    requireYes(input, `Trust ${id} as it is now, and enable it?`);
    await pinAgreed(settings.home, { key, origin, source, manifest });
    await setEnabled(settings, { id, on: true });
    out(`${id} is trusted and enabled\n`);
  }
  return EXIT.done;
}
