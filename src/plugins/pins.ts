/**
 * `plugin-pins.json`: what a person has agreed to run. A plugin in the home is pinned when it is
 * enabled, one of a project when it is trusted: where it comes from, the hash of every file,
 * and what it asked for. Records are sealed; nothing here reads a plugin.
 */
import type { Home } from "../config/home.ts";
import type { PluginManifest, PluginPermissions } from "../protocol/plugin.ts";
import { permissionsOf } from "./powers.ts";
import { PluginProblem } from "./problem.ts";
import { changeRecord, type Kept, readRecord, type RecordsFile } from "./records.ts";
import { hashesOf, type PluginOrigin, type PluginSource, shortName } from "./source.ts";

export interface Pin {
  origin: PluginOrigin;
  /** URL of the entry module. */
  entry: string;
  /**
   * SHA-256 of every file by its URL, of a folder's plugin: a bundled one is as good as hermes
   * itself, and `plugins.lock` has the hashes of one from an address.
   */
  files: Record<string, string>;
  permissions: PluginPermissions;
}

const FILE: RecordsFile<Pin> = {
  name: "plugin-pins.json",
  key: "pins",
  hint: "Delete it and agree again: hermes plugins enable, hermes plugins trust",
  isRecord: ({ origin, entry, files, permissions }) =>
    [origin, entry, ...Object.values(files)].every((text) => typeof text === "string") &&
    Object.values(permissions).every((list) => Array.isArray(list)),
};

/** Not agreed to as it is now. Carries what is needed to ask. */
export class NotAgreed extends PluginProblem {
  override name = "NotAgreed";
  readonly source: PluginSource;
  /** What was agreed to before. */
  readonly pin: Pin | undefined;
  constructor(
    message: string,
    { source, pin, hint }: { source: PluginSource; pin?: Pin | undefined; hint: string },
  ) {
    super(message, { hint });
    this.source = source;
    this.pin = pin;
  }
}

/** Pins are kept by a plugin's name, those of projects by where the plugin is. @throws {PluginProblem} when the file is damaged. */
export async function readPinned(home: Home, key: string): Promise<Kept<Pin> | undefined> {
  return await readRecord(home, { file: FILE, name: key });
}

/** What was agreed to; undefined when the person has agreed to nothing. @throws {PluginProblem} when the file is damaged. */
export async function sealedPin(home: Home, key: string): Promise<Pin | undefined> {
  const kept = await readPinned(home, key);
  return kept?.sealed ? kept.record : undefined;
}

/** Agrees to a plugin as this source is. */
export async function pinAgreed(
  home: Home,
  { key, origin, source, manifest }: {
    key: string;
    origin: PluginOrigin;
    source: PluginSource;
    manifest: PluginManifest;
  },
): Promise<void> {
  const isFolder = origin === "user" || origin === "project";
  const record: Pin = {
    origin,
    entry: source.entry,
    files: isFolder ? Object.fromEntries(await hashesOf(source)) : {},
    permissions: permissionsOf(manifest),
  };
  await changeRecord(home, FILE, { name: key, record });
}

/** Takes an agreement back. */
export async function forgetPin(home: Home, key: string): Promise<void> {
  if (await readPinned(home, key) === undefined) return;
  await changeRecord(home, FILE, { name: key, record: undefined });
}

/** How a source differs from what was pinned, in words; empty when it is the same. */
export async function changesSince(pin: Pin, source: PluginSource): Promise<string> {
  const now = Object.fromEntries(await hashesOf(source));
  const urls = [...new Set([...Object.keys(pin.files), ...Object.keys(now)])].sort();
  const changes = urls.flatMap((url) => {
    const [before, after] = [pin.files[url], now[url]];
    if (before === after) return [];
    const what = before === undefined ? "is new" : after === undefined ? "is gone" : "is another";
    return [`${shortName(url)} ${what}`];
  });
  if (changes.length === 0) return pin.entry === source.entry ? "" : "it begins elsewhere";
  const [shown, left] = [changes.slice(0, MAX_SHOWN), changes.length - MAX_SHOWN];
  return shown.join(", ") + (left > 0 ? ` and ${left} more` : "");
}

const MAX_SHOWN = 4;
