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
/**
 * How long a look at the files counts: a call's result is redacted in several places. Shorter than
 * any command takes, which could write a file and print it.
 */
const FRESH_MS = 0.5;
/** A directory that changed less than this ago may have changed again without a newer time. */
const SETTLED_MS = 2_000;

/** Takes known secrets out of text, unless the operator wants them kept. */
export function projectRedactor(
  settings: Pick<Settings, "variables" | "config">,
  directory: string,
  now: () => number = Date.now,
): Redactor {
  const plain = settingsRedactor(settings);
  if (!settings.config.security.redact_secrets) return plain;
  // A value that a file held once may stand in a copy of it.
  const secrets = new Set<string>();
  let redact = plain;
  let seen = "";
  let lookedAt = -Infinity;
  const versionOf = createLook(directory, now);
  return (text, mode) => {
    const at = performance.now();
    if (at - lookedAt < FRESH_MS) return redact(text, mode);
    lookedAt = at;
    const version = versionOf();
    if (version !== seen) {
      seen = version;
      const known = secrets.size;
      for (const secret of secretsOf(directory)) secrets.add(secret);
      if (secrets.size > known) redact = createRedactor([...knownSecrets(settings), ...secrets]);
    }
    return redact(text, mode);
  };
}

/**
 * A text that changes when one of the files does; empty when there is none. Which of them exist is
 * only asked again after the directory has changed.
 */
function createLook(directory: string, now: () => number): () => string {
  let names = ENV_FILES;
  let listedAt: number | undefined;
  return () => {
    const changedAt = changeTime(directory);
    if (changedAt === undefined || changedAt !== listedAt) {
      names = ENV_FILES.filter((name) => lookAt(joinPath(directory, name)) !== undefined);
      const isSettled = changedAt !== undefined && now() - changedAt > SETTLED_MS;
      listedAt = isSettled ? changedAt : undefined;
    }
    let version = "";
    for (const name of names) {
      const info = lookAt(joinPath(directory, name));
      if (info !== undefined) version += `${name} ${info.ctime?.getTime()} ${info.size} `;
    }
    return version;
  };
}

/** When a name in the directory was last added or removed; unlike `mtime`, no command can set it. */
function changeTime(directory: string): number | undefined {
  try {
    return Deno.statSync(directory).ctime?.getTime();
  } catch {
    // Removed, or not to be seen: so are its files.
    return undefined;
  }
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
