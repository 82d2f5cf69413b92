/**
 * The child's end of the socket: tool calls of the script out, results and runs in. Holds no
 * authority beyond the connection; everything it says is checked by the parent.
 */
import { FrameWriter, MAX_FRAME_BYTES, readFrames } from "./frames.ts";

export interface RunFrame {
  /** `data:` URL of the generated `hermes_tools` module. */
  stub: string;
  /** `data:` URL of the script. */
  main: string;
  /** The child stays for further runs. */
  session: boolean;
}

interface Incoming extends RunFrame {
  t: "run" | "result" | "ping";
  id: number;
  content: string;
  isError?: boolean;
  details?: unknown;
}

export class ToolClient {
  #connection: Deno.UnixConn;
  #writer: FrameWriter;
  #pending = new Map<number, (result: Incoming) => void>();
  #lastId = 0;
  #released = false;
  #idle: (() => void)[] = [];

  constructor(connection: Deno.UnixConn) {
    this.#connection = connection;
    this.#writer = new FrameWriter(connection);
  }

  send(frame: unknown): void {
    this.#writer.send(frame);
  }

  /** Resolves once no call is in flight. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
    await this.#writer.drained();
  }

  /** Calls a tool; resolves to its result, parsed when it is JSON; `full` adds details and failure. */
  async call(tool: string, args: unknown = {}, full = false): Promise<unknown> {
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      throw new TypeError(`${tool} takes one object of named arguments: ${tool}({ … })`);
    }
    const id = ++this.#lastId;
    const line = JSON.stringify({ t: "call", id, tool, args, ...(full ? { full } : {}) });
    // A character is at most three bytes.
    if (line.length > MAX_FRAME_BYTES / 3) throw new RangeError(`${tool}: arguments are too large`);
    if (this.#released && this.#pending.size === 0) this.#connection.ref();
    const { content, isError, details } = await new Promise<Incoming>((resolve) => {
      this.#pending.set(id, resolve);
      this.#writer.sendLine(line);
    });
    const parsed = parseResult(content);
    return full ? { content: parsed, details, isError } : parsed;
  }

  /** Handles what the parent sends until it hangs up. */
  async serve(onRun: (frame: RunFrame) => void): Promise<void> {
    for await (const lines of readFrames(this.#connection)) {
      for (const line of lines) {
        const frame = JSON.parse(line) as Incoming;
        if (frame.t === "result") this.#settle(frame);
        else if (frame.t === "ping") this.send({ t: "pong" });
        else onRun(frame);
      }
    }
  }

  #settle(frame: Incoming): void {
    this.#pending.get(frame.id)?.(frame);
    this.#pending.delete(frame.id);
    if (this.#pending.size > 0) return;
    if (this.#released) this.#connection.unref();
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** From now on only calls in flight keep the process alive, not the connection itself. */
  release(): void {
    this.#released = true;
    this.#connection.unref();
  }
}

function parseResult(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // Tools may answer with plain text.
    return content;
  }
}
