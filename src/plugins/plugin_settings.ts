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
    const key = `plugins.entries.${id}.${name}`;
    if (!Object.hasOwn(FITS, name)) {
      return [`${key} is ignored: there is no such key.${didYouMean(name, Object.keys(FITS))}`];
    }
    return FITS[name]!(value) ? [] : [`${key} is ignored: it cannot have this value`];
  });
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
  if (missing.length > 0) throw new PluginProblem(`missing: ${missing.join(", ")}`);
  return checkConfig(manifest, entryOf(settings, manifest.name).config);
}

/** The settings with defaults applied. @throws {PluginProblem} when one is missing or of the wrong type. */
export function checkConfig(
  manifest: PluginManifest,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const key = (name: string) => `plugins.entries.${manifest.name}.config.${name}`;
  const known = Object.keys(manifest.config);
  const odd = Object.keys(given).find((name) => !known.includes(name));
  if (odd !== undefined) {
    throw new PluginProblem(`${key(odd)} is no setting of it.${didYouMean(odd, known)}`);
  }
  const entries = Object.entries(manifest.config).flatMap(([name, setting]) => {
    const value = given[name] ?? setting.default;
    if (value === undefined && setting.required) {
      throw new PluginProblem(`it needs ${key(name)}`, {
        hint: `Set it: hermes config set ${key(name)} …`,
      });
    }
    if (value !== undefined && kindOf(value) !== setting.type) {
      throw new PluginProblem(`${key(name)} must be a ${setting.type}, not a ${kindOf(value)}`);
    }
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
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
