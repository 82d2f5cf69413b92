/**
 * What `hermes doctor` looks at. A check never throws for what it looks for: everything it
 * finds out is a finding, with what to do when it is not fine.
 */
import { statfs } from "node:fs/promises";
import { checkConfigText, formatProblem } from "../../../config/check.ts";
import { brokenEnvLines } from "../../../config/env_file.ts";
import { type EnvRecord, type Home, requireProfile } from "../../../config/home.ts";
import { loadSettings, readOptional, type Settings } from "../../../config/load.ts";
import { HermesError } from "../../../protocol/error.ts";
import { Store } from "../../../store/store.ts";
import { randomId } from "../../../util/id.ts";
import { dirname } from "../../../util/path.ts";
import { reasonOf } from "../../../util/reason.ts";
import { isStandalone } from "../../../util/runtime.ts";
import { VERSION } from "../../../util/version.ts";
import type { Finding } from "./finding.ts";
import { checkModel } from "./model.ts";
import { checkPrograms, checkSandbox } from "./programs.ts";
import { checkWalls } from "./walls.ts";
import { childVariables } from "../../../process/child_variables.ts";
import { ENVIRONMENTS } from "../../../../environments/manifest.ts";
import { reviewHooks, reviewPlugins, reviewTools } from "../config/review.ts";
import { environmentOptions, lookAt } from "../env/env.ts";

export interface CheckContext {
  home: Home;
  env: EnvRecord;
}

export type Check = (context: CheckContext) => Promise<Finding[]>;

const MB = 1024 * 1024;

export const CHECKS: readonly Check[] = [
  guarded("version", checkVersion),
  guarded("home", checkHome),
  guarded("temporary files", checkTemporary),
  guarded("disk", checkDisk),
  guarded("config.yaml", withProfile(checkConfig)),
  guarded(".env", withProfile(checkEnvFile)),
  guarded("sessions", withProfile(checkStore)),
  guarded("plugins", withSettings(checkPlugins)),
  guarded("model", withSettings(checkModel)),
  guarded("programs", withSettings(checkPrograms)),
  guarded("variables", withSettings(checkVariables)),
  guarded("environments", withSettings(checkEnvironments)),
  guarded("sandbox", withSettings(checkWalls)),
  guarded("execute_code", withSettings(checkSandbox)),
];

/** A check that breaks is a finding too. */
function guarded(name: string, check: Check): Check {
  return async (context) => {
    try {
      return await check(context);
    } catch (error) {
      return [{ name, status: "fail", detail: reasonOf(error) }];
    }
  };
}

/** What a profile holds is not looked for while there is no such profile; that of the home says so. */
function withProfile(check: Check): Check {
  return async (context) => {
    const isThere = await requireProfile(context.home).then(() => true, () => false);
    return isThere ? await check(context) : [];
  };
}

/** Checks of what is configured are pointless while the configuration cannot be read. */
function withSettings(check: (settings: Settings) => Promise<Finding[]>): Check {
  return async (context) => {
    let settings: Settings;
    try {
      settings = await loadSettings(context);
    } catch {
      // Reported in full by the check of config.yaml or of the home.
      return [];
    }
    return await check(settings);
  };
}

function checkVersion(): Promise<Finding[]> {
  const build = isStandalone() ? "compiled" : "from source or portable";
  const detail =
    `hermes ${VERSION}, deno ${Deno.version.deno}, ${Deno.build.os}-${Deno.build.arch}, ${build}`;
  return Promise.resolve([{ name: "version", status: "ok", detail }]);
}

async function checkHome({ home }: CheckContext): Promise<Finding[]> {
  const name = "home";
  try {
    await requireProfile(home);
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    const { message: detail, hint: fix } = error;
    return [{ name, status: "fail", detail, ...(fix === undefined ? {} : { fix }) }];
  }
  const existing = await nearestExisting(home.dir);
  const problem = await unwritable(existing);
  if (problem !== undefined) {
    return [{
      name,
      status: "fail",
      detail: problem,
      fix: "Make it writable, or set HERMES_HOME to another directory",
    }];
  }
  const detail = existing === home.dir ? home.dir : `${home.dir} (made when first needed)`;
  return [{ name, status: "ok", detail }];
}

/** Commands, scripts and plugins have their private files there. */
async function checkTemporary({ env }: CheckContext): Promise<Finding[]> {
  const name = "temporary files";
  const directory = env.TMPDIR || "/tmp";
  const problem = await unwritable(directory);
  if (problem === undefined) return [{ name, status: "ok", detail: directory }];
  return [{
    name,
    status: "fail",
    detail: problem,
    fix: env.TMPDIR
      ? "Set TMPDIR to a directory you may write, or unset it"
      : "Set TMPDIR to a directory you may write",
  }];
}

/** One line when no file can be made in a directory. */
async function unwritable(directory: string): Promise<string | undefined> {
  const probe = `${directory}/.hermes-doctor-${randomId(8)}`;
  try {
    await Deno.writeTextFile(probe, "", { mode: 0o600 });
    await Deno.remove(probe);
    return undefined;
  } catch (error) {
    return `${directory} cannot be written: ${reasonOf(error)}`;
  }
}

async function checkDisk({ home }: CheckContext): Promise<Finding[]> {
  const directory = await nearestExisting(home.dir);
  const { bavail, bsize } = await statfs(directory);
  const freeMb = Math.floor(bavail * bsize / MB);
  const detail = `${freeMb} MB free in ${directory}`;
  if (freeMb >= 500) return [{ name: "disk", status: "ok", detail }];
  const status = freeMb < 50 ? "fail" : "warn";
  return [{ name: "disk", status, detail, fix: "Free some space: sessions are kept there" }];
}

async function checkConfig({ home, env }: CheckContext): Promise<Finding[]> {
  const name = "config.yaml";
  const file = home.path(name);
  const text = readOptional(file);
  const found: Finding[] = [];
  if (text !== undefined) {
    const { problems, warnings } = await checkConfigText(text);
    for (const [status, list] of [["fail", problems], ["warn", warnings]] as const) {
      for (const problem of list) {
        found.push({ name, status, detail: formatProblem(file, problem), fix: problem.fix });
      }
    }
    if (problems.length > 0) return found;
  }
  const settings = await loadSettings({ home, env });
  const told = [file, home.path(".env")];
  for (const detail of settings.warnings) {
    if (told.some((path) => detail.startsWith(path))) continue;
    found.push({ name, status: "warn", detail, fix: "Set the variable, or change the value" });
  }
  for (const { problems, warnings } of [await reviewTools(settings), reviewHooks(settings)]) {
    for (const { message, fix } of problems) {
      found.push({ name, status: "fail", detail: message, fix });
    }
    for (const { message, fix } of warnings) {
      found.push({ name, status: "warn", detail: message, fix });
    }
  }
  if (found.length > 0) return found;
  return [{ name, status: "ok", detail: text === undefined ? "none; all defaults" : file }];
}

/** The plugins of every session: each one that does not load, else which there are. */
async function checkPlugins(settings: Settings): Promise<Finding[]> {
  const name = "plugins";
  const { enabled } = settings.config.plugins;
  const { warnings } = await reviewPlugins(settings);
  if (warnings.length === 0) {
    return [{ name, status: "ok", detail: enabled.join(", ") || "none is enabled" }];
  }
  return warnings.map(({ message, fix }) => ({ name, status: "warn", detail: message, fix }));
}

async function checkEnvFile({ home }: CheckContext): Promise<Finding[]> {
  const name = ".env";
  const file = home.path(name);
  const info = await Deno.stat(file).catch(() => undefined);
  if (info === undefined) return [{ name, status: "ok", detail: "none" }];
  const mode = (info.mode ?? 0) & 0o777;
  const broken = brokenEnvLines(readOptional(file) ?? "").map((line): Finding => ({
    name,
    status: "warn",
    detail: `${file}:${line} is ignored: it is no NAME=VALUE`,
    fix: "Correct the line, or remove it",
  }));
  if ((mode & 0o077) === 0) {
    return broken.length > 0 ? broken : [{ name, status: "ok", detail: file }];
  }
  return [...broken, {
    name,
    status: "warn",
    detail: `${file} holds secrets and others may read it (mode ${mode.toString(8)})`,
    fix: `chmod 600 ${file}`,
  }];
}

async function checkStore({ home }: CheckContext): Promise<Finding[]> {
  const name = "sessions";
  const file = home.path("state.db");
  const exists = await Deno.stat(file).then(() => true, () => false);
  if (!exists) return [{ name, status: "ok", detail: "none yet" }];
  const notices: string[] = [];
  using store = new Store(file, { onNotice: (text) => notices.push(text) });
  const { sessions, messages } = store.stats();
  const detail = `${sessions} sessions, ${messages} messages in ${file}`;
  return [
    { name, status: "ok", detail },
    ...notices.map((notice): Finding => ({ name, status: "warn", detail: notice })),
  ];
}

async function nearestExisting(path: string): Promise<string> {
  let at = path;
  while (at !== "/" && !await Deno.stat(at).then((info) => info.isDirectory, () => false)) {
    at = dirname(at);
  }
  return at;
}

const MAX_NAMES_SHOWN = 20;

/** How many variables commands get, and which ones are withheld from them. */
function checkVariables(settings: Settings): Promise<Finding[]> {
  const all = Object.fromEntries(settings.variables());
  const passed = childVariables(all, settings.config.terminal.env_passthrough);
  const withheld = Object.keys(all).filter((name) => !Object.hasOwn(passed, name)).sort();
  const more = withheld.length > MAX_NAMES_SHOWN
    ? ` and ${withheld.length - MAX_NAMES_SHOWN} more`
    : "";
  const names = withheld.length === 0
    ? "none"
    : withheld.slice(0, MAX_NAMES_SHOWN).join(", ") + more;
  const detail = `commands get ${Object.keys(passed).length} of ${Object.keys(all).length}; ` +
    `withheld: ${names} (terminal.env_passthrough lets one through)`;
  return Promise.resolve([{ name: "variables", status: "ok", detail }]);
}

/** Only the configured one has to work; the local one needs nothing but the shell. */
async function checkEnvironments(settings: Settings): Promise<Finding[]> {
  const options = environmentOptions(settings);
  const names = Object.keys(ENVIRONMENTS).filter((name) => name !== "local");
  return await Promise.all(names.map(async (name): Promise<Finding> => {
    const { available, detail, fix } = await lookAt(name, options);
    if (available) return { name, status: "ok", detail };
    const needed = settings.config.terminal.backend === name;
    return {
      name,
      status: needed ? "fail" : "note",
      detail,
      ...(needed ? { fix: fix ?? `hermes env check ${name}, or set terminal.backend: local` } : {}),
    };
  }));
}
