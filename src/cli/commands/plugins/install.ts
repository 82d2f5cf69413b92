/** `hermes plugins install|update`: fetches, shows, asks, pins. */
import type { Settings } from "../../../config/load.ts";
import { Discovery } from "../../../plugins/discover.ts";
import {
  compareSources,
  type FetchedPlugin,
  fetchPlugin,
  pinPlugin,
  probePlugin,
} from "../../../plugins/install.ts";
import { type LockedPlugin, lockedPlugin, readLock, readLocked } from "../../../plugins/lock.ts";
import { requireName } from "../../../plugins/open.ts";
import { PluginProblem } from "../../../plugins/problem.ts";
import type { Kept } from "../../../plugins/records.ts";
import { isAddress, parseAddress, requirePinned } from "../../../plugins/remote.ts";
import { entryOf } from "../../../plugins/plugin_settings.ts";
import { openSnapshot, snapshotsOf } from "../../../plugins/snapshot.ts";
import { EXIT, HermesError, UsageError } from "../../../protocol/error.ts";
import { didYouMean } from "../../../util/nearest.ts";
import type { CommandInput } from "../../command.ts";
import { err, out } from "../../io.ts";
import { visibleText } from "../../render/tool_line.ts";
import { settingsOf } from "../../settings.ts";
import { setEnabled } from "./plugins.ts";
import { requireYes } from "./require_yes.ts";
import { describeChange, describePlugin, describeRegistrations, lines } from "./view.ts";

export async function main(input: CommandInput): Promise<number> {
  const settings = await settingsOf(input);
  return input.path[1] === "install"
    ? await install(settings, input)
    : await update(settings, input);
}

async function install(settings: Settings, input: CommandInput): Promise<number> {
  const [place = ""] = input.args;
  if (!isAddress(place)) {
    throw new UsageError(`"${place}" is no address`, {
      hint: `Copy a folder to ${settings.home.path("plugins")}, or try it: hermes plugins dev PATH`,
    });
  }
  const address = parseAddress(place);
  const { url } = address;
  const fetched = await fetchPlugin(settings.home, url);
  const { manifest, hash } = fetched.snapshot;
  requirePinned(address, hash);
  requireName(manifest.name, manifest);
  await requireFree(settings, { id: manifest.name, url });
  const known = await lockedPlugin(settings.home, manifest.name);
  await show(settings, { fetched, before: known?.sealed ? known.record : undefined });
  requireYes(input, `Install ${manifest.name}?`);
  await pinPlugin(settings.home, fetched);
  if (input.flags.enable !== false) await setEnabled(settings, { id: manifest.name, on: true });
  out(`${manifest.name} v${manifest.version} is installed\n`);
  return EXIT.done;
}

/** A name that means another plugin already would make it unclear which one runs. */
async function requireFree(
  settings: Settings,
  { id, url }: { id: string; url: string },
): Promise<void> {
  const known = await new Discovery(settings.home, Deno.cwd()).find(id);
  if (known === undefined || known.location === url) return;
  const removable = known.origin === "user" || known.origin === "url";
  throw new UsageError(
    `there is a plugin "${id}" already: ${known.location}`,
    removable ? { hint: `Remove that one first: hermes plugins remove ${id}` } : {},
  );
}

/** Everything to know before saying yes; what differs from the version that is installed comes last. */
async function show(
  settings: Settings,
  { fetched, before }: { fetched: FetchedPlugin; before: LockedPlugin | undefined },
): Promise<void> {
  const { source, snapshot, locked } = fetched;
  const kept = before && await readKept(settings.home, before);
  const nothing = { entry: source.entry, files: new Map() };
  const changes = before ? compareSources(kept?.source ?? nothing, source) : [];
  for (const diff of changes) err(visibleText(diff));
  const bytes = [...source.files.values()].reduce((sum, file) => sum + file.length, 0);
  const probed = await probePlugin(snapshot);
  const entry = entryOf(settings, snapshot.manifest.name);
  err(describePlugin({ location: locked.url }, { snapshot, entry }));
  err(describeRegistrations(probed, snapshot));
  if (!before && source.entry !== locked.url) err(`  The address leads to ${source.entry}\n`);
  err(`  ${source.files.size} file${source.files.size === 1 ? "" : "s"}, ${bytes} bytes:\n`);
  err(lines([...source.files].map(([file, content]) => `    ${file} (${content.length})`)));
  if (kept && kept.source.entry !== source.entry) {
    err(`  It comes from ${source.entry} now, no longer from ${kept.source.entry}\n`);
  }
  if (kept) err(describeChange(kept.snapshot.manifest, snapshot.manifest));
}

/** The installed version as it was pinned; undefined when the cache has lost it. */
async function readKept(
  home: Settings["home"],
  locked: LockedPlugin,
): Promise<Pick<FetchedPlugin, "source" | "snapshot"> | undefined> {
  try {
    const source = await readLocked(home, { name: "", locked });
    return { source, snapshot: await openSnapshot(source, snapshotsOf(home)) };
  } catch (error) {
    if (!(error instanceof PluginProblem)) throw error;
    err(`  What is installed cannot be compared: ${error.message}\n`);
    return undefined;
  }
}

async function update(settings: Settings, input: CommandInput): Promise<number> {
  const lock = await readLock(settings.home);
  const names = input.args.length > 0 ? input.args : Object.keys(lock);
  const unknown = names.find((name) => lock[name] === undefined);
  if (unknown !== undefined) {
    throw new UsageError(
      `"${unknown}" was not installed from an address.${didYouMean(unknown, Object.keys(lock))}`,
    );
  }
  if (names.length === 0) err("No plugin was installed from an address.\n");
  const failures: HermesError[] = [];
  for (const name of names) {
    try {
      await updateOne(settings, { name, kept: lock[name]!, input });
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      failures.push(error);
      if (names.length > 1) err(`hermes: ${name}: ${error.message}\n`);
    }
  }
  if (names.length === 1 && failures.length === 1) throw failures[0];
  return failures.length === 0 ? EXIT.done : EXIT.failed;
}

async function updateOne(
  settings: Settings,
  { name, kept, input }: { name: string; kept: Kept<LockedPlugin>; input: CommandInput },
): Promise<void> {
  const { home } = settings;
  const { record: locked, sealed } = kept;
  const fetched = await fetchPlugin(home, locked.url);
  const { manifest } = fetched.snapshot;
  if (manifest.name !== name) {
    throw new PluginProblem(`${locked.url} is another plugin now: "${manifest.name}"`);
  }
  if (fetched.locked.sha256 === locked.sha256 && sealed) {
    // Unchanged; what was lost from the cache is there again.
    await pinPlugin(home, { ...fetched, locked });
    out(`${name} v${locked.version} is up to date\n`);
    return;
  }
  await show(settings, { fetched, before: sealed ? locked : undefined });
  // Whoever wrote it: no record says that the person has ever agreed to it.
  if (!sealed) {
    err("  ! Its record in plugins.lock has no seal of this hermes: look at it as new.\n");
  }
  requireYes(input, `Update ${name} from v${locked.version} to v${manifest.version}?`);
  await pinPlugin(home, fetched);
  out(`${name} is updated to v${manifest.version}\n`);
}
