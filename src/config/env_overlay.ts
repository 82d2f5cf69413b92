/** Settings that variables override, checked without the schema library. */
import { UsageError } from "../protocol/error.ts";
import { didYouMean } from "../util/nearest.ts";
import { DEFAULTS } from "./defaults_data.ts";
import { ENV_KEYS, type EnvKey } from "./env_data.ts";
import { getPath } from "./tree.ts";

export interface EnvOverride {
  path: string;
  /** The variable it came from. */
  name: string;
  value: unknown;
}

const TRUE = new Set(["1", "true", "yes", "on"]);
const FALSE = new Set(["0", "false", "no", "off"]);

/**
 * The overrides that `env` holds.
 * @throws {UsageError} when a variable's text does not fit its setting.
 */
export function envOverrides(env: (name: string) => string | undefined): EnvOverride[] {
  const found: EnvOverride[] = [];
  for (const key of ENV_KEYS) {
    const name = key.names.find((candidate) => env(candidate) !== undefined);
    if (name === undefined) continue;
    found.push({ path: key.path, name, value: convert(env(name)!.trim(), key, name) });
  }
  return found;
}

/** The default tells what kind of value is wanted. */
function convert(text: string, key: EnvKey, name: string): unknown {
  const sample = getPath(DEFAULTS, key.path);
  if (key.choices !== undefined && !key.choices.includes(text)) {
    const choices = key.choices.filter((choice) => choice !== "");
    throw new UsageError(`${name} does not know "${text}".${didYouMean(text, choices)}`, {
      hint: `Choose one of: ${choices.join(", ")}.`,
    });
  }
  if (typeof sample === "number") return toNumber(text, name);
  if (typeof sample === "boolean") return toBoolean(text, name);
  return Array.isArray(sample) ? toList(text) : text;
}

function toNumber(text: string, name: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(`${name} must be a number of at least 0, not "${text}"`, {
    hint: `Correct the variable, or remove it: unset ${name}`,
  });
}

function toBoolean(text: string, name: string): boolean {
  const word = text.toLowerCase();
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  throw new UsageError(`${name} must be true or false, not "${text}"`, {
    hint: `Correct the variable, or remove it: unset ${name}`,
  });
}

/** A JSON list, or words with commas. */
function toList(text: string): string[] {
  if (text.startsWith("[")) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return parsed.map(String);
    } catch {
      // Not JSON after all: read it as words.
    }
  }
  return text.split(",").map((word) => word.trim()).filter((word) => word !== "");
}
