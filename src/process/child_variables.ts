/**
 * Which variables a child process gets: those of an allow-list, unless their value looks like a
 * credential, and those the operator names. Used for everything hermes starts that is not the
 * person's own editor or shell.
 */
import { PASSED_ADDRESSES, PASSED_NAMES, PASSED_PREFIXES } from "./child_variables_data.ts";
import { isSecretName, looksRandom, redactSecrets } from "../text/redact.ts";

type Variables = Readonly<Record<string, string>>;

/** The variables of `env` that may be passed on; those in `pass` as they are. */
export function childVariables(
  env: Variables,
  pass: Iterable<string> = [],
): Record<string, string> {
  const named = new Set(pass);
  const child: Record<string, string> = {};
  for (const name in env) {
    const value = named.has(name) ? env[name] : passedValue(name, env[name]!);
    if (value !== undefined) child[name] = value;
  }
  return child;
}

/** The value a child sees; undefined when the variable is withheld. */
function passedValue(name: string, value: string): string | undefined {
  const address = PASSED_ADDRESSES.has(name);
  if (!address && !PASSED_NAMES.has(name)) {
    const family = PASSED_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (!family || isSecretName(name)) return undefined;
  }
  if (!address) return looksSecret(value) ? undefined : value;
  const plain = value.replaceAll(USER_INFO, "$1");
  const secret = plain.includes("@") || plain.split(/[/,|\s]/).some(looksRandom);
  return secret || looksSecret(plain) ? undefined : plain;
}

/** Name, password or token before the host of an address. */
const USER_INFO = /(^|:\/\/|[\s,|])[^\s/,|]{1,4096}@/g;

function looksSecret(value: string): boolean {
  return redactSecrets(value, "prose") !== value;
}
