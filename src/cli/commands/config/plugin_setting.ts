/** A value for `plugins.entries.NAME.…`, read and checked by what the plugin's manifest declares. */
import { parseSetting } from "../../../config/edit.ts";
import type { Home } from "../../../config/home.ts";
import { Discovery } from "../../../plugins/discover.ts";
import { checkSetting, entryProblem } from "../../../plugins/plugin_settings.ts";
import { HermesError, UsageError } from "../../../protocol/error.ts";
import type { PluginManifest } from "../../../protocol/plugin.ts";
import { openSnapshot, snapshotsOf } from "../../../plugins/snapshot.ts";

const KEY = /^plugins\.entries\.([^.]+)\.([^.]+)(?:\.([^.]+))?$/;

/** The value as the plugin wants it; undefined for a key that is about no plugin. @throws {UsageError} */
export async function pluginSetting(
  home: Home,
  { key, text }: { key: string; text: string },
): Promise<{ value: unknown } | undefined> {
  const [, id, field, setting] = KEY.exec(key) ?? [];
  if (id === undefined || field === undefined) return undefined;
  const value = parseSetting(key, text);
  if (setting === undefined || (field !== "config" && field !== "settings")) {
    const problem = setting === undefined ? entryProblem(field, value) : undefined;
    if (problem !== undefined) throw new UsageError(`${key}: ${problem}`);
    return { value };
  }
  const manifest = await manifestOf(home, id);
  // It may be set before the plugin is there.
  if (manifest === undefined) return { value };
  const { type } = manifest.config[setting] ?? {};
  const wanted = type === "string" ? text : type === "list" ? listOf(value) : value;
  try {
    checkSetting(manifest, { name: setting, value: wanted });
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    throw new UsageError(error.message, { hint: `See its settings: hermes plugins info ${id}` });
  }
  return { value: wanted };
}

async function manifestOf(home: Home, id: string): Promise<PluginManifest | undefined> {
  try {
    const candidate = await new Discovery(home, Deno.cwd()).find(id);
    const source = await candidate?.read();
    return source && (await openSnapshot(source, snapshotsOf(home))).manifest;
  } catch (error) {
    // A plugin that cannot be read is said to be broken when it is used.
    if (error instanceof HermesError) return undefined;
    throw error;
  }
}

function listOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value.split(",").map((word) => word.trim()).filter((word) => word !== "");
}
