/** `hermes plugins create|dev|test`: for people who write plugins. */
import type { Home } from "../../../config/home.ts";
import { notWritable } from "../../../config/not_writable.ts";
import type { Candidate } from "../../../plugins/discover.ts";
import { commandText, toolResult } from "../../../plugins/calls.ts";
import { type LoadedPlugin, PluginHost } from "../../../plugins/plugin_host.ts";
import { PLUGIN_NAME } from "../../../plugins/manifest.ts";
import type { Question, Registrations } from "../../../plugins/messages.ts";
import { loadPlugin, requireFreeName } from "../../../plugins/open.ts";
import type { Plugin } from "../../../plugins/plugin.ts";
import { reasonOf } from "../../../plugins/problem.ts";
import { entryOf } from "../../../plugins/plugin_settings.ts";
import { scaffoldFiles } from "../../../plugins/scaffold.ts";
import { openSnapshot, snapshotsOf } from "../../../plugins/snapshot.ts";
import { readSource, statOf } from "../../../plugins/source.ts";
import { EXIT, HermesError, UsageError } from "../../../protocol/error.ts";
import { readArguments } from "../../../registry/dispatch/arguments.ts";
import { parseLenientJson } from "../../../registry/dispatch/repair.ts";
import { helperEnvironment, withVariables } from "../../../process/child_environment.ts";
import { spawnChild } from "../../../process/spawn.ts";
import { sha256Hex } from "../../../util/hash.ts";
import { didYouMean } from "../../../util/nearest.ts";
import { basename, dirname, joinPath, resolvePath } from "../../../util/path.ts";
import { reasonOf as systemReason } from "../../../util/reason.ts";
import { DENO_SETTINGS, executablePath, isStandalone } from "../../../util/runtime.ts";
import { sleep } from "../../../util/sleep.ts";
import { removeTree } from "../../../util/remove_tree.ts";
import { which } from "../../../util/which.ts";
import type { CommandInput } from "../../command.ts";
import { onInterrupt } from "../../interrupt.ts";
import { err, out, useColor } from "../../io.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { trustedPlaces } from "../open_plugins.ts";
import { homeOf, settingsOf } from "../../settings.ts";
import { describePlugin, describeRegistrations } from "./view.ts";
import type { PluginInbox, PluginSession } from "../../../protocol/plugin.ts";
import { cleanOutput } from "../../../util/clean_output.ts";

/** Editors write a file in several steps. */
const SETTLE_MS = 100;
/** How often a folder that is gone is looked for. */
const POLL_MS = 250;
const CALL_TIMEOUT_MS = 60_000;
/** How long what is known of a plugin's tests is kept when they are not run. */
const TEST_CACHE_MS = 30 * 86_400_000;
/** What is no part of a plugin: hidden files, packages. */
const PASSED_OVER = /\/(\.|node_modules(\/|$))/;

export async function main(input: CommandInput): Promise<number> {
  const [argument = ""] = input.args;
  const path = resolvePath(Deno.cwd(), argument);
  switch (input.path[1]) {
    case "create":
      return await create(argument);
    case "test":
      return await test(path, homeOf(input));
    default:
      return await new DevLoop(path, input).run();
  }
}

async function create(name: string): Promise<number> {
  if (!PLUGIN_NAME.test(name)) {
    throw new UsageError(`"${name}" is no name for a plugin`, {
      hint: "Use up to 64 of a-z, 0-9, - and _, beginning with a letter or digit.",
    });
  }
  requireFreeName(name);
  const folder = joinPath(Deno.cwd(), name);
  try {
    await Deno.mkdir(folder);
    for (const [path, text] of Object.entries(scaffoldFiles(name))) {
      const target = joinPath(folder, path);
      await Deno.mkdir(dirname(target), { recursive: true });
      await Deno.writeTextFile(target, text);
    }
  } catch (cause) {
    if (cause instanceof Deno.errors.AlreadyExists) {
      throw new UsageError(`${folder} exists already`, { hint: "Choose another name." });
    }
    throw new HermesError(`cannot write ${folder}: ${systemReason(cause)}`, { cause });
  }
  out(`${folder} is a plugin now. Try it:\n`);
  out(`  hermes plugins test ${name}\n  hermes plugins dev ${name}\n`);
  out(`  hermes run --plugin ${name} "…"\n`);
  out(`To keep it, move it to ~/.hermes/plugins and: hermes plugins enable ${name}\n`);
  return EXIT.done;
}

/** Runs a plugin's tests with the Deno that runs hermes, or with one of the person's own. */
async function test(path: string, home: Home): Promise<number> {
  if (!statOf(path)?.isDirectory) throw new UsageError(`there is no folder at ${path}`);
  const env = ownEnvironment();
  const deno = isStandalone() ? await which("deno", env.PATH) : executablePath();
  if (deno === undefined) {
    throw new UsageError(
      "this build of hermes has no test runner and there is no deno on the PATH",
      {
        hint: "Install Deno: https://docs.deno.com/runtime/getting_started/installation/",
      },
    );
  }
  const { code } = await spawnChild({
    argv: [deno, "test", "--quiet", "--no-prompt"],
    cwd: path,
    // Tests hold no permission that would show them more.
    env: withVariables(helperEnvironment(env), {
      ...DENO_SETTINGS,
      ...(useColor("stdout") ? {} : { NO_COLOR: "1" }),
      DENO_DIR: await testCache(home, path),
    }),
    group: "terminal",
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).status;
  return code === 0 ? EXIT.done : EXIT.failed;
}

/**
 * Where Deno remembers that files have passed the type check, which takes seconds. Each plugin has
 * one of its own: a cache that others load may not be for foreign code to fill.
 */
async function testCache(home: Home, path: string): Promise<string> {
  const folder = `${home.root}/cache/plugin-tests`;
  const mine = `${folder}/${(await sha256Hex(path)).slice(0, 32)}`;
  const now = new Date();
  try {
    await Deno.mkdir(mine, { recursive: true, mode: 0o700 });
    await Deno.utime(mine, now, now);
  } catch (error) {
    throw notWritable(home.root, error);
  }
  for await (const { name } of Deno.readDir(folder)) {
    const usedAt = statOf(`${folder}/${name}`)?.mtime?.getTime() ?? Infinity;
    if (now.getTime() - usedAt > TEST_CACHE_MS) await removeTree(`${folder}/${name}`);
  }
  return mine;
}

/** One plugin, loaded as a session would, and again after every change. */
class DevLoop {
  readonly #path: string;
  readonly #input: CommandInput;
  #plugin: Plugin | undefined;
  #host: PluginHost | undefined;

  constructor(path: string, input: CommandInput) {
    this.#path = path;
    this.#input = input;
  }

  async run(): Promise<number> {
    const info = statOf(this.#path);
    if (!info?.isDirectory && !info?.isFile) {
      throw new UsageError(`there is neither a folder nor a file at ${this.#path}`);
    }
    const stopped = new AbortController();
    const changes = changesOf(this.#path, stopped.signal);
    // From here on no change is missed.
    await changes.next();
    await this.#load();
    const stop = onInterrupt(() => stopped.abort());
    out("Waiting for changes. Call a tool with: NAME {JSON}, a command with: /NAME …\n");
    // The end of the input is the end of the work, for a pipe as for Ctrl-D.
    const listening = this.#listen(stopped.signal).finally(() => stopped.abort());
    let timer: ReturnType<typeof setTimeout> | undefined;
    let loading = Promise.resolve();
    const reload = () => {
      loading = loading.then(() => this.#load());
      loading.catch(() => stopped.abort());
    };
    for await (const _ of changes) {
      clearTimeout(timer);
      timer = setTimeout(reload, SETTLE_MS);
    }
    clearTimeout(timer);
    stop();
    await listening;
    await loading;
    await this.#host?.close();
    return EXIT.done;
  }

  async #load(): Promise<void> {
    await this.#host?.close();
    this.#host = undefined;
    this.#plugin = undefined;
    try {
      const settings = await settingsOf(this.#input);
      const source = readSource(this.#path);
      const snapshot = await openSnapshot(source, snapshotsOf(settings.home));
      const { name } = snapshot.manifest;
      const candidate: Candidate = {
        id: name,
        origin: "path",
        location: this.#path,
        read: () => Promise.resolve(source),
      };
      const loaded = await loadPlugin(candidate, {
        settings,
        cwd: Deno.cwd(),
        userHome: ownEnvironment().HOME ?? "/",
        trusted: () => trustedPlaces(settings),
        log: (line) => err(`${line}\n`),
        onEnd: (id, reason) => err(`✗ ${id} was stopped: ${reason}\n`),
      });
      this.#plugin = loaded.plugin;
      out(`✓ loaded ${describePlugin(candidate, { snapshot, entry: entryOf(settings, name) })}`);
      out(describeRegistrations(loaded.plugin.registrations, snapshot));
      for (const gap of loaded.gaps ?? []) err(`  ${gap}\n`);
      this.#host = await serveForDev(loaded);
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      err(`✗ ${reasonOf(error)}\n`);
    }
  }

  /** Lines on standard input call tools and commands. */
  async #listen(signal: AbortSignal): Promise<void> {
    const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
    let rest = "";
    try {
      for await (const chunk of lines.pipeThrough(new TransformStream(), { signal })) {
        const parts = (rest + chunk).split("\n");
        rest = parts.pop()!;
        for (const line of parts) if (line.trim() !== "") await this.#call(line.trim(), signal);
      }
      if (rest.trim() !== "") await this.#call(rest.trim(), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #call(line: string, stopped: AbortSignal): Promise<void> {
    const plugin = this.#plugin;
    if (plugin === undefined) return err("✗ it is not loaded\n");
    try {
      const question = questionOf(line, plugin.registrations);
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
      const value = await plugin.ask(question, { signal });
      if (question.kind === "tool") {
        toolResult(question.name, value);
        out(`${JSON.stringify(value)}\n`);
      } else out(commandText(value));
    } catch (error) {
      if (!stopped.aborted) err(`✗ ${reasonOf(error)}\n`);
    }
  }
}

/** Yields once it watches a plugin's files, then for every change; a folder that goes may come back. */
async function* changesOf(path: string, signal: AbortSignal): AsyncGenerator<void> {
  // Editors put a new file in an old one's place: a folder stays the same.
  const isFolder = statOf(path)?.isDirectory ?? true;
  const folder = isFolder ? path : dirname(path);
  const isOurs = (changed: string) =>
    isFolder
      ? !PASSED_OVER.test(changed.slice(folder.length))
      : basename(changed) === basename(path);
  while (!signal.aborted) {
    const watcher = Deno.watchFs(folder, { recursive: isFolder });
    const close = () => watcher.close();
    signal.addEventListener("abort", close, { once: true });
    yield;
    for await (const { kind, paths } of watcher) {
      if (kind !== "access" && paths.some(isOurs)) yield;
      if (statOf(folder) === undefined) break;
    }
    signal.removeEventListener("abort", close);
    while (statOf(folder) === undefined && !signal.aborted) {
      // The interrupt ends the wait.
      await sleep(POLL_MS, signal).catch(() => {});
    }
  }
}

/** What a typed line asks; arguments are read and checked as those of the model are. @throws when it asks nothing. */
function questionOf(line: string, { tools, commands }: Registrations): Question {
  const [, slash = "", name = "", rest = ""] = /^(\/?)(\S*)\s*(.*)$/.exec(line) ?? [];
  const facts = { callId: "dev", sessionId: DEV_SESSION, taskId: "main" };
  const [what, all] = slash === "" ? ["tool", tools] as const : ["command", commands] as const;
  const names = all.map((one) => one.name);
  if (!names.includes(name)) {
    const known = names.length === 0 ? "It has none." : `It has: ${names.join(", ")}.`;
    throw new UsageError(`there is no ${what} "${name}".${didYouMean(name, names)} ${known}`);
  }
  if (what === "command") return { kind: what, name, argument: rest, facts };
  const tool = tools.find((one) => one.name === name)!;
  const text = rest === "" ? "{}" : rest;
  const parsed = parseLenientJson(text);
  if (!parsed.ok) {
    throw new UsageError(
      `Arguments of ${name} are not valid JSON: ${parsed.message}. Write: ${name} {"key": "value"}`,
    );
  }
  const read = readArguments(text, { ...tool, toolset: "dev" });
  if (!read.ok) throw new UsageError(read.error);
  return { kind: what, name, args: read.args, facts };
}

/** The session that typed calls belong to. */
const DEV_SESSION = "dev";

/** Serves the plugin to a session that prints what it gets; closing the host ends the plugin. */
async function serveForDev(loaded: LoadedPlugin): Promise<PluginHost> {
  const host = new PluginHost([loaded], {
    ownCommands: [],
    report: (line) => err(`✗ ${line}\n`),
    log: (line) => err(`${line}\n`),
  });
  host.attach(session);
  await host.serve({ inbox });
  return host;
}

const session: PluginSession = {
  id: DEV_SESSION,
  submit(operation) {
    const text = operation.op === "input"
      ? operation.content.map((part) => part.type === "text" ? part.text : "").join("\n")
      : operation.op;
    print(`turn (${operation.op === "input" ? operation.busy : ""})`, text);
    return { status: "accepted" };
  },
  tell: (text) => print("line", text),
};

const inbox: PluginInbox = {
  deliver({ platform, chat, user, text }) {
    print(`message from ${platform}`, `chat ${chat}, user ${user}: ${text}`);
    return Promise.resolve({ status: "accepted" });
  },
};

function print(what: string, text: string): void {
  out(`→ ${cleanOutput(`${what}: ${text}`)}\n`);
}
