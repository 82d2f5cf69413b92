/**
 * From settings to the plugins of a session: which are wanted, where they are, whether they may
 * be loaded. A plugin that cannot be is reported in one line; the others go on.
 */
import type { Settings } from "../config/load.ts";
import { HermesError, UsageError } from "../protocol/error.ts";
import type { PluginManifest } from "../protocol/plugin.ts";
import { registry as processRegistry, type ToolRegistry } from "../registry/registry.ts";
import type { ChildMode, Wall } from "../sandbox/contract.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { joinPath } from "../util/path.ts";
import { type Candidate, Discovery } from "./discover.ts";
import { isTakenName, type LoadedPlugin, PluginHost } from "./host.ts";
import { Plugin } from "./plugin.ts";
import { PluginProblem, reasonOf } from "./problem.ts";
import { checkConfig, readEntry } from "./settings.ts";
import { openSnapshot, type Snapshot, snapshotDir } from "./snapshot.ts";

export interface OpenPluginsOptions {
  settings: Settings;
  cwd: string;
  userHome: string;
  /** Paths and addresses for this run only (`--plugin`). */
  extra?: readonly string[];
  /** Takes addresses that nobody pinned. */
  acceptUnpinned?: boolean;
  /** Asks the person about an address that is not pinned; absent when nobody is there. */
  confirm?: ((candidate: Candidate, snapshot: Snapshot) => Promise<boolean>) | undefined;
  /** A line the person must see. */
  report(line: string): void;
  /** Diagnostics, with the plugin's name in front. */
  log(line: string): void;
  registry?: ToolRegistry;
  registerTimeoutMs?: number;
  mode?: ChildMode;
  without?: readonly Wall[];
}

/** @throws {UsageError} when a plugin named for this run cannot be used. */
export async function openPlugins(options: OpenPluginsOptions): Promise<PluginHost> {
  const { settings, report, registry = processRegistry } = options;
  const late: { host?: PluginHost } = {};
  const endedEarly = new Map<string, string>();
  const onEnd = (id: string, reason: string) => {
    if (late.host) late.host.disable(id, reason);
    else endedEarly.set(id, reason);
  };
  const enabled = isSafeMode(settings) ? [] : settings.config.plugins.enabled;
  const wanted = new Set(enabled).difference(new Set(settings.config.plugins.disabled));
  const discovery = new Discovery(settings.home, options.cwd);
  const loaded = await Promise.all([...wanted].map(async (id): Promise<LoadedPlugin> => {
    try {
      const candidate = await discovery.find(id);
      if (candidate === undefined) throw new PluginProblem("there is no such plugin");
      return await loadPlugin(candidate, { ...options, onEnd });
    } catch (error) {
      return brokenPlugin(id, error);
    }
  }));
  for (const place of options.extra ?? []) {
    loaded.push(await loadForRun(place, { ...options, onEnd }));
  }
  for (const { id, problem } of loaded) {
    if (problem !== undefined) report(`Plugin ${id} disabled (${problem})`);
  }
  late.host = new PluginHost(loaded, { registry, report });
  for (const [id, reason] of endedEarly) late.host.disable(id, reason);
  return late.host;
}

/** `HERMES_SAFE_MODE` starts hermes without anything that was added to it. */
function isSafeMode(settings: Settings): boolean {
  return /^(1|true|yes|on)$/i.test(settings.env("HERMES_SAFE_MODE") ?? "");
}

/** Whatever is wrong with one plugin, the session goes on without it. */
function brokenPlugin(id: string, error: unknown): LoadedPlugin {
  const hint = error instanceof HermesError && error.hint !== undefined ? `. ${error.hint}` : "";
  return { id, origin: "user", problem: `${reasonOf(error)}${hint}` };
}

export type LoadOptions = Omit<OpenPluginsOptions, "report" | "registry"> & {
  onEnd(id: string, reason: string): void;
};

async function loadForRun(place: string, options: LoadOptions): Promise<LoadedPlugin> {
  const { runCandidate } = await import("./run_candidate.ts");
  try {
    return await loadPlugin(await runCandidate(place, options), options);
  } catch (error) {
    if (!(error instanceof PluginProblem)) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    throw new UsageError(`--plugin ${place}: ${error.message}`, hint);
  }
}

/** Reads, checks and loads one plugin. @throws {PluginProblem} when it cannot be used. */
export async function loadPlugin(
  candidate: Candidate,
  options: LoadOptions,
): Promise<LoadedPlugin & { plugin: Plugin }> {
  const { settings, cwd, userHome, log } = options;
  const { id, origin } = candidate;
  const snapshot = await openSnapshot(await candidate.read(), snapshotDir(settings.home));
  const { manifest } = snapshot;
  requireLoadable(id, manifest, settings);
  const entry = readEntry(settings.config.plugins.entries[id]);
  const plugin = await Plugin.load({
    snapshot,
    entry,
    config: checkConfig(manifest, entry.config),
    place: {
      cwd,
      userHome,
      hermesRoot: settings.home.root,
      dataDir: settings.home.path("plugin-data", id),
      env: settings.env,
    },
    log: (text) => log(`${id}: ${text}`),
    onEnd: (reason) => options.onEnd(id, reason),
    registerTimeoutMs: options.registerTimeoutMs,
    mode: options.mode,
    without: options.without,
  });
  return {
    id,
    origin,
    version: manifest.version,
    plugin,
    allowToolOverride: entry.allowToolOverride,
    sections: await promptTexts(id, plugin, snapshot),
  };
}

function requireLoadable(id: string, manifest: PluginManifest, settings: Settings): void {
  if (manifest.name !== id) {
    throw new PluginProblem(`its manifest calls it "${manifest.name}"; give both the same name`);
  }
  if (isTakenName(id)) {
    throw new PluginProblem("its name is that of a built-in toolset; give it another");
  }
  const missing = manifest.requiresEnv.filter((name) => settings.env(name) === undefined);
  if (missing.length > 0) throw new PluginProblem(`missing: ${missing.join(", ")}`);
}

/** What a plugin adds to the system prompt: its sections, and where its skills are. */
async function promptTexts(id: string, plugin: Plugin, snapshot: Snapshot): Promise<string[]> {
  const { sections, skills } = plugin.registrations;
  const lines = await Promise.all(skills.map(async ({ name, description, content, path }) => {
    const file = content === undefined
      ? joinPath(snapshot.modulesDir, path!)
      : joinPath(snapshot.dir, "skills", `${name}.md`);
    if (content !== undefined) await writeFileAtomic(file, content);
    return `- ${id}:${name}: ${description} (${file})`;
  }));
  const texts = sections.map(({ text }) => text);
  if (lines.length === 0) return texts;
  return [...texts, `Skills: read the file before such a task.\n${lines.join("\n")}`];
}
