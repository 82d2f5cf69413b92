/** `hermes plugins create|dev`: for people who write plugins. */
import type { Settings } from "../../config/load.ts";
import type { Candidate } from "../../plugins/discover.ts";
import { PLUGIN_NAME } from "../../plugins/manifest.ts";
import { loadPlugin } from "../../plugins/open.ts";
import type { Plugin } from "../../plugins/plugin.ts";
import { reasonOf } from "../../plugins/problem.ts";
import { entryOf } from "../../plugins/settings.ts";
import { scaffoldFiles } from "../../plugins/scaffold.ts";
import { openSnapshot, snapshotDir } from "../../plugins/snapshot.ts";
import { readSource, statOf } from "../../plugins/source.ts";
import { EXIT, HermesError, UsageError } from "../../protocol/error.ts";
import { basename, dirname, joinPath, resolvePath } from "../../util/path.ts";
import type { CommandInput } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { err, out } from "../io.ts";
import { settingsOf } from "../settings.ts";
import { describePlugin, describeRegistrations } from "./plugins_view.ts";

/** Editors write a file in several steps. */
const SETTLE_MS = 100;
const CALL_TIMEOUT_MS = 60_000;

export async function main(input: CommandInput): Promise<number> {
  const [argument = ""] = input.args;
  if (input.path[1] === "create") return await create(argument);
  const path = resolvePath(Deno.cwd(), argument);
  return await new DevLoop(path, await settingsOf(input)).run();
}

async function create(name: string): Promise<number> {
  if (!PLUGIN_NAME.test(name)) {
    throw new UsageError(`"${name}" is no name for a plugin`, {
      hint: "Use up to 64 of a-z, 0-9, - and _, beginning with a letter or digit.",
    });
  }
  const folder = joinPath(Deno.cwd(), name);
  try {
    await Deno.mkdir(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    throw new UsageError(`${folder} exists already`, { hint: "Choose another name." });
  }
  for (const [path, text] of Object.entries(scaffoldFiles(name))) {
    const target = joinPath(folder, path);
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.writeTextFile(target, text);
  }
  out(`${folder} is a plugin now. Try it:\n`);
  out(`  (cd ${name} && deno test)\n  hermes plugins dev ${name}\n`);
  out(`  hermes run --plugin ${name} "…"\n`);
  return EXIT.done;
}

/** One plugin, loaded as a session would, and again after every change. */
class DevLoop {
  readonly #path: string;
  readonly #settings: Settings;
  #plugin: Plugin | undefined;

  constructor(path: string, settings: Settings) {
    this.#path = path;
    this.#settings = settings;
  }

  async run(): Promise<number> {
    const info = statOf(this.#path);
    if (!info?.isDirectory && !info?.isFile) {
      throw new UsageError(`there is neither a folder nor a file at ${this.#path}`);
    }
    await this.#load();
    // Editors put a new file in an old one's place: a folder stays the same.
    const watcher = Deno.watchFs(info.isDirectory ? this.#path : dirname(this.#path));
    const isOurs = (path: string) => info.isDirectory || basename(path) === basename(this.#path);
    const input = new AbortController();
    const stop = onInterrupt(() => {
      watcher.close();
      input.abort();
    });
    out("Waiting for changes. Call a tool with: NAME {JSON}\n");
    const listening = this.#listen(input.signal);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let loading = Promise.resolve();
    const reload = () => {
      loading = loading.then(() => this.#load());
      loading.catch(() => watcher.close());
    };
    for await (const { kind, paths } of watcher) {
      if (kind === "access" || !paths.some(isOurs)) continue;
      clearTimeout(timer);
      timer = setTimeout(reload, SETTLE_MS);
    }
    clearTimeout(timer);
    stop();
    await listening;
    await loading;
    await this.#plugin?.close();
    return EXIT.done;
  }

  async #load(): Promise<void> {
    await this.#plugin?.close();
    this.#plugin = undefined;
    try {
      const source = readSource(this.#path);
      const snapshot = await openSnapshot(source, snapshotDir(this.#settings.home));
      const { name } = snapshot.manifest;
      const candidate: Candidate = {
        id: name,
        origin: "path",
        location: this.#path,
        read: () => Promise.resolve(source),
      };
      const loaded = await loadPlugin(candidate, {
        settings: this.#settings,
        cwd: Deno.cwd(),
        userHome: Deno.env.get("HOME") ?? "/",
        log: (line) => err(`${line}\n`),
        onEnd: (id, reason) => err(`✗ ${id} was stopped: ${reason}\n`),
      });
      this.#plugin = loaded.plugin;
      const entry = entryOf(this.#settings, name);
      out(`✓ loaded ${describePlugin(candidate, { snapshot, entry })}`);
      out(describeRegistrations(loaded.plugin.registrations, snapshot));
      for (const gap of loaded.gaps ?? []) err(`  ${gap}\n`);
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      err(`✗ ${reasonOf(error)}\n`);
    }
  }

  /** Lines on standard input call tools. */
  async #listen(signal: AbortSignal): Promise<void> {
    const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
    let rest = "";
    try {
      for await (const chunk of lines.pipeThrough(new TransformStream(), { signal })) {
        const parts = (rest + chunk).split("\n");
        rest = parts.pop()!;
        for (const line of parts) if (line.trim() !== "") await this.#call(line.trim());
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #call(line: string): Promise<void> {
    const [, name = "", json = ""] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
    if (this.#plugin === undefined) return err("✗ it is not loaded\n");
    try {
      const args = JSON.parse(json === "" ? "{}" : json);
      const facts = { callId: "dev", sessionId: "dev", taskId: "main" };
      const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
      const value = await this.#plugin.ask({ kind: "tool", name, args, facts }, { signal });
      out(`${JSON.stringify(value)}\n`);
    } catch (error) {
      err(`✗ ${reasonOf(error)}\n`);
    }
  }
}
