/** The values of every secret the settings hold, so that they can be masked wherever they turn up. */
import { createRedactor, isSecretName, type Redactor } from "../util/redact.ts";
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

/** Takes them out of text, unless the operator wants them kept. Made for the first text, not before. */
export function settingsRedactor(settings: Pick<Settings, "variables" | "config">): Redactor {
  if (!settings.config.security.redact_secrets) return (text) => text;
  let redact: Redactor | undefined;
  return (text, mode) => (redact ??= createRedactor(knownSecrets(settings)))(text, mode);
}
