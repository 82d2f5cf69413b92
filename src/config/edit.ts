/**
 * Changing `config.yaml` and `.env` for good: one writer at a time, checked before it is
 * written, replaced whole. Loads the YAML libraries; never on the way to the first request.
 */
import { UsageError } from "../protocol/error.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { checkConfigText, formatProblem } from "./check.ts";
import { unknownSetting } from "./describe.ts";
import { DEFAULTS } from "./defaults_data.ts";
import { editEnvFile } from "./env_file.ts";
import { type Home, requireProfile } from "./home.ts";
import { readOptional } from "./load.ts";
import { notWritable } from "./not_writable.ts";
import { getPath } from "./tree.ts";
import { setInYaml, unsetInYaml } from "./yaml_splice.ts";

export interface ConfigChange {
  /** Dotted key. */
  key: string;
  /** From what the file says now (undefined: nothing) to what it shall say; undefined removes the key. */
  change(current: unknown): unknown;
}

export interface ConfigEdit {
  file: string;
  /** The key that was meant: a section's short name stands for its main one. */
  key: string;
  before: unknown;
  after: unknown;
}

/**
 * Changes one key of `config.yaml` and nothing else in it.
 * @throws {UsageError} when the key or the value is wrong, or the file is broken.
 */
export async function editConfig(home: Home, { key, change }: ConfigChange): Promise<ConfigEdit> {
  const path = normalizeKey(key);
  const file = home.path("config.yaml");
  return await withLock(home, async () => {
    const text = readOptional(file) ?? "";
    const current = await checkConfigText(text);
    const broken = current.problems.find((problem) => problem.path === "");
    if (broken) throw new UsageError(formatProblem(file, broken), { hint: broken.fix });
    const before = getPath(current.tree, path);
    const after = change(before);
    const edited = after === undefined ? unsetInYaml(text, path) : setInYaml(text, path, after);
    const checked = await checkConfigText(edited);
    const problem = checked.problems.find((candidate) => concerns(candidate.path, path));
    if (problem) throw new UsageError(problem.message, { hint: problem.fix });
    const unknown = checked.warnings.find((candidate) => concerns(candidate.path, path));
    if (unknown !== undefined && after !== undefined) throw unknownSetting(path);
    if (edited !== text) await replaceFile(file, edited);
    return { file, key: path, before, after };
  });
}

/** Sets or removes a variable in `.env`, readable by the owner only. Returns the file's path. */
export async function editVariable(
  home: Home,
  { name, value }: { name: string; value: string | undefined },
): Promise<string> {
  const file = home.path(".env");
  return await withLock(home, async () => {
    const text = readOptional(file) ?? "";
    await replaceFile(file, editEnvFile(text, { name, value }));
    return file;
  });
}

/** What a person typed, as the kind of value the key holds. */
export function parseSetting(key: string, text: string): unknown {
  const sample = getPath(DEFAULTS, normalizeKey(key));
  if (typeof sample === "string") return text;
  if (Array.isArray(sample) && !text.trim().startsWith("[")) {
    return text.split(",").map((word) => word.trim()).filter((word) => word !== "");
  }
  const word = text.trim().toLowerCase();
  if (["true", "yes", "on"].includes(word)) return true;
  if (["false", "no", "off"].includes(word)) return false;
  if (["null", "none", "~"].includes(word)) return null;
  if (/^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(word)) return Number(word);
  return parseJson(key, text);
}

/** Lists and mappings are written as JSON; anything else is text. */
function parseJson(key: string, text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`the value for ${key} looks like JSON but is not`, {
      hint: `Example: hermes config set ${key} '["a", "b"]'`,
      cause,
    });
  }
}

/** A section's short name means its main key. */
function normalizeKey(key: string): string {
  if (key.split(".").some((part) => part.trim() === "" || /\s/.test(part))) {
    throw new UsageError(`"${key}" is no key`, {
      hint: "Write it with dots and without blanks: terminal.backend",
    });
  }
  return key === "model" ? "model.default" : key;
}

/** True when a complaint about `path` is about `key`, something in it or something around it. */
function concerns(path: string, key: string): boolean {
  return path === "" || path === key || path.startsWith(`${key}.`) || key.startsWith(`${path}.`);
}

/** Two editors at once would lose one edit. */
async function withLock<T>(home: Home, work: () => Promise<T>): Promise<T> {
  await requireProfile(home);
  const path = home.path(".config.lock");
  let file: Deno.FsFile;
  try {
    await Deno.mkdir(home.dir, { recursive: true, mode: 0o700 });
    file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  } catch (error) {
    throw notWritable(home.dir, error);
  }
  using held = file;
  await held.lock(true);
  return await work();
}

/** Follows a symlink, so that a linked file stays linked. */
async function replaceFile(path: string, text: string): Promise<void> {
  const target = await Deno.realPath(path).catch(() => path);
  try {
    await writeFileAtomic(target, text, { mode: 0o600 });
  } catch (error) {
    throw notWritable(target, error);
  }
}
