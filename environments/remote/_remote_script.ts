/**
 * The scripts that run on the other side: a command with everything around it, and hermes' own
 * small programs. Pure text, built on `../shell_script.ts` and the records of `_remote_protocol.ts`.
 */
import { shellQuote } from "../../src/util/shell_quote.ts";
import type { KillOptions, StartOptions } from "../shell.ts";
import { OPEN_RECORDS, writeRecord } from "./_remote_protocol.ts";
import { buildShellScript, valueVariable } from "../shell_script.ts";

/** What is known about the other side. */
export interface RemoteFacts {
  /** The private directory. */
  dir: string;
  home: string;
  /** Absolute path of bash, else of a POSIX shell. */
  shell: string;
  bash: boolean;
  /** `read -t` works. */
  timedRead: boolean;
  /** Variables that every shell there starts with. */
  inherited: readonly string[];
}

/** How one of hermes' own programs runs on the other side. */
export interface OwnOptions {
  stdin?: Uint8Array | undefined;
  onChunk?: (chunk: Uint8Array) => void;
  signal?: AbortSignal | undefined;
}

/** One of hermes' own programs has run there. */
export interface OwnResult {
  code: number;
  /** The end of its output: the reason when it failed. */
  tail: string;
}

/** Twentieths of a second between SIGTERM and SIGKILL. */
const GRACE = 20;
/** How much later than hermes itself the other side ends a command that takes too long. */
const LATER_S = 5;

export interface RemoteCommand extends StartOptions {
  command: string;
  marker: string;
  /** Begins its records. */
  token: string;
}

/** The whole script of one command; says `started` in the background and `state` in the end. */
export function commandScript(command: RemoteCommand, facts: RemoteFacts): string {
  const { token, background, env, terminal } = command;
  const names = Object.keys(env);
  const first = [
    "unset __hermes_l __hermes_g __hermes_d __hermes_t",
    terminal ? `stty rows ${terminal.rows} cols ${terminal.columns}` : "",
    command.stdin === "null" && !terminal ? lifeline(command, facts) : "",
    OPEN_RECORDS,
    ...names.map((name, i) => `${valueVariable(i)}=${shellQuote(env[name]!)}`),
  ];
  return buildShellScript({
    ...command,
    env: names,
    bash: facts.bash,
    remote: {
      first: first.filter((part) => part !== "").join("; "),
      reset: `unset -v ${facts.inherited.join(" ")} 2>/dev/null`,
      base: `. ${shellQuote(`${facts.dir}/base`)}`,
      begun: background ? writeRecord(token, "started", []) : "",
      // The directory is asked for anew, since the command may have changed the variable.
      last: `command cd . 2>/dev/null; ` +
        writeRecord(token, "state", ['"${__hermes_w-0}"', '"$PWD"']),
    },
  });
}

/**
 * Ends the command when hermes is gone, which closes its input, or when its time is up and
 * hermes, on a broken line, cannot end it. Not a job of the shell, so that `wait` ignores it.
 */
function lifeline({ marker, timeoutMs }: RemoteCommand, facts: RemoteFacts): string {
  const limit = timeoutMs === undefined || !facts.timedRead
    ? ""
    : ` -t ${Math.ceil(timeoutMs / 1000) + LATER_S}`;
  return `exec 3<&0 </dev/null; ( { read -r${limit} __hermes_l <&3; ` +
    `kill -0 $$ || exit; sleep 1; kill -0 $$ && exec ${
      endCommand(facts, { marker, leaders: ["$PPID"] })
    }; } ` +
    `>/dev/null 2>&1 & ); exec 3<&-`;
}

export interface TreeToEnd extends KillOptions {
  marker: string;
  /** Process ids, or shell code for one. */
  leaders?: readonly (number | string)[];
}

/** Runs the program that ends trees. */
export function endCommand(facts: RemoteFacts, tree: TreeToEnd): string {
  const { marker, leaders = [], graceMs, hangUp } = tree;
  const grace = graceMs === undefined ? GRACE : Math.ceil(graceMs / 50);
  return `sh ${shellQuote(`${facts.dir}/end`)} ${grace} ${marker} "${leaders.join(" ")}"` +
    (hangUp ? " hup" : "");
}

/** One of hermes' own programs: errors among its output, in words that are the same everywhere. */
export function ownScript(script: string): string {
  return `exec 2>&1; LC_ALL=C; export LC_ALL; ${script}`;
}
