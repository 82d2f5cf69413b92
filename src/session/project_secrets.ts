/**
 * The redactor of a session's tools: it knows the secrets of the settings and those in the `.env`
 * files of the session's directory. Commands that print every file of a project name no secret
 * place, so what they print is masked by value.
 */
import { envFileSecrets, knownSecrets, settingsRedactor } from "../config/known_secrets.ts";
import type { Settings } from "../config/load.ts";
import { readForeignText } from "../text/foreign_text.ts";
import { joinPath } from "../util/path.ts";
import { createRedactor, type Redactor } from "../text/redact.ts";
import { ENV_FILES } from "./env_files_data.ts";

const MAX_BYTES = 64 * 1024;
/** How long a look at the files counts: a call's result is redacted in several places. */
const FRESH_MS = 100;

/** Takes known secrets out of text, unless the operator wants them kept. */
export function projectRedactor(
  settings: Pick<Settings, "variables" | "config">,
  directory: string,
): Redactor {
  const plain = settingsRedactor(settings);
  if (!settings.config.security.redact_secrets) return plain;
  // A value that a file held once may stand in a copy of it.
  const secrets = new Set<string>();
  let redact = plain;
  let seen = "";
  let lookedAt = -Infinity;
  return (text, mode) => {
    const now = performance.now();
    if (now - lookedAt < FRESH_MS) return redact(text, mode);
    lookedAt = now;
    const version = versionOf(directory);
    if (version !== seen) {
      seen = version;
      const known = secrets.size;
      for (const secret of secretsOf(directory)) secrets.add(secret);
      if (secrets.size > known) redact = createRedactor([...knownSecrets(settings), ...secrets]);
    }
    return redact(text, mode);
  };
}

/** Changes when one of the files does; empty when there is none. */
function versionOf(directory: string): string {
  let version = "";
  for (const name of ENV_FILES) {
    const info = lookAt(joinPath(directory, name));
    if (info !== undefined) version += `${name} ${info.mtime?.getTime()} ${info.size} `;
  }
  return version;
}

function lookAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    // Most projects have none of them.
    return undefined;
  }
}

function secretsOf(directory: string): string[] {
  return ENV_FILES.flatMap((name) => {
    const path = realPath(joinPath(directory, name));
    const text = path === undefined ? undefined : readForeignText(path, MAX_BYTES);
    return text === undefined ? [] : envFileSecrets(text);
  });
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Absent, or a link to nothing.
    return undefined;
  }
}
