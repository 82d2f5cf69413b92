/**
 * Starts commands on this machine: finds the shell once, keeps the private directory, builds
 * the script around each command and launches it on pipes or a pseudo-terminal.
 */
import { EnvironmentError } from "../src/protocol/error.ts";
import { randomId } from "../src/util/id.ts";
import { which } from "../src/util/which.ts";
import { childEnvironment } from "./_child_env.ts";
import { exists, makePrivateDir, removeLeftovers } from "./_leftovers.ts";
import { killTree, type ProcessTree } from "./_process_tree.ts";
import { type Profile, readProfile } from "./_profile.ts";
import { Pty, type TerminalSize } from "./_pty.ts";
import { type RawProcess, startOnTerminal, startPiped, throughScript } from "./_raw_process.ts";
import {
  buildShellScript,
  isVariableName,
  MARKER_VARIABLE,
  valueVariable,
} from "./_shell_script.ts";
import { mentionsSudo, openSudo, type SudoSession } from "./_sudo.ts";

export interface ShellOptions {
  env: Readonly<Record<string, string>>;
  home: string;
  passEnv?: readonly string[];
  shell?: string;
  tempDir?: string;
  initFiles?: readonly string[];
  sudoPassword?: string;
}

export interface StartOptions {
  cwd: string;
  /** See `ShellScript.strictCwd`. */
  strictCwd: boolean;
  env: Record<string, string>;
  stdin: "null" | "piped";
  /** Size of the pseudo-terminal to run on. */
  terminal?: TerminalSize | undefined;
  stateIn: string | undefined;
  stateOut?: string | undefined;
}

export interface Started {
  process: RawProcess;
  tree: ProcessTree;
  marker: string;
  /** Removes what was made for this command alone; after its end. */
  release(): Promise<void>;
}

/** The kernel takes arguments of up to 128 KiB; a longer script goes through a file. */
const MAX_ARGUMENT = 100_000;

interface Setup {
  shell: string;
  bash: boolean;
  setsid: string | undefined;
  dir: string;
  profile: Profile | undefined;
}

export class LocalShell {
  readonly #options: ShellOptions;
  readonly #childEnv: Record<string, string>;
  /** Begins every marker of this environment. */
  readonly #id = randomId(16);
  #setup: Promise<Setup> | undefined;
  #dir = "";
  #files = 0;
  #closed = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#childEnv = childEnvironment(options.env, {
      pass: options.passEnv ?? [],
      home: options.home,
    });
  }

  /**
   * Must have settled before `newFile()`. True when the private directory is a new one: files
   * of before are gone. @throws EnvironmentError once closed.
   */
  async ready(): Promise<boolean> {
    if (this.#closed) throw new EnvironmentError("The local environment is closed");
    const { dir } = await this.#prepared();
    if (await exists(dir)) return false;
    // Something cleaned the temporary directory; begin again.
    this.#setup = undefined;
    await this.#prepared();
    return true;
  }

  #prepared(): Promise<Setup> {
    return this.#setup ??= this.#prepare().catch((error) => {
      this.#setup = undefined;
      throw error;
    });
  }

  /** A path for a new private file. */
  newFile(): string {
    return `${this.#dir}/${++this.#files}`;
  }

  async start(command: string, options: StartOptions): Promise<Started> {
    checkInput(command, options.env);
    const setup = await this.#prepared();
    const marker = `${this.#id}.${++this.#files}`;
    const sudo = await this.#sudo(command);
    const pty = options.terminal ? openPty(options.terminal) : undefined;
    try {
      const names = Object.keys(options.env);
      const script = buildShellScript({
        ...options,
        command,
        marker,
        env: names,
        stateIn: options.stateIn ?? setup.profile?.state,
        profile: setup.profile?.functions,
        tty: pty?.path,
        pathPrefix: sudo?.binDir,
        bash: setup.bash,
      });
      const env: Record<string, string> = options.stateIn === undefined
        ? { ...this.#childEnv }
        : {};
      env[MARKER_VARIABLE] = marker;
      names.forEach((name, i) => env[valueVariable(i)] = options.env[name]!);
      const argv = await this.#argv(setup, script);
      const process = pty ? startOnTerminal({ argv, env, setsid: setup.setsid, pty }) : startPiped({
        argv: options.terminal ? throughScript(argv, options.terminal) : argv,
        env,
        setsid: setup.setsid,
        stdin: options.stdin,
      });
      const tree = { leaders: [process.pid], marker };
      return { process, tree, marker, release: async () => await sudo?.close() };
    } catch (error) {
      await pty?.close();
      await sudo?.close();
      throw new EnvironmentError(`Cannot start ${setup.shell}: ${(error as Error).message}`);
    }
  }

  /** Takes no more commands and ends whatever is left of earlier ones. */
  async endAll(leaders: readonly number[]): Promise<void> {
    this.#closed = true;
    await this.#setup;
    if (this.#dir !== "") await killTree({ leaders, marker: `${this.#id}.` });
  }

  /** Removes the private directory, and what a killed hermes left; when nothing runs any more. */
  async clean(): Promise<void> {
    if (this.#dir === "") return;
    if (await exists(this.#dir)) await Deno.remove(this.#dir, { recursive: true });
    await removeLeftovers(this.#tempDir());
  }

  #tempDir(): string {
    return this.#options.tempDir ?? this.#options.env.TMPDIR ?? "/tmp";
  }

  async #makeDir(): Promise<string> {
    const parent = this.#tempDir();
    try {
      return this.#dir = await makePrivateDir(parent, this.#id);
    } catch (error) {
      const { message } = error as Error;
      throw new EnvironmentError(`Cannot make a directory in ${parent}: ${message}`);
    }
  }

  async #prepare(): Promise<Setup> {
    const { env, shell, initFiles } = this.#options;
    const [bash, setsid, dir] = await Promise.all([
      which(shell ?? "bash", `/bin:${env.PATH ?? ""}`),
      which("setsid", "/usr/bin:/bin"),
      this.#makeDir(),
    ]);
    if (shell !== undefined && bash === undefined) {
      throw new EnvironmentError(`Cannot start ${shell}: it is no program`);
    }
    const found = bash ?? "/bin/sh";
    const isBash = found.endsWith("bash");
    const profile = isBash && initFiles?.length
      ? await readProfile({ files: initFiles, shell: found, setsid, env: this.#childEnv, dir })
      : undefined;
    return { shell: found, bash: isBash, setsid, dir, profile };
  }

  async #argv(setup: Setup, script: string): Promise<string[]> {
    if (script.length < MAX_ARGUMENT) {
      return [setup.shell, "-c", script, setup.bash ? "bash" : "sh"];
    }
    const file = this.newFile();
    await Deno.writeTextFile(file, script, { mode: 0o600 });
    return [setup.shell, file];
  }

  async #sudo(command: string): Promise<SudoSession | undefined> {
    const password = this.#options.sudoPassword;
    if (password === undefined || !mentionsSudo(command)) return undefined;
    const program = await which("sudo", this.#childEnv.PATH);
    return program === undefined
      ? undefined
      : await openSudo(this.newFile(), { program, password });
  }
}

function checkInput(command: string, env: Record<string, string>): void {
  if (command.includes("\0")) throw new EnvironmentError("A command cannot contain a NUL byte");
  for (const [name, value] of Object.entries(env)) {
    if (!isVariableName(name)) throw new EnvironmentError(`"${name}" is not a variable name`);
    if (value.includes("\0")) throw new EnvironmentError(`The value of ${name} has a NUL byte`);
  }
}

/** Undefined where libc cannot be reached: `script` then lends its terminal. */
function openPty(size: TerminalSize): Pty | undefined {
  try {
    return Deno.build.os === "linux" ? new Pty(size) : undefined;
  } catch {
    return undefined; // No permission for FFI, or no terminal left.
  }
}
