/**
 * Keeps directories equal on both sides: what changes here goes there before the next command,
 * what changed there comes back at the end. Nothing that was changed here is overwritten.
 */
import { onlyVariables, SYSTEM_PATH } from "../../src/process/child_environment.ts";
import { runProgram } from "../../src/process/run_program.ts";
import { EnvironmentError, UsageError } from "../../src/protocol/error.ts";
import { writeFileAtomic } from "../../src/util/atomic_write.ts";
import { sha256Hex } from "../../src/util/hash.ts";
import { resolvePath } from "../../src/util/path.ts";
import { shellJoin, shellQuote } from "../../src/util/shell_quote.ts";
import type { ScriptRunner } from "./_remote_files.ts";
import type { Shell } from "../shell.ts";
import { isSafePath, type KnownFile, type LocalFile, planPull, planPush } from "./_sync_plan.ts";

export interface SyncedDirectory {
  local: string;
  /** Absolute, or below the home there. */
  remote: string;
}

export interface SyncOptions {
  runner: ScriptRunner;
  onProgress(line: string): void;
}

/** Directories here are looked at this often at most. */
const EVERY_MS = 5_000;
const MAX_FILES = 20_000;

/** Reads `local:remote` entries. @throws UsageError */
export function parseSync(
  entries: readonly string[],
  base: { cwd: string; home: string },
): SyncedDirectory[] {
  return entries.map((entry) => {
    const [from = "", to = "", ...more] = entry.split(":");
    if (from === "" || to === "" || more.length > 0) {
      throw new UsageError(`terminal.ssh_sync: "${entry}" is not of the form local:remote`);
    }
    return {
      local: resolvePath(base.cwd, from.replace(/^~(?=\/|$)/, base.home)),
      remote: to.replace(/^~\/?/, "") || ".",
    };
  });
}

/** One pair of directories. */
export class DirectorySync {
  readonly #pair: SyncedDirectory;
  readonly #options: SyncOptions;
  readonly #known = new Map<string, KnownFile>();
  #lookedAt = -Infinity;
  #pushing: Promise<void> | undefined;

  constructor(pair: SyncedDirectory, options: SyncOptions) {
    this.#pair = pair;
    this.#options = options;
  }

  /** Brings changes from here to there; at most every few seconds. */
  async push(): Promise<void> {
    if (performance.now() - this.#lookedAt < EVERY_MS) return await this.#pushing;
    this.#lookedAt = performance.now();
    await (this.#pushing = this.#push());
  }

  async #push(): Promise<void> {
    const { local, remote } = this.#pair;
    const files = await this.#listLocal();
    const { send, remove } = planPush(files, this.#known);
    if (send.length === 0 && remove.length === 0) return;
    const hashes = await Promise.all(send.map((path) => hashFile(`${local}/${path}`)));
    const archive = send.length === 0 ? new Uint8Array() : await pack(local, send);
    const gone = remove.length === 0 ? "" : `; rm -f -- ${shellJoin(remove.map((p) => `./${p}`))}`;
    const unpack = send.length === 0 ? "" : " && tar -xf - ";
    const { code, tail } = await this.#options.runner.run(
      `mkdir -p -- ${shellQuote(remote)} && cd -- ${shellQuote(remote)}${unpack} || exit 1${gone}`,
      { stdin: archive },
    );
    if (code !== 0) throw new EnvironmentError(`Cannot sync ${local} to ${remote}: ${tail.trim()}`);
    for (const path of remove) this.#known.delete(path);
    send.forEach((path, i) => {
      const hash = hashes[i];
      if (hash !== undefined) this.#known.set(path, { ...files.get(path)!, hash });
    });
  }

  /** Brings changes from there to here. */
  async pull(): Promise<void> {
    const { local, remote } = this.#pair;
    const plan = planPull(await this.#listRemote(), {
      local: await this.#listLocal(),
      known: this.#known,
    });
    await this.#fetch(plan.fetch, (path) => `${local}/${path}`);
    await this.#fetch(plan.conflicts, (path) => `${local}/${path}.remote`);
    for (const path of plan.conflicts) {
      this.#options.onProgress(`${path} changed on both sides: see ${path}.remote in ${local}`);
    }
    for (const path of plan.remove) {
      await Deno.remove(`${local}/${path}`);
      this.#options.onProgress(`${path} was removed in ${remote}`);
    }
  }

  /** Each file as a line with its size and whether it is a program, then its bytes. */
  async #fetch(paths: readonly string[], target: (path: string) => string): Promise<void> {
    if (paths.length === 0) return;
    const chunks: Uint8Array[] = [];
    const names = shellJoin(paths.map((path) => `./${path}`));
    const { code, tail } = await this.#options.runner.run(
      `cd -- ${shellQuote(this.#pair.remote)} || exit 1
for f in ${names}; do [ -x "$f" ]; x=$?; s=$(wc -c <"$f") || exit 1; echo $s $x; head -c $s "$f"; done`,
      { onChunk: (chunk) => chunks.push(chunk.slice()) },
    );
    if (code !== 0) throw new EnvironmentError(`Cannot fetch changed files: ${tail.slice(-200)}`);
    let rest = await new Blob(chunks as BlobPart[]).bytes();
    for (const path of paths) {
      const line = rest.indexOf(10);
      const [size, isPlain] = new TextDecoder().decode(rest.subarray(0, line)).split(" ");
      const end = line + 1 + Number(size);
      const mode = isPlain === "0" ? 0o755 : 0o644;
      await writeFileAtomic(target(path), rest.subarray(line + 1, end), { mode });
      rest = rest.subarray(end);
    }
  }

  async #listRemote(): Promise<Map<string, string>> {
    const decoder = new TextDecoder();
    let text = "";
    await this.#options.runner.run(
      `cd -- ${shellQuote(this.#pair.remote)} 2>/dev/null || exit 0
{ command -v sha256sum >/dev/null && s=sha256sum || s="shasum -a 256"; find . -type f -exec $s {} +; } 2>/dev/null`,
      { onChunk: (chunk) => text += decoder.decode(chunk, { stream: true }) },
    );
    const files = new Map<string, string>();
    for (const line of text.split("\n")) {
      const [, hash, path] = /^([0-9a-f]{64}) [ *]\.\/(.+)$/.exec(line) ?? [];
      if (path !== undefined && isSafePath(path)) files.set(path, hash!);
    }
    return files;
  }

  async #listLocal(): Promise<Map<string, LocalFile>> {
    const files = new Map<string, LocalFile>();
    await walk(this.#pair.local, "", files);
    return files;
  }
}

/** Regular files only; links are left alone on both sides. */
async function walk(root: string, below: string, files: Map<string, LocalFile>): Promise<void> {
  for await (const entry of Deno.readDir(`${root}/${below}`)) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory) await walk(root, path, files);
    if (!entry.isFile || !isSafePath(path)) continue;
    const { size, mtime } = await Deno.lstat(`${root}/${path}`);
    files.set(path, { size, mtimeMs: mtime?.getTime() ?? 0 });
    if (files.size > MAX_FILES) {
      throw new EnvironmentError(`${root} has more than ${MAX_FILES} files: too many to sync`);
    }
  }
}

async function hashFile(path: string): Promise<string | undefined> {
  try {
    return await sha256Hex(await Deno.readFile(path));
  } catch {
    return undefined; // Gone since it was listed: the next look sees that.
  }
}

/** A tar archive of these files. */
async function pack(dir: string, paths: readonly string[]): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const { code, stderr } = await runProgram(["tar", "-C", dir, "-cf", "-", "--null", "-T", "-"], {
    env: onlyVariables({ PATH: SYSTEM_PATH.join(":") }),
    stdin: paths.map((path) => `./${path}\0`).join(""),
    onStdout: (chunk) => chunks.push(chunk),
  });
  if (code !== 0) throw new EnvironmentError(`Cannot pack ${dir}: ${stderr.trim()}`);
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** A shell that pushes before every command and pulls before it ends. */
export function withSync(
  shell: Shell,
  syncs: readonly DirectorySync[],
  options: Pick<SyncOptions, "onProgress">,
): Shell {
  return {
    async ready() {
      const renewed = await shell.ready();
      for (const sync of syncs) await sync.push();
      return renewed;
    },
    newFile: () => shell.newFile(),
    start: (command, options) => shell.start(command, options),
    async endAll(leaders) {
      try {
        for (const sync of syncs) await sync.pull();
      } catch (error) {
        options.onProgress(`changes there were not brought back: ${(error as Error).message}`);
      }
      await shell.endAll(leaders);
    },
    clean: () => shell.clean(),
  };
}

/** Runs hermes' own programs when the other side has what changed here. */
export function pushingFirst(
  runner: ScriptRunner,
  syncs: readonly DirectorySync[],
): ScriptRunner {
  return {
    async run(script, options) {
      for (const sync of syncs) await sync.push();
      return await runner.run(script, options);
    },
  };
}
