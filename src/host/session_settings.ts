/** The settings of one session: those of the host, with what its spec overrides. */
import { environmentOverrides } from "../../environments/manifest.ts";
import type { Settings } from "../config/load.ts";
import { getPath, setPath, type Tree } from "../config/tree.ts";

/** The host's settings with the environment a spec names. @throws {UsageError} for an unknown one. */
export function settingsFor(settings: Settings, environment: string | undefined): Settings {
  if (environment === undefined) return settings;
  const overrides = environmentOverrides(environment);
  // Only the terminal section is another one: copying all of it would cost every session.
  const { terminal } = settings.config;
  const config = { ...settings.config, terminal: { ...terminal } };
  for (const [path, value] of Object.entries(overrides)) {
    setPath(config as unknown as Tree, path, value);
  }
  return {
    ...settings,
    config,
    get: (path) => getPath(config as unknown as Tree, path),
    origin: (path) => Object.hasOwn(overrides, path) ? "flag" : settings.origin(path),
  };
}
