/**
 * A background process that does not depend on the link: a supervisor there keeps its output in
 * a file, its input in a pipe and its exit code when it ends; hermes follows along and, after a
 * broken link, goes on where it was. A terminal is lent by `script`, where the place has one.
 */
import { EnvironmentError } from "../../src/protocol/error.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import { backoffMs, sleep } from "../../src/util/sleep.ts";
import type { Channel } from "./channel.ts";
import { MARKER_VARIABLE } from "../../src/process/marker.ts";
import { END_OF_INPUT, type TerminalSize } from "../../src/process/pty.ts";
import type { RawProcess } from "../../src/process/raw_process.ts";
import { OPEN_RECORDS, writeRecord } from "./_remote_protocol.ts";
import type { RemoteFacts } from "./_remote_script.ts";
import type { OwnOptions, OwnResult } from "./_remote_script.ts";
import type { StartOptions } from "../shell.ts";
import { buildShellScript, valueVariable } from "../shell_script.ts";

/** Longer ones go through a file: the kernel limits arguments. */
const MAX_ARGUMENT = 100_000;
/** After so many bytes the part of the output file that hermes has is given back to the disk. */
const TRIM_BYTES = 64 << 20;
const FOLLOWERS = 8;
/** How long the reader of a broken link takes to notice. */
const NOTICE_MS = 10;
/** How long a broken link may stay broken. */
const GIVE_UP_MS = 10 * 60_000;

export interface DetachedStart extends StartOptions {
  command: string;
  marker: string;
  /** Directory of this process alone. */
  dir: string;
  /** Begins the records of the shell that starts it. */
  token: string;
}

/**
 * The supervisor. Records the process id and its own when the state is safe, and then lives
 * without the link; the shell that starts it ends, so that the server need not keep a session.
 * Records nothing where there is no terminal that could outlive the link.
 */
export function supervisorScript(start: DetachedStart, facts: RemoteFacts): string {
  const { dir, marker, token, env, stateIn, terminal } = start;
  const names = Object.keys(env);
  const inner = buildShellScript({
    ...start,
    env: names,
    stateIn: `${dir}/state`,
    stateOut: undefined,
    bash: facts.bash,
  });
  const shell = shellQuote(facts.shell);
  const program = inner.length < MAX_ARGUMENT ? `-c "$r" ${facts.bash ? "bash" : "sh"}` : "./run";
  const launch = `exec ${shell} ${program}`;
  const prepare = [
    ...(stateIn === undefined ? [] : [`unset -v ${facts.inherited.join(" ")} 2>/dev/null`]),
    ...names.map((name, i) => `export ${valueVariable(i)}=${shellQuote(env[name]!)}`),
    `export ${MARKER_VARIABLE}=${marker}`,
    ...(terminal ? ["export TERM=xterm-256color"] : []),
  ];
  return [
    ...(terminal ? [needsScript(token)] : []),
    `d=${shellQuote(dir)}; umask 077; mkdir "$d" && command cd "$d" || exit`,
    `cat ${shellQuote(stateIn ?? `${facts.dir}/base`)} >state; mkfifo in end; : >log`,
    `printf %s ${shellQuote(inner)} >run; r=$(cat run)`,
    ...(terminal ? [`printf %s ${shellQuote(onTerminal(launch, terminal))} >terminal`] : []),
    "umask 022",
    // Job control gives it a group of its own and leaves its signals as they were.
    `ids=$(${facts.bash ? "set -m" : ":"}`,
    // Open for both, a pipe neither blocks here nor ends for its reader until that is wanted.
    "( exec 7<>in 6<>end",
    `( ${prepare.join("; ")}; ${
      terminal ? LEND_TERMINAL : launch
    } ) <in >>log 2>&1 6>&- 7>&- & p=$!`,
    "trap 'exec 7>&-' USR1; trap : TERM HUP INT",
    `echo "$p $(exec sh -c 'echo $PPID')"; exec </dev/null >/dev/null 2>&1`,
    "while :; do wait $p; c=$?; kill -0 $p 2>/dev/null || break; done",
    // One line for each follower there may be: one of a broken link does not know yet.
    `echo $c >exit.new; mv exit.new exit; printf '${"\\n".repeat(FOLLOWERS)}' >&6 ) & )`,
    `${OPEN_RECORDS}; ${writeRecord(token, "started", ['"$ids"'])}`,
  ].join("\n");
}

/** `script` runs it by whatever shell the user has. */
const LEND_TERMINAL = "exec \"$s\" -qfec 'exec sh ./terminal' /dev/null";

/** Finds `script`. Others than that of util-linux have other options, or need a terminal themselves. */
function needsScript(token: string): string {
  return `s=$(command -v script); "$s" -qfec 'exit 7' /dev/null </dev/null >/dev/null 2>&1; ` +
    `[ $? = 7 ] || { ${OPEN_RECORDS}; ${writeRecord(token, "started", [])}; exit 0; }`;
}

/** The first program on the terminal; leaves its name, to change the size later. */
function onTerminal(launch: string, { rows, columns }: TerminalSize): string {
  return `stty echo rows ${rows} cols ${columns}; tty >tty; r=$(cat run); ${launch}`;
}

/** Changes the size of the terminal, once there is one. */
function resizeScript(dir: string, { rows, columns }: TerminalSize): string {
  return `command cd ${shellQuote(dir)} || exit; n=0
while [ ! -s tty ] && [ $n -lt 50 ]; do n=$((n+1)); sleep 0.1; done
stty -F "$(cat tty)" rows ${rows} cols ${columns}`;
}

export interface Following {
  dir: string;
  /** Process id of the supervisor. */
  supervisor: number;
  /** Bytes of output that hermes has. */
  offset: number;
  /** Begins the records of the shell that follows. */
  token: string;
}

/**
 * Output out, input in, until the process has ended; then says the size of all output and exits
 * with its code. What is missing comes with the next follower. Without hermes it ends, unless
 * the input was closed.
 */
export function followScript({ dir, supervisor, offset, token }: Following): string {
  return [
    OPEN_RECORDS,
    `command cd ${shellQuote(dir)} || { ${writeRecord(token, "size", ["0"])}; exit 255; }`,
    // A supervisor that is gone has left the code, or has been killed.
    `kill -0 ${supervisor} 2>/dev/null || [ -e exit ] || echo 255 >exit`,
    "exec 3<&0 </dev/null 6<>end",
    `if [ -e exit ]; then tail -c +${offset + 1} log; else`,
    `tail -c +${offset + 1} -f log 2>/dev/null 3<&- 6>&- & t=$!`,
    "{ cat <&3 >in; [ -e closed ] || kill $t $$; } >/dev/null 2>&1 6>&- & k=$!",
    "exec 3<&-; [ -e exit ] || read -r x <&6; kill $t $k 2>/dev/null; wait $t 2>/dev/null; fi",
    `${writeRecord(token, "size", ['"$(wc -c <log)"'])}; exit "$(cat exit)"`,
  ].join("\n");
}

/** Runs after the tree was ended: the code of one whose supervisor is gone too. */
export function settleScript({ dir, supervisor }: Pick<Following, "dir" | "supervisor">): string {
  return `command cd ${shellQuote(dir)} || exit; n=0
while [ ! -e exit ] && [ $n -lt 20 ] && kill -0 ${supervisor} 2>/dev/null; do n=$((n+1)); sleep 0.1; done
[ -e exit ] || { echo 137 >exit; printf '${"\\n".repeat(FOLLOWERS)}' 1<>end; }`;
}

export interface DetachedFacts {
  pid: number;
  dir: string;
  /** Process id of the supervisor. */
  supervisor: number;
  onTerminal: boolean;
}

export interface DetachedDeps {
  /** Hands a script to a shell. */
  deliver(script: (channel: Channel) => string): Promise<Channel>;
  run(script: string, options?: OwnOptions): Promise<OwnResult>;
  abandonWriter(channel: Channel): void;
}

export class DetachedProcess implements RawProcess {
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly #dir: string;
  readonly #supervisor: number;
  readonly #deps: DetachedDeps;
  readonly #exit = Promise.withResolvers<number>();
  readonly #stopped = new AbortController();
  readonly resize?: (size: TerminalSize) => void;
  #resizing: Promise<unknown> = Promise.resolve();
  #channel: Promise<Channel>;
  #received = 0;
  #trimmed = 0;

  constructor(process: DetachedFacts, deps: DetachedDeps) {
    this.pid = process.pid;
    this.#dir = process.dir;
    this.#supervisor = process.supervisor;
    this.#deps = deps;
    this.exited = this.#exit.promise;
    if (process.onTerminal) this.resize = (size) => this.#resize(size);
    this.#channel = this.#followAgain(0);
  }

  async read(): Promise<Uint8Array | undefined> {
    let failures = 0;
    while (!this.#stopped.signal.aborted) {
      const channel = await this.#channel.catch(() => undefined);
      if (channel === undefined) break;
      const chunk = await channel.read();
      if (chunk !== undefined) {
        this.#received += chunk.length;
        this.#trim();
        return chunk;
      }
      const code = await channel.ended;
      const size = channel.seen("size");
      this.#deps.abandonWriter(channel);
      if (code === undefined || size === undefined) this.#channel = this.#followAgain(++failures);
      else if (Number(size) > this.#received) this.#channel = this.#followAgain(0);
      else {
        this.#stopped.abort();
        this.#exit.resolve(code);
      }
    }
    return undefined;
  }

  async write(data: Uint8Array): Promise<void> {
    await this.#resizing;
    await (await this.#openChannel()).write(data);
  }

  async closeStdin(): Promise<void> {
    if (this.resize) return await this.write(END_OF_INPUT);
    // The supervisor holds the pipe open too.
    await this.#deps.run(
      `: >${shellQuote(`${this.#dir}/closed`)}; kill -USR1 ${this.#supervisor}`,
    );
    await (await this.#openChannel()).closeStdin();
  }

  /** The channel, after a broken link the next one. What was written to a broken one is lost. */
  async #openChannel(): Promise<Channel> {
    while (true) {
      const following = this.#channel;
      const channel = await following;
      if (!channel.isOver || this.#stopped.signal.aborted) return channel;
      // The reader notices too and follows again.
      if (following === this.#channel) await sleep(NOTICE_MS);
    }
  }

  /** Input that follows waits for it: a program that is told to look at the size sees the new one. */
  #resize(size: TerminalSize): void {
    this.#resizing = this.#resizing.then(() => this.#deps.run(resizeScript(this.#dir, size)))
      .catch((error) => {
        // Out of reach: the old size stays.
        if (!(error instanceof EnvironmentError)) throw error;
      });
  }

  async dispose(): Promise<void> {
    this.#stopped.abort();
    const channel = await this.#channel.catch(() => undefined);
    if (channel) this.#deps.abandonWriter(channel);
  }

  async #follow(): Promise<Channel> {
    return await this.#deps.deliver(({ token }) =>
      followScript({
        dir: this.#dir,
        supervisor: this.#supervisor,
        offset: this.#received,
        token,
      })
    );
  }

  /** As often as it takes when the link is broken. */
  async #followAgain(failures: number): Promise<Channel> {
    const { signal } = this.#stopped;
    const deadline = performance.now() + GIVE_UP_MS;
    for (let attempt = failures;; attempt++) {
      try {
        if (attempt > 0) await sleep(backoffMs(attempt, { baseMs: 200, maxMs: 20_000 }), signal);
        return await this.#follow();
      } catch (error) {
        if (performance.now() < deadline && !signal.aborted) continue;
        this.#exit.reject(error);
        throw error;
      }
    }
  }

  /** Keeps the file from growing for ever where the system can give back a part of one. */
  #trim(): void {
    if (this.#received - this.#trimmed < TRIM_BYTES) return;
    this.#trimmed = this.#received;
    const log = shellQuote(`${this.#dir}/log`);
    this.#deps.run(`fallocate -p -o 0 -l ${this.#received} ${log}`).catch((error) => {
      // Without it the file is larger than it had to be, until the process ends.
      if (!(error instanceof EnvironmentError)) throw error;
    });
  }
}
