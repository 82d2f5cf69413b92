/**
 * Starts commands on this machine: finds the shell once, keeps the private directory, builds
 * the script around each command and launches it on pipes or a pseudo-terminal.
 */
import { EnvironmentError } from "../../src/protocol/error.ts";
import type { CommandWalls, RaisedWalls } from "../../src/protocol/sandbox.ts";
import { exists } from "../../src/util/exists.ts";
import { privatePlaces } from "../../src/util/private_places.ts";
import { hideMemory } from "../../src/util/hide_memory.ts";
import { dirname } from "../../src/util/path.ts";
import { which } from "../../src/util/which.ts";
import {
  type ChildEnvironment,
  commandEnvironment,
  onlyVariables,
  withVariables,
} from "../../src/process/child_environment.ts";
import { endWatch, type EndWatchHold } from "../../src/process/end_watch.ts";
import { MARKER_VARIABLE, newMarkerName } from "../../src/process/marker.ts";
import { makePrivateDir, removeLeftovers } from "./_leftovers.ts";
import { OwnFiles } from "./_own_files.ts";
import { type ReadState, StateFiles } from "./_state_files.ts";
import { killTree } from "../../src/process/process_tree.ts";
import { type Profile, readProfile } from "./_profile.ts";
import { openPty, type Pty } from "../../src/process/pty.ts";
import {
  type RawProcess,
  startOnTerminal,
  startPiped,
  throughScript,
} from "../../src/process/raw_process.ts";
import { checkInput, type Shell, type Started, type StartOptions } from "../shell.ts";
import {
  closingScript,
  openingScript,
  readStateCwd,
  type ShellScript,
  valueVariable,
} from "../shell_script.ts";
import { type ClaimedShell, SPARE_INPUT, SpareShellSlot } from "./_spare_shell.ts";
import { mentionsSudo, openSudo, type SudoSession } from "./_sudo.ts";

export interface ShellOptions {
  env: Readonly<Record<string, string>>;
  home: string;
  passEnv?: readonly string[];
  shell?: string;
  tempDir?: string;
  initFiles?: readonly string[];
  sudoPassword?: string;
  walls?: CommandWalls;
}

/** The kernel takes arguments of up to 128 KiB; a longer script goes through a file. */
const MAX_ARGUMENT = 100_000;
/** The shell's own code for what cannot be executed. */
const NOT_STARTED = 126;

interface Setup {
  shell: string;
  bash: boolean;
  /** Shells can be started ahead. */
  spares: boolean;
  dir: string;
  profile: Profile | undefined;
}

interface LaunchChoices {
  setup: Setup;
  marker: string;
  pty: Pty | undefined;
  walls: RaisedWalls | undefined;
  /** The script brings the variables of an earlier command. */
  state: ReadState | undefined;
}

export class LocalShell implements Shell {
  readonly #options: ShellOptions;
  readonly #childEnv: ChildEnvironment;
  /** Begins every marker of this environment. */
  readonly #id = newMarkerName();
  readonly #spares = new SpareShellSlot();
  readonly #own = new OwnFiles();
  readonly #states = new StateFiles(this.#own);
  #freed: string[] = [];
  #setup: Promise<Setup> | undefined;
  #watch: EndWatchHold | undefined;
  #dir = "";
  /** Directories that were made before this one and have gone. */
  #lost = 0;
  #files = 0;
  #closed = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#childEnv = commandEnvironment(options.env, {
      pass: options.passEnv ?? [],
      home: options.home,
    });
  }

  async ready(): Promise<boolean> {
    if (this.#closed) throw new EnvironmentError("The local environment is closed");
    const { dir } = await this.#prepared();
    if (isThere(privatePlaces(dir).state)) return false;
    // Something cleaned the temporary directory; begin again.
    this.#setup = undefined;
    this.#lost++;
    await this.#prepared();
    return true;
  }

  async prepare(): Promise<void> {
    const { dir } = await this.#prepared();
    await this.#options.walls?.raise(dir);
  }

  #prepared(): Promise<Setup> {
    return this.#setup ??= this.#prepare().catch((error) => {
      this.#setup = undefined;
      throw error;
    });
  }

  newFile(): string {
    return `${privatePlaces(this.#dir).state}/${++this.#files}`;
  }

  /** Removed while the next command runs: a result is not held up for it. */
  freeFile(path: string): void {
    this.#freed.push(path);
  }

  #removeFreed(): void {
    for (const path of this.#freed.splice(0)) this.#states.forget(path);
  }

  async start(command: string, options: StartOptions): Promise<Started> {
    checkInput(command, options.env);
    const setup = await this.#prepared();
    const { dir } = setup;
    const { background, cwd } = options;
    const walls = await this.#wallsOf(options, setup);
    const state = this.#states.input(options.stateIn, { walls, dir, background });
    // A command that was let out changes nothing for those behind the walls.
    const keeps = options.stateOut !== undefined && !this.#isOutside(options);
    const stateOut = keeps ? this.#states.output(options.stateOut!, { walls, dir }) : undefined;
    const spare = this.#claimSpare(options, { state, walls });
    const marker = spare?.marker ?? this.#newMarker();
    let sudo: SudoSession | undefined;
    let pty: Pty | undefined;
    try {
      // A shell that has brought them back already reads them no more.
      if (spare?.state === undefined) this.#restoreFiles(setup, state);
      // Behind walls nobody becomes root, and whoever runs there could read the password.
      if (walls === undefined) sudo = await this.#sudo(command);
      if (options.terminal) pty = openPty(options.terminal, { from: walls?.terminals });
      const script: ShellScript = {
        ...options,
        command,
        marker,
        env: Object.keys(options.env),
        stateIn: state?.path ?? setup.profile?.state,
        stateOut,
        profile: setup.profile?.functions,
        tty: pty?.path,
        pathPrefix: sudo?.binDir,
        bash: setup.bash,
        exports: this.#changedVariables(setup, { state, walls }),
      };
      const opening = openingScript(script);
      const closing = closingScript(script);
      const process = await spare?.run({ opening, closing }) ??
        await this.#launch(`${opening}; ${closing}`, {
          ...options,
          setup,
          marker,
          pty,
          walls,
          state,
        });
      // While this command runs there is nothing better to do than to start the next one's shell.
      if (!background && !this.#isOutside(options)) this.#prepareSpare(setup, walls);
      this.#watchFor(process);
      this.#removeFreed();
      return {
        process,
        kill: (how) => killTree({ leaders: [process.pid], marker }, how),
        ...walls === undefined ? {} : { notes: (end) => walls.end({ ...end, cwd }) },
        left: () => {
          const text = stateOut && this.#states.take(stateOut);
          const left = text && readStateCwd(text, marker);
          if (stateOut && left) this.#briefSpare(setup, { path: stateOut, walls });
          return Promise.resolve(left);
        },
        release: async () => {
          if (state?.isCopy) this.freeFile(state.path);
          await sudo?.close();
        },
      };
    } catch (error) {
      walls?.end({ exitCode: NOT_STARTED, output: "", cwd });
      await spare?.drop();
      await pty?.close();
      await sudo?.close();
      throw new EnvironmentError(`Cannot start ${setup.shell}: ${(error as Error).message}`);
    }
  }

  async #launch(
    script: string,
    options: StartOptions & LaunchChoices,
  ): Promise<RawProcess> {
    const { setup, marker, pty, walls, state } = options;
    // Once more: the waiting shell that should have run it may have died.
    this.#restoreFiles(setup, state);
    const variables: Record<string, string> = { [MARKER_VARIABLE]: marker };
    Object.values(options.env).forEach((value, i) => variables[valueVariable(i)] = value);
    // A state holds all of the environment already.
    const env = state === undefined
      ? withVariables(this.#childEnv, { ...walls?.env, ...variables })
      : onlyVariables(variables);
    const argv = await this.#argv(setup, { script, walls });
    const { launcher } = walls ?? {};
    if (pty) return startOnTerminal({ argv, env, pty, launcher });
    return startPiped({
      argv: options.terminal ? throughScript(argv, options.terminal) : argv,
      env,
      launcher,
      stdin: options.stdin,
    });
  }

  /** Has the process ended also when hermes is killed. */
  #watchFor({ pid, exited }: RawProcess): void {
    const watch = this.#watch ??= endWatch.hold();
    watch.add(pid);
    exited.then(() => watch.remove(pid));
  }

  /** Puts back the files that a shell is going to read, as hermes wrote them. */
  #restoreFiles({ profile }: Setup, state: Pick<ReadState, "path"> | undefined): void {
    for (const file of [state?.path, profile?.state, profile?.functions]) this.#own.restore(file);
  }

  #newMarker(): string {
    return `${this.#id}.${++this.#files}`;
  }

  /** True for a command that leaves the walls around the others. */
  #isOutside({ outside }: StartOptions): boolean {
    return outside === true && this.#options.walls !== undefined;
  }

  async #wallsOf(options: StartOptions, { dir }: Setup): Promise<RaisedWalls | undefined> {
    const walls = options.outside ? undefined : await this.#options.walls?.raise(dir);
    walls?.begin();
    return walls;
  }

  /**
   * Exports outlive walls: what the present ones bring, and what those brought that the state was
   * left behind is taken back.
   */
  #changedVariables(
    { profile }: Setup,
    { state, walls }: Pick<LaunchChoices, "state" | "walls">,
  ): Record<string, string | undefined> | undefined {
    const hasState = state !== undefined || profile !== undefined;
    if (!hasState || state?.walls === walls) return undefined;
    const before = Object.keys(state?.walls?.env ?? {}).map((name) => [name, this.#childEnv[name]]);
    return { ...Object.fromEntries(before), ...walls?.env };
  }

  #prepareSpare(setup: Setup, walls: RaisedWalls | undefined): void {
    if (this.#closed || !setup.spares) return;
    const { shell } = setup;
    try {
      this.#spares.prepare(() => ({ shell, marker: this.#newMarker() }), walls);
    } catch {
      // Out of processes, for instance: the next command says so itself if that lasts.
    }
  }

  #briefSpare(setup: Setup, state: Pick<ReadState, "path" | "walls">): void {
    const { bash } = setup;
    const profile = setup.profile?.functions;
    this.#spares.brief(state, (marker) => {
      this.#restoreFiles(setup, state);
      return openingScript({ marker, env: [], stateIn: state.path, profile, bash });
    });
  }

  /** A waiting shell has no terminal, no input and no variables of the command. */
  #claimSpare(
    options: StartOptions,
    { state, walls }: Pick<LaunchChoices, "state" | "walls">,
  ): ClaimedShell | undefined {
    const { terminal, stdin, env } = options;
    if (terminal || stdin !== "null" || state === undefined || state.isCopy) return undefined;
    return Object.keys(env).length === 0 ? this.#spares.claim(state.path, walls) : undefined;
  }

  async endAll(leaders: readonly number[]): Promise<void> {
    this.#closed = true;
    await this.#setup;
    await this.#spares.close();
    if (this.#dir !== "") await killTree({ leaders, marker: `${this.#id}.` });
  }

  /** Removes the private directory, and what a killed hermes left; when nothing runs any more. */
  async clean(): Promise<void> {
    if (this.#dir === "") return;
    const dismissed = this.#watch?.release();
    await this.#options.walls?.close();
    if (await exists(this.#dir)) await Deno.remove(this.#dir, { recursive: true });
    for (const parent of new Set([this.#tempDir(), dirname(this.#dir)])) {
      await removeLeftovers(parent);
    }
    await dismissed;
  }

  #tempDir(): string {
    return this.#options.tempDir ?? this.#options.env.TMPDIR ?? "/tmp";
  }

  async #makeDir(): Promise<string> {
    const wanted = this.#tempDir();
    const parent = await this.#options.walls?.privateParent?.(wanted) ?? wanted;
    try {
      return this.#dir = await makePrivateDir(parent, this.#id, this.#lost);
    } catch (error) {
      const { message } = error as Error;
      throw new EnvironmentError(`Cannot make a directory in ${parent}: ${message}`);
    }
  }

  async #prepare(): Promise<Setup> {
    hideMemory();
    const { env, shell, initFiles } = this.#options;
    const [bash, dir] = await Promise.all([
      which(shell ?? "bash", `/bin:${env.PATH ?? ""}`),
      this.#makeDir(),
    ]);
    if (shell !== undefined && bash === undefined) {
      throw new EnvironmentError(`Cannot start ${shell}: it is no program`);
    }
    const found = bash ?? "/bin/sh";
    const isBash = found.endsWith("bash");
    const profile = isBash && initFiles?.length
      ? await readProfile({
        files: initFiles,
        shell: found,
        env: this.#childEnv,
        dir: privatePlaces(dir).given,
      })
      : undefined;
    if (profile) { for (const file of Object.values(profile)) this.#own.take(file); }
    const spares = isBash && isThere(SPARE_INPUT);
    return { shell: found, bash: isBash, spares, dir, profile };
  }

  async #argv(
    setup: Setup,
    { script, walls }: { script: string; walls: RaisedWalls | undefined },
  ): Promise<string[]> {
    if (script.length < MAX_ARGUMENT) {
      return [setup.shell, "-c", script, setup.bash ? "bash" : "sh"];
    }
    const place = walls === undefined ? setup.dir : privatePlaces(setup.dir).given;
    const file = `${place}/script-${++this.#files}`;
    await Deno.writeTextFile(file, script, { mode: 0o600 });
    return [setup.shell, file];
  }

  async #sudo(command: string): Promise<SudoSession | undefined> {
    const password = this.#options.sudoPassword;
    if (password === undefined || !mentionsSudo(command)) return undefined;
    const program = await which("sudo", this.#childEnv.PATH);
    return program === undefined
      ? undefined
      : await openSudo(`${this.#dir}/sudo-${++this.#files}`, { program, password });
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false; // Not there, or no longer ours to use.
  }
}
