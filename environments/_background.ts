/** A process that outlives the call that started it: its latest output, its input, its end. */
import type { BackgroundProcess } from "../src/protocol/environment.ts";
import { ToolError } from "../src/protocol/error.ts";
import { OutputRing } from "../src/process/output_ring.ts";
import type { TerminalSize } from "../src/process/pty.ts";
import type { RawProcess } from "../src/process/raw_process.ts";
import { Pump } from "../src/process/run_to_end.ts";
import type { Started } from "./shell.ts";

/** Bytes of output kept. */
const RING_BYTES = 200_000;
/** Exit code of a process whose end was not seen. */
const LOST = 255;

export interface ShellProcessOptions {
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number | undefined;
  /** Runs when it has ended, before anybody else hears of it. */
  onEnd(): Promise<void>;
}

export class ShellProcess implements BackgroundProcess {
  readonly pid: number;
  readonly startedAt: number = Date.now();
  readonly exited: Promise<number>;
  exitCode: number | undefined;
  readonly #started: Started;
  readonly #process: RawProcess;
  readonly #options: ShellProcessOptions;
  readonly #ring = new OutputRing(RING_BYTES);
  readonly #listeners = new Set<(text: string) => void>();

  constructor(started: Started, options: ShellProcessOptions) {
    this.pid = started.process.pid;
    this.#started = started;
    this.#process = started.process;
    this.#options = options;
    this.exited = this.#follow();
  }

  output(): { text: string; droppedBytes: number; totalBytes: number } {
    return this.#ring.snapshot();
  }

  onOutput(listener: (text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async write(data: string | Uint8Array): Promise<void> {
    try {
      await this.#process.write(typeof data === "string" ? new TextEncoder().encode(data) : data);
    } catch {
      throw new ToolError("The process takes no more input: it ended or its input is closed");
    }
  }

  async closeStdin(): Promise<void> {
    try {
      await this.#process.closeStdin();
    } catch {
      // Closed already, by us or by its end.
    }
  }

  resize(size: TerminalSize): void {
    this.#process.resize?.(size);
  }

  async kill(): Promise<void> {
    const hangUp = this.#process.resize !== undefined;
    await this.#started.kill({ hangUp, graceMs: this.#options.graceMs });
    await this.exited;
  }

  async #follow(): Promise<number> {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const pump = new Pump(this.#process, (chunk) => {
      this.#ring.push(chunk);
      if (this.#listeners.size === 0) return;
      const text = decoder.decode(chunk, { stream: true });
      if (text !== "") { for (const listener of this.#listeners) listener(text); }
    });
    const code = await this.#process.exited.catch((error) => this.#lose(error));
    await pump.drain();
    await this.#process.dispose();
    await pump.ended;
    this.#listeners.clear();
    await this.#options.onEnd();
    this.exitCode = code;
    return code;
  }

  /** The place went away: says so where the output ends, since there is no code to tell. */
  #lose(error: unknown): number {
    this.#ring.push(new TextEncoder().encode(`\n[hermes: ${(error as Error).message}]\n`));
    return LOST;
  }
}
