/**
 * Settings of one run: defaults < `config.yaml` < `.env` < environment < flags. Without a
 * file nothing but two failed reads happens; a file is checked once and its result cached under
 * a seal over both, so that YAML and schema libraries load only after an edit.
 */
import { UsageError } from "../protocol/error.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { reasonOf } from "../util/reason.ts";
import { Seal, SEAL_KEY_FILE } from "../util/seal.ts";
import { VERSION } from "../util/version.ts";
import { DEFAULTS } from "./defaults_data.ts";
import { brokenEnvLines, parseEnvFile } from "./env_file.ts";
import { envOverrides } from "./env_overlay.ts";
import { type EnvRecord, type Home, requireProfile } from "./home.ts";
import { closeCommand, type FileRights, isForeign, othersWhoChange } from "./other_users.ts";
import type { Config } from "./schema.ts";
import { getPath, isTree, mapStrings, mergeTrees, setPath, type Tree } from "./tree.ts";

export interface Settings {
  readonly home: Home;
  readonly config: Config;
  /** One line each: unknown keys, unset variables. */
  readonly warnings: readonly string[];
  /** A variable: the process's own first, then `.env`. Empty counts as unset. */
  env(name: string): string | undefined;
  /** Every variable by name, those of `.env` included. */
  variables(): [string, string][];
  /** The value at a dotted path of the configuration. */
  get(path: string): unknown;
  /** Where the value at a path comes from: `default`, `config.yaml`, a variable's name, `flag`. */
  origin(path: string): string;
}

export interface LoadOptions {
  home: Home;
  env: EnvRecord;
  /** What flags say, by dotted path; undefined values are skipped. */
  overrides?: Readonly<Record<string, unknown>>;
}

interface FileResult {
  tree: Tree;
  warnings: string[];
}

/** @throws {UsageError} when the configuration cannot be used: says where, what and how to fix it. */
export async function loadSettings(options: LoadOptions): Promise<Settings> {
  const { home } = options;
  await requireProfile(home);
  const loose: string[] = [];
  const file = await readConfigFile(home, loose);
  const envText = readOptional(home.path(".env"), loose) ?? "";
  const stored = parseEnvFile(envText);
  const env = (name: string) => {
    const own = Object.hasOwn(options.env, name) ? options.env[name] : undefined;
    return own || stored.get(name) || undefined;
  };
  const broken = brokenEnvLines(envText).map((line) => envLineProblem(home, line));
  const warnings = [...directoryWarnings(home), ...loose, ...broken, ...file.warnings];
  const expanded = mapStrings(file.tree, (text) => expandVariables(text, env, warnings)) as Tree;
  const config = mergeTrees(DEFAULTS, expanded);
  const origins = new Map<string, string>();
  for (const { path, name, value } of envOverrides(env)) {
    setPath(config, path, value);
    origins.set(path, name);
  }
  for (const [path, value] of Object.entries(options.overrides ?? {})) {
    if (value === undefined) continue;
    setPath(config, path, value);
    origins.set(path, "flag");
  }
  return {
    home,
    config: config as Config,
    warnings,
    env,
    variables: () =>
      [...stored, ...Object.entries(options.env)].filter((pair): pair is [string, string] =>
        pair[1] !== undefined
      ),
    get: (path) => getPath(config, path),
    origin: (path) =>
      origins.get(path) ?? (getPath(file.tree, path) === undefined ? "default" : "config.yaml"),
  };
}

/** The line itself is not shown: it may be a secret. */
function envLineProblem(home: Home, line: number): string {
  return `${home.path(".env")}:${line}: this line is ignored: it is no NAME=VALUE`;
}

/** Larger than anything people write; a device would have no end. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The file's text, or undefined when there is none. Synchronous: a small file is read sooner
 * than a thread starts. A line in `loose` says when others can change the file.
 */
export function readOptional(path: string, loose: string[] = []): string | undefined {
  try {
    const info = Deno.statSync(path);
    const { isFile, isDirectory, size, uid } = info;
    // A pipe would be waited for without end.
    if (!isFile && !isDirectory) throw new TypeError("it is no regular file");
    if (size > MAX_FILE_BYTES) throw new TypeError("it is too large");
    // Root works for others too: in a container, or by sudo.
    if (Deno.uid() !== 0 && isForeign(uid, Deno.uid())) {
      throw new TypeError(`it belongs to another user (${uid}), who would decide what hermes does`);
    }
    loose.push(...othersWarning(path, info));
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new UsageError(`cannot read ${path}: ${reasonOf(error)}`, {
      hint: "It must be a file you may read.",
    });
  }
}

/** What others can change decides what hermes does. */
function othersWarning(path: string, info: FileRights): string[] {
  const self = Deno.uid();
  const who = othersWhoChange(info, self);
  return who === undefined ? [] : [
    `${who} can change ${path}, and with it what hermes does: ${closeCommand(info, self)} ${path}`,
  ];
}

/** Who can write to a directory can put another file in the place of any in it. */
function directoryWarnings({ dir, root }: Home): string[] {
  return [...new Set([root, dir])].flatMap((path) => {
    try {
      return othersWarning(path, Deno.statSync(path));
    } catch {
      return []; // there is no home yet: hermes makes it private
    }
  });
}

async function readConfigFile(home: Home, loose: string[]): Promise<FileResult> {
  const path = home.path("config.yaml");
  const text = readOptional(path, loose);
  if (text === undefined) return { tree: {}, warnings: [] };
  const cache = new ConfigCache(home, text);
  const cached = await cache.read();
  if (cached !== undefined) return cached;
  const result = await compile(text, path);
  await cache.write(result);
  return result;
}

async function compile(text: string, path: string): Promise<FileResult> {
  const { checkConfigText, formatProblem } = await import("./check.ts");
  const { tree, problems, warnings } = await checkConfigText(text);
  const [first, ...more] = problems;
  if (first !== undefined) {
    const rest = more.length === 0 ? "" : ` (${more.length} more: hermes config check)`;
    throw new UsageError(formatProblem(path, first) + rest, { hint: first.fix });
  }
  return { tree, warnings: warnings.map((warning) => formatProblem(path, warning)) };
}

const CACHE_FILE = "config.json";

/**
 * The checked result of one text of `config.yaml`. It decides what is approved and which hooks
 * run, so it counts only with the seal that hermes made over it and the text: a result that
 * somebody else wrote, or one of another text or version, is made again.
 */
class ConfigCache {
  readonly #home: Home;
  readonly #text: string;
  readonly #seal: Seal;

  constructor(home: Home, text: string) {
    this.#home = home;
    this.#text = text;
    this.#seal = new Seal(`${home.root}/${SEAL_KEY_FILE}`);
  }

  async read(): Promise<FileResult | undefined> {
    try {
      const stored = Deno.readTextFileSync(this.#home.path("cache", CACHE_FILE));
      const cut = stored.indexOf("\n");
      const json = stored.slice(cut + 1);
      const sealed = await this.#seal.verify("config", this.#sealed(json), stored.slice(0, cut));
      if (!sealed) return undefined;
      const { tree, warnings } = JSON.parse(json);
      if (isTree(tree) && Array.isArray(warnings)) return { tree, warnings: warnings.map(String) };
    } catch {
      // Absent or damaged: checking the file again repairs it.
    }
    return undefined;
  }

  async write(result: FileResult): Promise<void> {
    const directory = this.#home.path("cache");
    try {
      const json = JSON.stringify(result);
      const seal = await this.#seal.sign("config", this.#sealed(json));
      await writeFileAtomic(`${directory}/${CACHE_FILE}`, `${seal}\n${json}`);
      // Versions before this one kept results without a seal.
      for await (const { name } of Deno.readDir(directory)) {
        if (/^config-[0-9a-f]{64}\.json$/.test(name)) await Deno.remove(`${directory}/${name}`);
      }
    } catch {
      // A read-only or full home only costs the next start some milliseconds.
    }
  }

  #sealed(json: string): string {
    return `${VERSION}\n${this.#text.length}\n${this.#text}${json}`;
  }
}

/** `${VAR}` and `${env:VAR}`; an unset one stays as written and is warned about. */
function expandVariables(
  text: string,
  env: (name: string) => string | undefined,
  warnings: string[],
): string {
  if (!text.includes("${")) return text;
  return text.replaceAll(/\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
    const value = env(name);
    if (value === undefined) warnings.push(`config.yaml uses \${${name}}, which is not set`);
    return value ?? whole;
  });
}
