/** Argument lists for the system's `ssh`. Pure: the same settings give the same words. */
import { UsageError } from "../../src/protocol/error.ts";
import { shellJoin } from "../../src/util/shell_quote.ts";
import type { RemoteCommandLine } from "../remote/remote_host.ts";
import { readSetting, type TerminalSettings } from "../settings.ts";

export interface SshSettings {
  host: string;
  user: string;
  /** 22, the default, leaves it to ssh's own configuration. */
  port: number;
  /** Identity file; empty leaves it to the agent and ssh's own defaults. */
  key: string;
  /** Hosts to go through, as for `ssh -J`. */
  jump: string;
  /** Configuration file; empty is the user's own. */
  config: string;
  /** What to do with a host whose key is not known. A changed key is always refused. */
  unknownHosts: "refuse" | "accept";
}

const CONNECT_S = 10;
/** A silent link is given up after `ALIVE_S` × `ALIVE_COUNT`. */
const ALIVE_S = 15;
const ALIVE_COUNT = 3;
/** An unused master ends by itself, also when hermes was killed. */
const PERSIST_S = 60;

/** @throws UsageError when no host is configured. */
export function sshSettings(settings: TerminalSettings = {}): SshSettings {
  const text = (key: string) => readSetting(settings, key, "");
  const host = text("ssh_host");
  if (host === "" || host.startsWith("-")) {
    throw new UsageError("The ssh environment needs a host", {
      hint: "Set terminal.ssh_host (and ssh_user, ssh_port, ssh_key where ssh does not know them)",
    });
  }
  return {
    host,
    user: text("ssh_user"),
    port: readSetting(settings, "ssh_port", 22),
    key: text("ssh_key"),
    jump: text("ssh_jump"),
    config: text("ssh_config"),
    unknownHosts: text("ssh_unknown_hosts") === "accept" ? "accept" : "refuse",
  };
}

/** As a person writes it: `user@host:port`. */
export function sshAddress({ user, host, port }: SshSettings): string {
  return `${user === "" ? "" : `${user}@`}${host}${port === 22 ? "" : `:${port}`}`;
}

/** Common to everything that uses the connection at `socket`. The first value of an option wins. */
function common(settings: SshSettings, socket: string): string[] {
  const { user, port, key, config, host } = settings;
  return [
    ...(config === "" ? [] : ["-F", config]),
    ...option("BatchMode", "yes"),
    ...option("StrictHostKeyChecking", settings.unknownHosts === "refuse" ? "yes" : "accept-new"),
    ...option("LogLevel", "ERROR"),
    ...option("ControlPath", socket),
    ...(port === 22 ? [] : ["-p", String(port)]),
    ...(user === "" ? [] : ["-l", user]),
    ...(key === "" ? [] : ["-i", key, ...option("IdentitiesOnly", "yes")]),
    "--",
    host,
  ];
}

/** Login shells that read the same language as ours. */
const POSIX = /\/(?:ba|da|k|mk|z)?sh$/;

/** Opens a connection that stays when the command has ended; that tells the login shell. */
export function masterArgs(settings: SshSettings, socket: string): string[] {
  return [
    ...option("ControlMaster", "yes"),
    ...option("ControlPersist", String(PERSIST_S)),
    ...option("ConnectTimeout", String(CONNECT_S)),
    ...option("ServerAliveInterval", String(ALIVE_S)),
    ...option("ServerAliveCountMax", String(ALIVE_COUNT)),
    ...(settings.jump === "" ? [] : ["-J", settings.jump]),
    "-T",
    ...common(settings, socket),
    "echo $SHELL",
  ];
}

/** Runs a shell over the connection, and never over another one: that would ask for nobody's consent. */
export function sessionArgs(
  settings: SshSettings,
  session: RemoteCommandLine & { socket: string; loginShell: string },
): string[] {
  const { socket, shell, script, tty, loginShell } = session;
  return [
    ...option("ControlMaster", "no"),
    ...option("ProxyCommand", "false"),
    tty ? "-tt" : "-T",
    ...common(settings, socket),
    POSIX.test(loginShell) ? script : `exec ${shellJoin([shell, "-c", script])}`,
  ];
}

/** Asks the connection something (`check`), or ends it (`exit`). */
export function controlArgs(
  settings: SshSettings,
  socket: string,
  request: "check" | "exit",
): string[] {
  return ["-O", request, ...common(settings, socket)];
}

function option(name: string, value: string): string[] {
  return ["-o", `${name}=${value}`];
}
