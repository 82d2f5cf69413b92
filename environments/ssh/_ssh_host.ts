/**
 * A host behind `ssh`: connections that many sessions share, as few as the server's limit of
 * sessions for one connection allows. Brings back a connection that was lost.
 */
import { type ChildEnvironment, withVariables } from "../../src/process/child_environment.ts";
import { exists } from "../../src/util/exists.ts";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { randomId } from "../../src/util/id.ts";
import type { ClientCommand } from "../remote/channel.ts";
import { lastLine } from "../../src/process/run_program.ts";
import { runClient } from "../remote/run_client.ts";
import { namesIn, removeIfThere } from "../remote/host_files.ts";
import type { RemoteCommandLine, RemoteHost } from "../remote/remote_host.ts";
import { controlArgs, masterArgs, sessionArgs, sshAddress, type SshSettings } from "./_ssh_args.ts";

export interface SshHostOptions {
  settings: SshSettings;
  /** Absolute path of `ssh`. */
  program: string;
  env: ChildEnvironment;
  /** Directory for sockets; its path must be short. */
  tempDir: string;
}

const SOCKET_DIR = "hermes-ssh-";
/** Servers allow 10 sessions for one connection unless told otherwise. */
const SESSIONS = 8;

interface Connection {
  socket: string;
  sessions: number;
}

export class SshHost implements RemoteHost {
  readonly survivesLink = true;
  readonly label: string;
  readonly #options: SshHostOptions;
  #loginShell = "";
  #dir: string | undefined;
  #connections: Connection[] = [];
  #growing: Promise<Connection> | undefined;

  constructor(options: SshHostOptions) {
    this.#options = options;
    this.label = `host ${sshAddress(options.settings)}`;
  }

  async connect({ suspect = false } = {}): Promise<void> {
    // A connection can be there and lead nowhere.
    if (suspect) await this.#disconnect();
    const alive = await Promise.all(this.#connections.map((one) => this.#check(one)));
    this.#connections = this.#connections.filter((_, i) => alive[i]);
    if (this.#connections.length === 0) await this.#grow();
  }

  async client(command: RemoteCommandLine): Promise<ClientCommand> {
    const connection = await this.#reserve();
    const { settings, program, env } = this.#options;
    return {
      argv: [
        program,
        ...sessionArgs(settings, {
          ...command,
          socket: connection.socket,
          loginShell: this.#loginShell,
        }),
      ],
      env: withVariables(env, { TERM: env.TERM ?? "xterm-256color" }),
      onExit: () => connection.sessions--,
    };
  }

  async isAlive(): Promise<boolean> {
    const alive = await Promise.all(this.#connections.map((one) => this.#check(one)));
    return alive.length > 0 && alive.every((is) => is);
  }

  async close(): Promise<void> {
    await this.#growing?.catch(() => {});
    await this.#disconnect();
    if (this.#dir !== undefined) await Deno.remove(this.#dir, { recursive: true });
    this.#dir = undefined;
  }

  async #disconnect(): Promise<void> {
    const { settings } = this.#options;
    const closing = this.#connections.splice(0);
    await Promise.all(
      closing.map(({ socket }) => this.#ssh(controlArgs(settings, socket, "exit"))),
    );
  }

  /** A connection with room for one more session. */
  async #reserve(): Promise<Connection> {
    while (true) {
      const free = this.#connections.find(({ sessions }) => sessions < SESSIONS);
      if (free) {
        free.sessions++;
        return free;
      }
      await this.#grow();
    }
  }

  #grow(): Promise<Connection> {
    return this.#growing ??= this.#open().finally(() => this.#growing = undefined);
  }

  async #open(): Promise<Connection> {
    const { settings, tempDir } = this.#options;
    this.#dir ??= await Deno.makeTempDir({ dir: tempDir, prefix: `${SOCKET_DIR}${Deno.pid}-` });
    const socket = `${this.#dir}/${randomId(6)}`;
    const result = await this.#ssh(masterArgs(settings, socket));
    if (result.code !== 0) {
      throw new EnvironmentError(`Cannot reach the ${this.label}: ${this.#explain(result.stderr)}`);
    }
    this.#loginShell = lastLine(result.stdout);
    const connection = { socket, sessions: 0 };
    this.#connections.push(connection);
    return connection;
  }

  async #check({ socket }: Connection): Promise<boolean> {
    const result = await this.#ssh(controlArgs(this.#options.settings, socket, "check"));
    return result.code === 0;
  }

  #ssh(args: readonly string[]) {
    const { program, env } = this.#options;
    return runClient([program, ...args], { env });
  }

  #explain(stderr: string): string {
    const line = lastLine(stderr) || "ssh says nothing";
    if (/IDENTIFICATION HAS CHANGED/.test(stderr)) {
      return "its key is not the one that is known. Find out why before you remove the old key " +
        `(ssh-keygen -R ${this.#options.settings.host})`;
    }
    if (/Host key verification failed|No (?:(?!No ).)* host key is known/.test(stderr)) {
      return "its key is not known. Connect once by hand and compare it, or set " +
        "terminal.ssh_unknown_hosts: accept";
    }
    if (/Permission denied/.test(line)) {
      return `${line}. Set terminal.ssh_key, or add the key to the agent; passwords are not asked for`;
    }
    return line;
  }
}

/** Removes sockets of connections whose hermes is gone; those end by themselves. */
export async function removeOldSockets(tempDir: string): Promise<string[]> {
  const removed: string[] = [];
  if (!await exists("/proc/self")) return removed;
  for (const name of await namesIn(tempDir)) {
    const [, pid] = /^hermes-ssh-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || await exists(`/proc/${pid}`)) continue;
    const dir = `${tempDir}/${name}`;
    // Another hermes may be tidying up at the same time.
    const owner = await Deno.lstat(dir).catch(() => undefined);
    if (owner?.uid !== Deno.uid()) continue;
    await removeIfThere(dir);
    removed.push(`removed ${dir}`);
  }
  return removed;
}
