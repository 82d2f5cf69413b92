/**
 * An `Environment` over a temporary directory of its own, for tests of tools: real files, real
 * `sh`, no persistent shell state, no background processes. `close()` removes the directory.
 */
import type {
  BackgroundProcess,
  DirEntry,
  Environment,
  ExecOptions,
  ExecResult,
  FileInfo,
  ReadOptions,
  SearchQuery,
  SearchResult,
  WriteOptions,
} from "../../src/protocol/environment.ts";
import { EnvironmentError, FileError } from "../../src/protocol/error.ts";
import { writeFileAtomic } from "../../src/util/atomic_write.ts";
import { dirname, resolvePath } from "../../src/util/path.ts";

export interface TempEnvironmentOptions {
  /** Hides programs from commands (`rg`): each answers 127. */
  without?: readonly string[];
  /** The search engine it offers; none by default. */
  search?: (query: SearchQuery) => Promise<SearchResult>;
}

export class TempEnvironment implements Environment, AsyncDisposable {
  readonly name = "temp";
  readonly sharesHost = true;
  /** Commands that ran, in order. */
  readonly commands: string[] = [];
  readonly root: string;
  readonly search?: (query: SearchQuery) => Promise<SearchResult>;
  /** Makes every write of this path fail, to test recovery. */
  failWriteOf: string | undefined;
  #without: readonly string[];

  constructor(root: string, options: TempEnvironmentOptions) {
    this.root = root;
    this.#without = options.without ?? [];
    if (options.search) this.search = options.search;
  }

  cwd(): string {
    return `${this.root}/work`;
  }

  resolve(path: string): string {
    const home = `${this.root}/home`;
    if (path === "~" || path.startsWith("~/")) return resolvePath(home, `.${path.slice(1)}`);
    return resolvePath(this.cwd(), path);
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    this.commands.push(command);
    const hidden = this.#without.map((name) => `${name}() { return 127; }\n`).join("");
    const child = new Deno.Command("bash", {
      args: ["-c", `${hidden}exec 2>&1\n${command}`],
      cwd: options.cwd ?? this.cwd(),
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8", ...options.env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      ...(options.signal ? { signal: options.signal } : {}),
    }).spawn();
    const feed = writeAll(child.stdin, options.stdin ?? "");
    const { code, stdout } = await child.output();
    await feed;
    const text = new TextDecoder().decode(stdout);
    const limit = options.maxOutputChars ?? 50_000;
    return {
      exitCode: code,
      output: text.slice(0, limit),
      totalBytes: stdout.length,
      truncated: text.length > limit,
      timedOut: false,
      interrupted: false,
      durationMs: 0,
      cwd: this.cwd(),
    };
  }

  spawn(): Promise<BackgroundProcess> {
    return Promise.reject(new EnvironmentError("no background processes in this environment"));
  }

  async realPath(path: string): Promise<string> {
    const rest: string[] = [];
    for (let head = path;; head = dirname(head)) {
      try {
        return resolvePath(await Deno.realPath(head), rest.join("/") || ".");
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound) || head === "/") {
          throw new FileError(`${path}: ${(error as Error).message}`, { code: "EACCES", path });
        }
        rest.unshift(head.slice(head.lastIndexOf("/") + 1));
      }
    }
  }

  async readFile(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    using file = await Deno.open(path);
    await file.seek(options.start ?? 0, Deno.SeekMode.Start);
    const { size } = await file.stat();
    // Files of the kernel say size 0 and still have content.
    const wanted = Math.min(options.length ?? Infinity, size === 0 ? 65_536 : size);
    const bytes = new Uint8Array(wanted);
    let filled = 0;
    while (filled < wanted) {
      const count = await file.read(bytes.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  async writeFile(path: string, data: Uint8Array, options: WriteOptions = {}): Promise<void> {
    if (path === this.failWriteOf) {
      throw new FileError(`${path}: no space left on the device`, { code: "ENOSPC", path });
    }
    const target = await this.realPath(path);
    const mode = (await Deno.stat(target).catch(() => undefined))?.mode ?? options.mode ?? 0o644;
    await writeFileAtomic(target, data, { mode: mode & 0o777 });
  }

  async stat(path: string): Promise<FileInfo | undefined> {
    const info = await Deno.stat(path).catch(() => undefined);
    if (info === undefined) return undefined;
    const kind = info.isFile ? "file" : info.isDirectory ? "directory" : "other";
    return {
      kind,
      size: info.size,
      mtimeMs: info.mtime?.getTime() ?? 0,
      ...(info.mode === null ? {} : { mode: info.mode }),
    };
  }

  async list(path: string): Promise<DirEntry[]> {
    const entries: DirEntry[] = [];
    for await (const entry of Deno.readDir(path)) {
      const kind = entry.isFile ? "file" : entry.isDirectory ? "directory" : "symlink";
      entries.push({ name: entry.name, kind });
    }
    return entries;
  }

  remove(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    return Deno.remove(path, options);
  }

  async rename(from: string, to: string): Promise<void> {
    await Deno.mkdir(dirname(to), { recursive: true });
    await Deno.rename(from, to);
  }

  /** Puts files below the working directory, by relative path. */
  async put(files: Record<string, string | Uint8Array>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const path = this.resolve(name);
      await Deno.mkdir(dirname(path), { recursive: true });
      if (typeof content === "string") await Deno.writeTextFile(path, content);
      else await Deno.writeFile(path, content);
    }
  }

  /** The text of a file below the working directory. */
  text(name: string): Promise<string> {
    return Deno.readTextFile(this.resolve(name));
  }

  async close(): Promise<void> {
    await Deno.remove(this.root, { recursive: true }).catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A fresh environment with an empty `work` (its directory) and `home`. */
export async function createTempEnvironment(
  options: TempEnvironmentOptions = {},
): Promise<TempEnvironment> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-test-" }));
  await Deno.mkdir(`${root}/work`);
  await Deno.mkdir(`${root}/home`);
  return new TempEnvironment(root, options);
}

async function writeAll(stdin: WritableStream<Uint8Array>, data: Uint8Array | string) {
  const writer = stdin.getWriter();
  try {
    await writer.write(typeof data === "string" ? new TextEncoder().encode(data) : data);
    await writer.close();
  } catch {
    // The command ended without reading its input; that is its right.
  }
}
