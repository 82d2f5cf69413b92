/** A workspace with kept files in a temporary directory, and commands that are functions. */
import { KeptFiles, type KeptFilesOptions } from "../../src/sandbox/command/kept_files.ts";
import type { PutBack } from "../../src/sandbox/command/kept_report.ts";
import { dirname } from "../../src/util/path.ts";

export class KeptWorkspace implements AsyncDisposable {
  readonly base: string = Deno.realPathSync(Deno.makeTempDirSync());
  readonly root: string = `${this.base}/work`;
  readonly storeDir: string = `${this.base}/store`;
  /** Everything that the person was told. */
  readonly told: PutBack[] = [];
  #kept: KeptFiles | undefined;

  constructor(files: Readonly<Record<string, string>> = {}) {
    Deno.mkdirSync(this.root);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  at(path: string): string {
    return `${this.root}/${path}`;
  }

  write(path: string, text: string, mode?: number): void {
    Deno.mkdirSync(dirname(this.at(path)), { recursive: true });
    Deno.writeTextFileSync(this.at(path), text);
    if (mode !== undefined) Deno.chmodSync(this.at(path), mode);
  }

  read(path: string): string {
    return Deno.readTextFileSync(this.at(path));
  }

  has(path: string): boolean {
    try {
      Deno.lstatSync(this.at(path));
      return true;
    } catch {
      return false; // Nothing lies there.
    }
  }

  mode(path: string): number {
    return Deno.lstatSync(this.at(path)).mode! & 0o7777;
  }

  /** The session's kept files; made at the first call. */
  kept(options: Partial<KeptFilesOptions> = {}): KeptFiles {
    this.#kept ??= new KeptFiles({
      roots: [this.root],
      storeDir: this.storeDir,
      onPutBack: (changes) => this.told.push(...changes),
      ...options,
    });
    return this.#kept;
  }

  /** Remembers everything, deeper files included, before the first command. */
  async remember(options: Partial<KeptFilesOptions> = {}): Promise<KeptFiles> {
    const kept = this.kept(options);
    kept.remember();
    await kept.catchUp();
    return kept;
  }

  /** Runs a command; what was put back comes as `change outcome path`. */
  command(body: () => void): string[] {
    this.kept().beforeCommand();
    body();
    return lines(this.kept().check());
  }

  /** As `command()`, with what the search of the project found. */
  async searched(body: () => void): Promise<string[]> {
    const first = this.command(body);
    await this.kept().catchUp();
    const kept = this.kept();
    return [...first, ...lines(kept.backgroundEnded())];
  }

  /** Runs programs one after the other. */
  sh(script: string, env: Record<string, string> = {}): void {
    const { code, stderr } = new Deno.Command("sh", {
      args: ["-ec", script],
      cwd: this.root,
      env: { HOME: this.base, ...GIT_ENV, ...env },
      stdout: "null",
      stderr: "piped",
    }).outputSync();
    if (code !== 0) throw new Error(`${script}: ${new TextDecoder().decode(stderr)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kept?.close();
    await Deno.remove(this.base, { recursive: true });
  }
}

const GIT_ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

export function lines(changes: readonly PutBack[]): string[] {
  return changes.map(({ change, outcome, shown }) => `${change} ${outcome} ${shown}`);
}
