/**
 * Commands and files on this machine, as the user hermes runs as. Every command is a fresh
 * shell in a session of its own; directory and exports travel from one to the next through a
 * private file. Credentials of hermes never reach a command.
 */
import type { Environment } from "../../src/protocol/environment.ts";
import type { CommandWalls } from "../../src/protocol/sandbox.ts";
import { identify, LOCAL_FILES } from "./_local_files.ts";
import { LocalShell } from "./_local_shell.ts";
import { ShellEnvironment } from "../shell_environment.ts";

export interface LocalOptions {
  /** Where commands start. */
  cwd: string;
  /** The environment hermes was started with; commands see what the allow-list lets through. */
  env: Readonly<Record<string, string>>;
  /** What `~` means. */
  home: string;
  /** Names of variables that reach commands although they are not on the allow-list. */
  passEnv?: readonly string[];
  /** Absolute path of a POSIX shell; default bash, else sh. */
  shell?: string;
  /** Directory for private state; default `TMPDIR` or `/tmp`. */
  tempDir?: string;
  /** Start-up files whose exports, functions and aliases commands see (bash only). */
  initFiles?: readonly string[];
  /** Answers `sudo` when it asks. */
  sudoPassword?: string;
  /** What commands are started behind. */
  walls?: CommandWalls;
  /** False: every command begins in `cwd` with `env`, whatever earlier ones did. */
  persistent?: boolean;
  /** Between SIGTERM and SIGKILL of a background process; default 1 s. */
  killGraceMs?: number;
}

/** Directory and exports travel between commands; credentials of hermes never reach one. */
export function createLocalEnvironment(options: LocalOptions): Environment {
  return new ShellEnvironment({
    name: "local",
    sharesHost: true,
    cwd: options.cwd,
    home: options.home,
    shell: new LocalShell(options),
    files: LOCAL_FILES,
    identify,
    search: async (query) => await (await import("./local_search.ts")).createLocalSearch()(query),
    persistent: options.persistent,
    killGraceMs: options.killGraceMs,
  });
}
