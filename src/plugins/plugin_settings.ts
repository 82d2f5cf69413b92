/** A plugin's own settings: the operator's values checked against what its manifest declares. */
import type { Settings } from "../config/load.ts";
import { getPath, isTree } from "../config/tree.ts";
import type { PluginManifest } from "../protocol/plugin.ts";
import { didYouMean } from "../util/nearest.ts";
import { PluginProblem } from "./problem.ts";

/** What the operator says about one plugin in `plugins.entries.<id>`. */
export interface PluginEntry {
  config: Record<string, unknown>;
  /** Loaded into hermes itself, without walls. */
  trustFull: boolean;
  /** May replace tools of others. */
  allowToolOverride: boolean;
  memoryMb: number;
  /** Turns it may begin unasked. */
  turnsPerMinute: number;
  /** A file of certificates (PEM) that it may trust beside the usual ones. */
  caFile?: string;
}

const MEMORY_MB = 256;
const TURNS_PER_MINUTE = 6;

/** The entry of a plugin. */
export function entryOf(settings: Settings, id: string): PluginEntry {
  return readEntry(getPath(settings.config.plugins.entries, id));
}

/** An entry without what it grants: that was meant for another plugin of the name. */
export function withoutGrants(entry: PluginEntry): PluginEntry {
  return { ...entry, trustFull: false, allowToolOverride: false };
}

/** What an entry grants, for people. */
export function describeGrants({ trustFull, allowToolOverride }: PluginEntry): string[] {
  return [
    ...(trustFull ? ["do everything: it runs inside hermes without walls (trust: full)"] : []),
    ...(allowToolOverride ? ["replace tools of others"] : []),
  ];
}

/** Reads an entry; anything it does not say is the safe choice. */
export function readEntry(value: unknown): PluginEntry {
  const fields = isTree(value) ? value : {};
  const config = fields.config ?? fields.settings;
  const { memory_mb: memory, turns_per_minute: turns, ca_file: caFile } = fields;
  return {
    config: isTree(config) ? config : {},
    trustFull: fields.trust === "full",
    allowToolOverride: fields.allow_tool_override === true,
    memoryMb: isPositive(memory) ? memory : MEMORY_MB,
    turnsPerMinute: isPositive(turns) ? turns : TURNS_PER_MINUTE,
    ...(isAbsolute(caFile) ? { caFile } : {}),
  };
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}

function isAbsolute(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("/");
}

/** What an entry may say. */
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  config: isTree,
  settings: isTree,
  trust: (value) => value === "full",
  "allow_tool_override": (value) => typeof value === "boolean",
  "memory_mb": isPositive,
  "turns_per_minute": isPositive,
  "ca_file": isAbsolute,
};

/** What an entry says in vain, one line each. */
export function entryProblems(settings: Settings, id: string): string[] {
  const entry = getPath(settings.config.plugins.entries, id);
  return Object.entries(isTree(entry) ? entry : {}).flatMap(([name, value]) => {
    const problem = entryProblem(name, value);
    return problem === undefined ? [] : [`plugins.entries.${id}.${name} is ignored: ${problem}`];
  });
}

/** Why a key of an entry, or its value, means nothing. */
export function entryProblem(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(FITS, name)) {
    return `there is no such key.${didYouMean(name, Object.keys(FITS))}`;
  }
  return FITS[name]!(value) ? undefined : "it cannot have this value";
}

/** Variables that a plugin cannot be without are not set. */
export class MissingVariables extends PluginProblem {
  override name = "MissingVariables";
  constructor(names: readonly string[]) {
    super(`missing: ${names.join(", ")}`, {
      hint: `Set the variable: hermes config set ${names[0]} -`,
    });
  }
}

/**
 * The plugin's settings, once everything it needs is set.
 * @throws {PluginProblem} when a variable is missing or a setting does not fit.
 */
export function requireSettings(
  manifest: PluginManifest,
  settings: Settings,
): Record<string, unknown> {
  const missing = manifest.requiresEnv.filter((name) => !settings.env(name));
  if (missing.length > 0) throw new MissingVariables(missing);
  return checkConfig(manifest, entryOf(settings, manifest.name).config);
}

/** The settings with defaults applied. @throws {PluginProblem} when one is missing or of the wrong type. */
export function checkConfig(
  manifest: PluginManifest,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(given)) checkSetting(manifest, { name, value });
  const entries = Object.entries(manifest.config).flatMap(([name, setting]) => {
    const value = given[name] ?? setting.default;
    if (value === undefined && setting.required) {
      const key = keyOf(manifest, name);
      throw new PluginProblem(`it needs ${key}`, { hint: `Set it: hermes config set ${key} …` });
    }
    if (value !== undefined) checkSetting(manifest, { name, value });
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** One setting. @throws {PluginProblem} when the plugin has none of the name, or one of another type. */
export function checkSetting(
  manifest: PluginManifest,
  { name, value }: { name: string; value: unknown },
): void {
  const key = keyOf(manifest, name);
  const setting = Object.hasOwn(manifest.config, name) ? manifest.config[name] : undefined;
  if (setting === undefined) {
    const meant = didYouMean(name, Object.keys(manifest.config));
    throw new PluginProblem(`${key} is no setting of it.${meant}`, {
      hint: `Remove it: hermes config unset ${key}`,
    });
  }
  // Null is as good as nothing.
  if (value === undefined || value === null || kindOf(value) === setting.type) return;
  throw new PluginProblem(`${key} must be a ${setting.type}, not a ${kindOf(value)}`, {
    hint: `Set it: hermes config set ${key} …`,
  });
}

function keyOf({ name }: PluginManifest, setting: string): string {
  return `plugins.entries.${name}.config.${setting}`;
}

/** Settings that fit, for a look at what a plugin brings before anybody has set one. */
export function sampleConfig({ config }: PluginManifest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, { type, required, default: standard }]) =>
      standard !== undefined || required ? [[name, standard ?? SAMPLES[type]]] : []
    ),
  );
}

const SAMPLES = { string: "", number: 0, boolean: false, list: [] };

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}
