/** Reads both output streams of a process from the first byte on, into whatever captures them now. */
import type { OutputCapture } from "../../process/output_capture.ts";

export interface Captures {
  stdout: OutputCapture;
  stderr: OutputCapture;
  /** Called after each piece. */
  onBytes(): void;
}

export class OutputPump {
  /** Where output goes; before the first run it is kept in `early`. */
  captures: Captures | undefined;
  /** Why a child did not start, in its own words. */
  early = "";
  /** Settles at the end of both streams. */
  readonly finished: Promise<unknown>;

  constructor(process: Deno.ChildProcess) {
    this.finished = Promise.all([
      this.#pump(process.stdout, "stdout"),
      this.#pump(process.stderr, "stderr"),
    ]);
  }

  async #pump(stream: ReadableStream<Uint8Array>, name: "stdout" | "stderr"): Promise<void> {
    for await (const chunk of stream) {
      if (this.captures === undefined) {
        this.early += new TextDecoder().decode(chunk);
      } else {
        this.captures[name].push(chunk);
        this.captures.onBytes();
      }
    }
  }
}
