/**
 * From settings to the plugins of a session: which are wanted, where they are, whether they may
 * be loaded. A plugin that cannot be is reported in one line; the others go on.
 */
import { readOptional, type Settings } from "../config/load.ts";
import { HermesError, UsageError } from "../protocol/error.ts";
import {
  HOOK_RIGHTS,
  type HookRight,
  type PluginManifest,
  SESSION_RIGHTS,
} from "../protocol/plugin.ts";
import { isOwnToolset } from "../registry/toolsets.ts";
import type { ChildMode, Wall } from "../sandbox/child/contract.ts";
import { joinPath } from "../util/path.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { type Candidate, Discovery } from "./discover.ts";
import { type BackgroundParts, type LoadedPlugin, PluginHost } from "./plugin_host.ts";
import type { SkillRecord } from "./messages.ts";
import { NotAgreed, pinAgreed } from "./pins.ts";
import { Plugin } from "./plugin.ts";
import { permissionsBeyond, permissionsOf } from "./powers.ts";
import { PluginProblem, reasonOf } from "./problem.ts";
import { saveFile } from "./records.ts";
import { declaresPush, keepDeclared } from "./push/declared.ts";
import {
  entryOf,
  entryProblems,
  MissingVariables,
  type PluginEntry,
  requireSettings,
  withoutGrants,
} from "./plugin_settings.ts";
import { openSnapshot, type Snapshot, snapshotsOf } from "./snapshot.ts";
import { type PluginSource, statOf } from "./source.ts";

export interface OpenPluginsOptions {
  settings: Settings;
  cwd: string;
  userHome: string;
  /** Paths and addresses for this run only (`--plugin`). */
  extra?: readonly string[];
  /** Takes addresses that are not pinned. */
  acceptUnpinned?: boolean;
  /** Asks the person about what is not agreed to yet; absent when no person is present. */
  confirm?: ((candidate: Candidate, snapshot: Snapshot) => Promise<boolean>) | undefined;
  /** The same about an enabled plugin that is not what was agreed to. */
  confirmChange?: ((change: PluginChange) => Promise<boolean>) | undefined;
  /** What belongs to hermes beside its home; no plugin is granted it. */
  trusted?: (() => Promise<ProtectedPlaces>) | undefined;
  /** A line the person must see. */
  report(line: string): void;
  /** Diagnostics, with the plugin's name in front. */
  log(line: string): void;
  /** Takes secrets out of what plugins tell the model unasked. */
  clean?: (text: string) => string;
  /** Names of commands that hermes has itself; asked for when a plugin brings one. */
  ownCommands?: () => Promise<readonly string[]>;
  registerTimeoutMs?: number;
  mode?: ChildMode;
  without?: readonly Wall[];
}

/** An enabled plugin that is not what the person agreed to. */
export interface PluginChange {
  candidate: Candidate;
  snapshot: Snapshot;
  /** Why it is not loaded, and what it was when it was. */
  why: NotAgreed;
}

/** @throws {UsageError} when a plugin named for this run cannot be used. */
export async function openPlugins(options: OpenPluginsOptions): Promise<PluginHost> {
  const { report } = options;
  const late: { host?: PluginHost } = {};
  const endedEarly = new Map<string, string>();
  const onEnd = (id: string, reason: string) => {
    if (late.host) late.host.disable(id, reason);
    else endedEarly.set(id, reason);
  };
  const loaded = await loadAll({ ...options, onEnd });
  for (const { id, problem } of loaded) {
    if (problem !== undefined) report(`Plugin ${id} disabled (${problem})`);
  }
  const bringsCommands = loaded.some(({ plugin }) => plugin?.registrations.commands.length);
  const ownCommands = bringsCommands ? await options.ownCommands?.() : [];
  late.host = new PluginHost(loaded, {
    ownCommands: ownCommands ?? [],
    report,
    log: options.log,
    clean: options.clean,
  });
  for (const [id, reason] of endedEarly) late.host.disable(id, reason);
  return late.host;
}

/** The enabled ones in their order, then those named for this run, which win over an enabled one of their name. */
async function loadAll(options: LoadOptions): Promise<LoadedPlugin[]> {
  const { settings, cwd } = options;
  const named = await findNamed(options);
  const { enabled, disabled } = settings.config.plugins;
  const unwanted = new Set([...disabled, ...named.map(({ id }) => id)]);
  const wanted = isSafeMode(settings) ? new Set<string>() : new Set(enabled).difference(unwanted);
  const discovery = new Discovery(settings.home, cwd);
  const changed = new Map<number, { candidate: Candidate; why: NotAgreed }>();
  const loaded = await Promise.all([...wanted].map(async (id, place): Promise<LoadedPlugin> => {
    let candidate: Candidate | undefined;
    try {
      candidate = await discovery.find(id);
      if (candidate === undefined) throw new PluginProblem("there is no such plugin");
      return withRival(candidate, await loadPlugin(candidate, options));
    } catch (error) {
      if (candidate && error instanceof NotAgreed) changed.set(place, { candidate, why: error });
      return brokenPlugin(id, error);
    }
  }));
  // One question at a time, in order.
  for (const [place, change] of [...changed].sort(([a], [b]) => a - b)) {
    loaded[place] = await loadChanged(change, options);
  }
  try {
    for (const candidate of named) {
      const loading = loadPlugin(candidate, options);
      loaded.push(await asMistakeOf(candidate.location, loading));
    }
  } catch (error) {
    await Promise.all(loaded.map(({ plugin }) => plugin?.close()));
    throw error;
  }
  return loaded;
}

/** Another plugin of that name must not go unnoticed, whichever is used. */
function withRival({ id, rival }: Candidate, loaded: LoadedPlugin): LoadedPlugin {
  if (rival === undefined) return loaded;
  const line = `${rival} has the same name and is not used. To use that one: ` +
    `hermes plugins enable ${id} --from user`;
  return { ...loaded, gaps: [...loaded.gaps ?? [], line] };
}

/** Loads a plugin that is not what was agreed to if the person agrees now; else says why not. */
async function loadChanged(
  { candidate, why }: { candidate: Candidate; why: NotAgreed },
  options: LoadOptions,
): Promise<LoadedPlugin> {
  const { id, origin, pinKey } = candidate;
  const { source, pin } = why;
  const { home } = options.settings;
  try {
    const snapshot = await openSnapshot(source, snapshotsOf(home));
    const { manifest } = snapshot;
    // An untrusted project does not get to ask.
    const mayAsk = pinKey !== undefined && (origin === "user" || pin !== undefined);
    if (mayAsk && await options.confirmChange?.({ candidate, snapshot, why })) {
      await pinAgreed(home, { key: pinKey, origin, source, manifest });
      return await loadPlugin(candidate, { ...options, source });
    }
    const more = pin ? permissionsBeyond(permissionsOf(manifest), pin.permissions) : [];
    const demand = more.length === 0 ? "" : `. It wants more than before: ${more.join("; ")}`;
    return brokenPlugin(id, new PluginProblem(`${why.message}${demand}`, { hint: why.hint ?? "" }));
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return brokenPlugin(id, why);
  }
}

async function findNamed(options: LoadOptions): Promise<Candidate[]> {
  const { extra = [] } = options;
  if (extra.length === 0) return [];
  const { runCandidate } = await import("./run_candidate.ts");
  const found: Candidate[] = [];
  for (const place of extra) {
    const candidate = await asMistakeOf(place, runCandidate(place, options));
    if (found.some(({ id }) => id === candidate.id)) {
      throw new UsageError(`--plugin ${place}: another one is called "${candidate.id}" as well`);
    }
    found.push(candidate);
  }
  return found;
}

/** What is wrong with a plugin that was named for this run ends the run. */
async function asMistakeOf<T>(place: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PluginProblem)) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    throw new UsageError(`--plugin ${place}: ${error.message}`, hint);
  }
}

/** `HERMES_SAFE_MODE` starts hermes without anything that was added to it. */
function isSafeMode(settings: Settings): boolean {
  return /^(1|true|yes|on)$/i.test(settings.env("HERMES_SAFE_MODE") ?? "");
}

/** Whatever is wrong with one plugin, the session goes on without it. */
function brokenPlugin(id: string, error: unknown): LoadedPlugin {
  // Which variable is missing says what to do.
  const hasHint = error instanceof HermesError && !(error instanceof MissingVariables);
  const hint = hasHint && error.hint !== undefined ? `. ${error.hint}` : "";
  return { id, problem: `${reasonOf(error)}${hint}` };
}

export type LoadOptions = Omit<OpenPluginsOptions, "report" | "ownCommands"> & {
  onEnd(id: string, reason: string): void;
  /** What was read of it and agreed to; default it is read, and must be what was agreed to. */
  source?: PluginSource;
};

/** Reads, checks and loads one plugin: the bytes that were checked. @throws {PluginProblem} when it cannot be used. */
export async function loadPlugin(
  candidate: Candidate,
  options: LoadOptions,
): Promise<LoadedPlugin & { plugin: Plugin }> {
  const { settings, cwd, userHome, log } = options;
  const { id } = candidate;
  const source = options.source ?? await readAgreed(candidate);
  const snapshot = await openSnapshot(source, snapshotsOf(settings.home));
  const { manifest } = snapshot;
  requireName(id, manifest);
  const config = requireSettings(manifest, settings);
  const known = entryOf(settings, id);
  const entry = candidate.foreign ? withoutGrants(known) : known;
  const plugin = await Plugin.load({
    snapshot,
    entry,
    config,
    place: {
      cwd,
      userHome,
      hermesRoot: settings.home.root,
      trusted: options.trusted,
      dataDir: settings.home.path("plugin-data", id),
      env: settings.env,
    },
    log: (text) => log(`${id}: ${text}`),
    onEnd: (reason) => options.onEnd(id, reason),
    registerTimeoutMs: options.registerTimeoutMs,
    mode: options.mode,
    without: options.without,
  });
  try {
    const { allowToolOverride } = entry;
    const rights = entry.trustFull ? HOOK_RIGHTS : manifest.permissions.hooks;
    const { sections, gaps } = await promptTexts(plugin, { snapshot, rights });
    gaps.push(...entryProblems(settings, id));
    const background = backgroundOf(plugin, { manifest, entry, gaps });
    const { version } = manifest;
    return { id, version, plugin, allowToolOverride, rights, sections, gaps, ...background };
  } catch (error) {
    await plugin.close();
    throw error;
  }
}

/** What a plugin does without being called; what its manifest does not declare becomes a gap. */
function backgroundOf(
  { registrations }: Plugin,
  { manifest: { permissions }, entry, gaps }: {
    manifest: PluginManifest;
    entry: PluginEntry;
    gaps: string[];
  },
): { background?: BackgroundParts } {
  const declared = keepDeclared(registrations, permissions);
  gaps.push(...declared.gaps);
  if (!declaresPush(permissions) && permissions.providers.length === 0) return {};
  const { turnsPerMinute, trustFull } = entry;
  const sessionRights = trustFull ? SESSION_RIGHTS : permissions.sessions;
  return { background: { allowed: declared.allowed, sessionRights, turnsPerMinute } };
}

/** What the person has agreed to. @throws {NotAgreed} when it is not, or no longer, that. */
export async function readAgreed(candidate: Candidate): Promise<PluginSource> {
  const source = await candidate.read();
  await candidate.check?.(source);
  return source;
}

/** @throws {PluginProblem} when a plugin cannot have the name. */
export function requireName(id: string, manifest: PluginManifest): void {
  if (manifest.name !== id) {
    throw new PluginProblem(`its manifest calls it "${manifest.name}"; give both the same name`);
  }
  requireFreeName(id);
}

/** @throws {PluginProblem} when the name is taken. */
export function requireFreeName(name: string): void {
  if (isOwnToolset(name)) {
    throw new PluginProblem(`"${name}" is the name of a built-in toolset; give it another`);
  }
  // Whoever has the name of a toolset owns its tools.
  if (name.startsWith("mcp-")) {
    throw new PluginProblem(`"${name}" is a name for the tools of an MCP server; give it another`);
  }
}

/** What a plugin adds to the system prompt: its sections, and where its skills are. */
async function promptTexts(
  plugin: Plugin,
  { snapshot, rights }: { snapshot: Snapshot; rights: readonly HookRight[] },
): Promise<{ sections: string[]; gaps: string[] }> {
  const { registrations, problems } = plugin;
  const gaps = [...problems];
  const lines: string[] = [];
  for (const skill of registrations.skills) {
    const file = await skillFile(skill, snapshot);
    const { name, description } = skill;
    if (file === undefined) gaps.push(`skill "${name}" is left out: it has no file ${skill.path}`);
    else lines.push(`- ${snapshot.manifest.name}:${name}: ${description} (${file})`);
  }
  const mayAdd = rights.includes("add_context");
  const sections = mayAdd ? registrations.sections.map(({ text }) => text) : [];
  if (!mayAdd && registrations.sections.length > 0) {
    const ids = registrations.sections.map((section) => section.id).join(", ");
    gaps.push(
      `prompt section ${ids} is left out: its manifest does not declare ` +
        "permissions.hooks: [add_context]",
    );
  }
  if (lines.length > 0) {
    sections.push(`Skills: read the file before such a task.\n${lines.join("\n")}`);
  }
  return { sections, gaps };
}

/** Where the model finds a skill; undefined when it is not there. */
async function skillFile(
  { name, content, path = "" }: SkillRecord,
  { dir, modulesDir }: Snapshot,
): Promise<string | undefined> {
  if (content === undefined) {
    const file = joinPath(modulesDir, path);
    return statOf(file)?.isFile ? file : undefined;
  }
  const file = joinPath(dir, "skills", `${name}.md`);
  if (readOptional(file) !== content) await saveFile(file, content);
  return file;
}
