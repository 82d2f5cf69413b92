/** The values of every secret the settings hold, so that they can be masked wherever they turn up. */
import { isSecretName } from "../util/redact.ts";
import type { Settings } from "./load.ts";
import { isSecretPath } from "./secrets.ts";
import { leaves } from "./tree.ts";

/** Secret variables of the process and of `.env`, and keys written into `config.yaml`. */
export function knownSecrets(settings: Pick<Settings, "variables" | "config">): string[] {
  const found = settings.variables().flatMap(([name, value]) => isSecretName(name) ? [value] : []);
  for (const [path, value] of leaves(settings.config)) {
    if (typeof value === "string" && isSecretPath(path)) found.push(value);
  }
  return [...new Set(found)].filter((value) => value !== "");
}
