/**
 * The script around every command: restores the exports of the task, enters its directory,
 * runs the command and writes the state back to a file. Pure text for any POSIX shell, so that
 * a container or a remote host can use it as it is. Nothing of it shows in the output.
 */
import { MARKER_VARIABLE } from "../src/process/marker.ts";
import { shellQuote } from "../src/util/shell_quote.ts";

export interface ShellScript {
  command: string;
  /** Where the command runs. When it cannot be entered, nothing runs and the end is 126. */
  cwd: string;
  /** Marks every descendant, so that the ones that leave the process group can be found. */
  marker: string;
  /** Variables for this command only; value `i` comes in `valueVariable(i)`, so that it stays out of argv. */
  env: readonly string[];
  /** Shell code to source first (functions and aliases of the user). */
  profile?: string | undefined;
  /** State of an earlier command to start from. */
  stateIn?: string | undefined;
  /** Where to leave the state; absent for background processes, which change nothing. */
  stateOut?: string | undefined;
  /** Path of the terminal to run on; a session leader that opens it gets it for its own. */
  tty?: string | undefined;
  /** Put first on PATH for this command. */
  pathPrefix?: string | undefined;
  bash: boolean;
  /** Variables that hold from this command on; undefined ones are taken away. */
  exports?: Readonly<Record<string, string | undefined>> | undefined;
  /** Shell code for a place that hermes reaches through others. */
  remote?: RemoteHooks | undefined;
}

export interface RemoteHooks {
  /** Runs first. */
  first: string;
  /** Runs in front of the state, and where there is none yet instead of it. */
  reset: string;
  base: string;
  /** Runs when the state was read. */
  begun: string;
  /** Runs last, with 1 in `__hermes_w` when the state is whole. */
  last: string;
}

/** With the marker, ends a whole state file of this very command. */
const END = "#hermes-end";
/** Sourcing stops here; what follows is the directory. */
const STOP = "return 0";

/** The variable that brings the value of the command's variable `i`. */
export function valueVariable(i: number): string {
  return `HERMES_VALUE_${i}`;
}

/** One line, so that the shell's own messages count the command's lines from 1. */
export function buildShellScript(script: ShellScript): string {
  return `${openingScript(script)}; ${closingScript(script)}`;
}

/** What does not depend on the command: brings back what earlier ones exported. */
export function openingScript(script: Omit<ShellScript, "command" | "cwd">): string {
  const { remote } = script;
  const parts = [script.tty ? `exec <${script.tty} >${script.tty} 2>&1` : "exec 2>&1"];
  if (remote) parts.unshift(remote.first);
  if (script.stateIn) parts.push(readState(script.stateIn, remote));
  else if (remote) parts.push(remote.base);
  if (script.profile) parts.push(`. ${shellQuote(script.profile)} 2>/dev/null`);
  if (remote?.begun) parts.push(remote.begun);
  script.env.forEach((name, i) =>
    parts.push(
      `__hermes_s${i}=\${${name}+x} __hermes_k${i}=\${${name}-}`,
      `export ${name}="$${valueVariable(i)}"`,
      `unset ${valueVariable(i)}`,
    )
  );
  parts.push(
    `export ${MARKER_VARIABLE}=${
      shellQuote(script.marker)
    } AI_AGENT=hermes-agent HERMES_AGENT=true`,
  );
  return parts.join("; ");
}

/** Enters the directory and runs the command. */
export function closingScript(script: ShellScript): string {
  const { remote } = script;
  const parts = Object.entries(script.exports ?? {}).map(([name, value]) =>
    value === undefined ? `unset ${name}` : `export ${name}=${shellQuote(value)}`
  );
  if (script.pathPrefix) parts.push(`PATH=${shellQuote(script.pathPrefix)}:$PATH`);
  parts.push(...enterDirectory(script));
  if (script.stateOut || remote?.last) parts.push(`trap ${shellQuote(saveState(script))} EXIT`);
  parts.push(`eval ${shellQuote(script.command)}`);
  return parts.join("; ");
}

function readState(path: string, remote: RemoteHooks | undefined): string {
  const file = shellQuote(path);
  if (!remote) return `[ -r ${file} ] && . ${file} 2>/dev/null`;
  return `if [ -r ${file} ]; then ${remote.reset}; . ${file} 2>/dev/null; else ${remote.base}; fi`;
}

/** OLDPWD is put back afterwards: `cd -` belongs to the task, not to this script. */
function enterDirectory(script: ShellScript): string[] {
  const dir = shellQuote(script.cwd);
  // Never another directory: the command was judged, and meant, for this one.
  const enter =
    `command cd -- ${dir} || { echo "[hermes: cannot enter "${dir}": the command was not run]"; ` +
    "exit 126; }";
  const restore =
    'if [ -n "$__hermes_o" ]; then OLDPWD=$__hermes_o; else unset OLDPWD; export OLDPWD; fi';
  return ["__hermes_o=${OLDPWD-}", enter, restore];
}

function saveState(script: ShellScript): string {
  const restore = script.env.map((name, i) =>
    `if [ -n "$__hermes_s${i}" ]; then export ${name}="$__hermes_k${i}"; else unset ${name}; fi; `
  ).join("");
  const path = script.pathPrefix ? `PATH=\${PATH#${shellQuote(script.pathPrefix)}:}; ` : "";
  const exports = script.bash ? "export -p; export -pf" : "export -p";
  const save = script.stateOut === undefined
    ? ""
    : `{ ${exports}; echo; echo ${shellQuote(STOP)}; command pwd; ` +
      `echo ${shellQuote(`${END} ${script.marker}`)}; } ` +
      `2>/dev/null >|${shellQuote(script.stateOut)} && __hermes_w=1; `;
  const report = script.remote ? `${script.remote.last}; ` : "";
  // The exit code is read first; tracing goes off without being traced.
  return `{ __hermes_c=$?; set +eux; } 2>/dev/null; ${restore}${path}${save}${report}` +
    "exit $__hermes_c";
}

/** The directory that the command marked `marker` left in its state; undefined when it did not. */
export function readStateCwd(state: string, marker: string): string | undefined {
  const end = `\n${END} ${marker}\n`;
  const stop = state.lastIndexOf(`\n${STOP}\n`);
  if (stop < 0 || !state.endsWith(end)) return undefined;
  const cwd = state.slice(stop + STOP.length + 2, -end.length);
  return cwd.startsWith("/") ? cwd : undefined;
}

/** True for a name that can be exported by this script. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
