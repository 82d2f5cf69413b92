/** The settings of one session: those of the host, with what its spec overrides. */
import { environmentOverrides } from "../../environments/manifest.ts";
import type { Settings } from "../config/load.ts";
import { getPath, setPath, type Tree } from "../config/tree.ts";
import type { SessionSpec } from "../protocol/session_spec.ts";

type Overriding = Pick<SessionSpec, "environment" | "sandbox" | "network">;

/** The host's settings with the place and walls a spec names. @throws {UsageError} for an unknown place. */
export function settingsFor(settings: Settings, spec: Overriding): Settings {
  const overrides = {
    ...(spec.environment === undefined ? {} : environmentOverrides(spec.environment)),
    ...(spec.sandbox === undefined ? {} : { "terminal.sandbox": spec.sandbox }),
    ...(spec.network === undefined ? {} : { "terminal.network": spec.network }),
  };
  if (Object.keys(overrides).length === 0) return settings;
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
