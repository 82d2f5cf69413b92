/** The values of every secret the settings hold, so that they can be masked wherever they turn up. */
import { childVariables } from "../process/child_variables.ts";
import { existsSync } from "../util/exists.ts";
import {
  createRedactor,
  isSecretName,
  looksRandom,
  type Redactor,
  redactSecrets,
} from "../text/redact.ts";
import { parseEnvFile } from "./env_file.ts";
import type { Settings } from "./load.ts";
import { isSecretPath } from "./secrets.ts";
import { leaves } from "./tree.ts";

/** Secret variables of the process and of `.env`, and keys written into `config.yaml`. */
export function knownSecrets(settings: Pick<Settings, "variables" | "config">): string[] {
  const found = settings.variables().flatMap(([name, value]) => secretsIn(name, value));
  for (const [path, value] of leaves(settings.config)) {
    if (typeof value !== "string") continue;
    if (isSecretPath(path)) found.push(value);
    else found.push(...urlSecrets(value));
  }
  return [...new Set(found)].filter((value) => value !== "");
}

/** The secrets of a project's own `.env` file, without passwords that are words of every text. */
export function envFileSecrets(text: string): string[] {
  return [...parseEnvFile(text)].flatMap(([name, value]) => secretsIn(name, value))
    .filter((value) => !/^[a-z]{0,15}$/i.test(value));
}

/** What of a variable is secret: nothing, its value, or parts of it. */
function secretsIn(name: string, value: string): string[] {
  // Where a key lies is no secret, and hiding it would hide every path beside it.
  if (isPath(value)) return [];
  const inside = [...urlSecrets(value), ...jsonSecrets(value)];
  if (isSecretName(name)) {
    return inside.length === 0 || !value.startsWith("{") ? [value, ...inside] : inside;
  }
  // What commands may see is no secret, but for the part that is taken out of an address.
  if (Object.hasOwn(childVariables({ [name]: value }), name)) return urlSecrets(value);
  const words = value.split(/[/?&=\s]/);
  const secret = inside.length > 0 || words.some(looksRandom) ||
    redactSecrets(value, "code") !== value;
  return secret && !value.startsWith("{") ? [value, ...inside] : inside;
}

/** True for a path, or a list of some, that exists: a key may begin with a slash too. */
function isPath(value: string): boolean {
  const paths = value.replace(/^(?:unix|file|npipe):\/\//, "").split(":").filter((part) =>
    part !== ""
  );
  if (paths.length === 0 || paths.some((path) => !/^(?:~|\.{1,2})?\//.test(path))) return false;
  return paths.some((path) => path[0] !== "/" || existsSync(path));
}

/** Password, or token, of an address. */
function urlSecrets(value: string): string[] {
  if (!value.includes("://") || !value.includes("@")) return [];
  const url = URL.parse(value);
  if (url === null) return [];
  const secret = url.password || url.username;
  return secret === "" ? [] : [secret, decode(secret)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that encodes nothing.
  }
}

/** Secret fields of an account file that a variable holds. */
function jsonSecrets(value: string): string[] {
  if (!value.startsWith("{")) return [];
  try {
    const fields = [...leaves(JSON.parse(value))];
    return fields.flatMap(([path, field]) => {
      const name = path.slice(path.lastIndexOf(".") + 1);
      return typeof field === "string" && isSecretName(name) ? [field] : [];
    });
  } catch {
    return []; // Not JSON.
  }
}

/** Takes them out of text, unless the operator wants them kept. Made for the first text, not before. */
export function settingsRedactor(settings: Pick<Settings, "variables" | "config">): Redactor {
  if (!settings.config.security.redact_secrets) return (text) => text;
  let redact: Redactor | undefined;
  return (text, mode) => (redact ??= createRedactor(knownSecrets(settings)))(text, mode);
}
