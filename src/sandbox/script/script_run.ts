/**
 * One script in one child, from the first frame to the result: serves its calls, watches time,
 * interrupts and floods, and turns every way to end into one of four statuses.
 */
import { type CallFrame, parseCall, ScriptCalls } from "./script_calls.ts";
import type { ChildHandle } from "../child/child_handle.ts";
import type { ScriptRequest, ScriptResult, ScriptStatus } from "../../protocol/script.ts";
import type { NestedCallResult } from "../../protocol/tool_result.ts";
import { exitLine } from "../child/exit_line.ts";
import { FrameError, MAX_FRAME_BYTES, parseFrame } from "../child/frames.ts";
import { OutputCapture } from "../../process/output_capture.ts";
import { watchScratch } from "../child/scratch_watch.ts";

export interface RunSpec {
  request: ScriptRequest;
  /** The `hermes_tools` module and the script, in the form the language's child wants. */
  stub: string;
  main: string;
  /** `performance.now()` when the run was asked for. */
  startedAt: number;
}

export interface RunEnd {
  result: ScriptResult;
  /** The child lives and can take the next run of its session. */
  alive: boolean;
}

const STDOUT_HEAD_SHARE = 0.4;
const FLOOD_BYTES = 64 * 1024 * 1024;
const SCRATCH_BYTES = 256 * 1024 * 1024;
const FULL_LINE = `Stopped: more than ${SCRATCH_BYTES >> 20} MB of files, or hidden ones.`;
const MAX_BACKLOG_CHARS = 4 * 1024 * 1024;

interface Stop {
  status: ScriptStatus;
  line: string;
}

export class ScriptRun {
  readonly #child: ChildHandle;
  readonly #spec: RunSpec;
  readonly #calls: ScriptCalls;
  readonly #stdout: OutputCapture;
  readonly #stderr: OutputCapture;
  #stop: Stop | undefined;
  #ok: boolean | undefined;
  #pongs = 0;

  constructor(child: ChildHandle, spec: RunSpec) {
    const { maxStdoutBytes, maxStderrBytes } = spec.request.limits;
    this.#child = child;
    this.#spec = spec;
    this.#calls = new ScriptCalls(spec.request);
    this.#stdout = new OutputCapture({ maxBytes: maxStdoutBytes, headShare: STDOUT_HEAD_SHARE });
    this.#stderr = new OutputCapture({ maxBytes: maxStderrBytes, headShare: 1 });
  }

  /** Runs to the end. Never rejects for anything a script can do. */
  async run(): Promise<RunEnd> {
    const { signal, language, limits: { timeoutMs } } = this.#spec.request;
    const timer = setTimeout(() => this.#end("timeout", timeoutLine(timeoutMs)), timeoutMs);
    const onAbort = () => this.#end("interrupted", "Interrupted.");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.#child.capture({
      stdout: this.#stdout,
      stderr: this.#stderr,
      onBytes: () => this.#watchFlood(),
    });
    // JavaScript has no files.
    const unwatch = language !== "python" ? undefined : watchScratch(this.#child.scratch, {
      pid: this.#child.pid,
      maxBytes: SCRATCH_BYTES,
      onFull: () => this.#end("error", FULL_LINE),
    });
    try {
      return await this.#serve();
    } finally {
      await unwatch?.();
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.#calls.close();
    }
  }

  async #serve(): Promise<RunEnd> {
    const { stub, main, request } = this.#spec;
    const session = request.session !== undefined;
    this.#child.writer.send({ t: "run", stub, main, session });
    await this.#handleFrames(() => this.#ok !== undefined);
    if (this.#ok !== undefined) await this.#drainOutput();
    if (this.#ok !== undefined && this.#stop === undefined) {
      return { result: this.#result(this.#ok ? "success" : "error"), alive: true };
    }
    // Without a connection a session is of no use; a single script may go on to its end.
    if (session) this.#child.terminate();
    const exit = await this.#child.dispose();
    const line = exitLine(exit, request.limits.memoryMb);
    if (line !== undefined) this.#stop ??= { status: "error", line };
    const result = this.#result(exit.success ? "success" : "error");
    if (session) result.errors += ` The session "${request.session}" was lost.`;
    return { result, alive: false };
  }

  /** Handles frames until `until` holds or the child hangs up. */
  async #handleFrames(until: () => boolean): Promise<void> {
    try {
      while (!until()) {
        const { value: lines, done } = await this.#child.frames.next();
        if (done) return;
        for (const line of lines) await this.#handle(line);
      }
    } catch (error) {
      // Anything else is a reset connection: a hang-up.
      if (!(error instanceof FrameError)) return;
      this.#end("error", `Stopped: the script broke the protocol (${error.message}).`);
    }
  }

  async #handle(line: string): Promise<void> {
    const frame = parseFrame(line);
    const call = parseCall(frame);
    if (call !== undefined) {
      await this.#calls.ready();
      const { writer } = this.#child;
      if (writer.backlog > MAX_BACKLOG_CHARS) await writer.drained();
      this.#calls.handle(call).then((result) => writer.send(resultFrame(call, result)));
    } else if (frame.t === "done") this.#ok = frame.ok === true;
    else if (frame.t === "pong") this.#pongs++;
    else throw new FrameError("a frame of an unknown kind");
  }

  /**
   * What a session's script printed is in the pipe when it says "done": each round trip gives
   * the pumps one turn, and a turn without a byte means that the pipe is empty.
   */
  async #drainOutput(): Promise<void> {
    let seen: number;
    do {
      seen = this.#bytes();
      const pongs = this.#pongs;
      this.#child.writer.send({ t: "ping" });
      await this.#handleFrames(() => this.#pongs > pongs);
      await new Promise((resolve) => setTimeout(resolve, 0));
    } while (this.#bytes() > seen && this.#stop === undefined);
  }

  #bytes(): number {
    return this.#stdout.totalBytes + this.#stderr.totalBytes;
  }

  #watchFlood(): void {
    if (this.#bytes() <= FLOOD_BYTES) return;
    this.#end("error", `Stopped: the script printed more than ${FLOOD_BYTES >> 20} MB.`);
  }

  /** The first reason counts. */
  #end(status: ScriptStatus, line: string): void {
    if (this.#stop !== undefined) return;
    this.#stop = { status, line };
    this.#calls.close();
    this.#child.terminate();
  }

  #result(status: ScriptStatus): ScriptResult {
    const stderr = readable(this.#stderr.text());
    const errors = this.#stop ? [stderr.trimEnd(), this.#stop.line] : [stderr];
    return {
      status: this.#stop?.status ?? status,
      output: this.#stdout.text(),
      errors: errors.filter((part) => part !== "").join("\n"),
      callsMade: this.#calls.callsMade,
      durationMs: performance.now() - this.#spec.startedAt,
    };
  }
}

function timeoutLine(timeoutMs: number): string {
  return `Timed out after ${timeoutMs / 1000} s and was stopped.`;
}

function resultFrame(call: CallFrame, { content, isError, details }: NestedCallResult): object {
  const frame = { t: "result", id: call.id, content: bounded(content) };
  return call.full ? { ...frame, isError, details } : frame;
}

function bounded(content: string): string {
  if (content.length <= MAX_FRAME_BYTES / 3) return content;
  return JSON.stringify({ error: "the result is too large for a script; ask for less" });
}

/** Leaves out the runtime's own crash report. */
function readable(stderr: string): string {
  const crash = /^(<--- Last few GCs|#\n# Fatal|memory allocation of)/m.exec(stderr);
  return crash ? stderr.slice(0, crash.index) : stderr;
}
