/** Which settings hold secrets, and how a secret is shown: not at all. */
import { isSecretName } from "../text/redact.ts";

/** Keys of ours that only sound secret. */
const HARMLESS_KEYS = new Set(["max_tokens", "ssh_key", "key_env", "redact_secrets"]);
/** Mappings whose values people fill with credentials, whatever the name. */
const SECRET_PARENTS = new Set(["headers", "extra_headers", "env", "docker_env"]);

/** What is printed in place of a secret. */
export const HIDDEN = "********";

/** True when the value at a dotted path of `config.yaml` must not be shown. */
export function isSecretPath(path: string): boolean {
  const keys = path.split(".");
  const last = keys.at(-1)!;
  if (SECRET_PARENTS.has(keys.at(-2) ?? "")) return true;
  return isSecretName(last) && !HARMLESS_KEYS.has(last);
}

/** Names of variables, which live in `.env` and not in `config.yaml`. */
export function isVariableName(name: string): boolean {
  return /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(name);
}

/** The value as it may be shown: hidden when secret and set. */
export function showValue(path: string, value: unknown): unknown {
  if (isSecretPath(path) && value !== "" && value !== null && value !== undefined) return HIDDEN;
  if (Array.isArray(value)) return value.map((item, i) => showValue(`${path}.${i}`, item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, showValue(`${path}.${key}`, item)]),
  );
}
