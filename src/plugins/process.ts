/**
 * One plugin's own process: started behind its walls by the sandbox's bootstrap, and ended.
 * Knows no question; what is said over the link is `conversation.ts`' matter.
 */
import { pluginGap } from "../sandbox/availability.ts";
import { type ChildHandle, type GuestSpec, startChild } from "../sandbox/child_handle.ts";
import { defaultMode, parseChildMode } from "../sandbox/command.ts";
import type { ChildMode, Wall } from "../sandbox/contract.ts";
import { exitLine } from "../sandbox/exit_line.ts";
import { FrameError, parseFrame } from "../sandbox/frames.ts";
import { OutputCapture } from "../process/output_capture.ts";
import type { GuestLink } from "./conversation.ts";
import type { GuestMessage, HostMessage } from "./messages.ts";

export interface ProcessOptions {
  guest: GuestSpec;
  memoryMb: number;
  /** How it is started; default what the build wants. */
  mode?: ChildMode | undefined;
  /** Walls left down, for tests. */
  without?: readonly Wall[] | undefined;
  /** Hermes' own variables: one says how a child is to be started. */
  env(name: string): string | undefined;
}

const CPU_SECONDS = 3600;
const KEPT_BYTES = 4_000;
const LAST_WORDS_MS = 1_000;
const FLOOD_BYTES = 16 * 1024 * 1024;

/** Resolves when the guest listens. @throws when the process cannot be started as it must be. */
export async function startProcess(options: ProcessOptions): Promise<GuestLink> {
  const { guest, memoryMb, without = [] } = options;
  const wanted = options.mode ?? parseChildMode(options.env("HERMES_SANDBOX_MODE"));
  const mode = wanted ?? defaultMode();
  const child = await startChild({
    mode,
    memoryMb,
    cpuSeconds: CPU_SECONDS,
    without,
    guest,
  });
  const gap = pluginGap(mode, { walls: child.walls, runs: guest.permissions.run.length > 0 });
  if (gap === undefined) return new ProcessLink(child, memoryMb);
  await child.kill();
  throw new Error(gap);
}

class ProcessLink implements GuestLink {
  readonly #child: ChildHandle;
  readonly #memoryMb: number;
  readonly #printed = new OutputCapture({ maxBytes: KEPT_BYTES, headShare: 0 });
  #broken: string | undefined;

  constructor(child: ChildHandle, memoryMb: number) {
    this.#child = child;
    this.#memoryMb = memoryMb;
    const onBytes = () => {
      if (this.#printed.totalBytes > FLOOD_BYTES) this.#break("it prints without end");
    };
    child.capture({ stdout: this.#printed, stderr: this.#printed, onBytes });
  }

  send(message: HostMessage): void {
    this.#child.writer.send(message);
  }

  async serve(onMessage: (message: GuestMessage) => void): Promise<string> {
    try {
      for await (const lines of this.#child.frames) {
        for (const line of lines) onMessage(parseFrame(line) as unknown as GuestMessage);
      }
    } catch (error) {
      // Anything else is a reset connection: the process is gone.
      if (error instanceof FrameError) this.#break(`it broke the protocol: ${error.message}`);
    }
    // One that ends by itself still has to say why; one that only hung up is of no use any more.
    const timer = setTimeout(() => void this.close(), LAST_WORDS_MS);
    const exit = await this.#child.dispose();
    clearTimeout(timer);
    return this.#broken ?? this.#why(exit);
  }

  async close(): Promise<void> {
    await this.#child.kill();
  }

  #break(reason: string): void {
    this.#broken ??= reason;
    void this.close();
  }

  #why(exit: Deno.CommandStatus): string {
    const printed = this.#printed.text();
    const line = exit.signal === "SIGKILL" ? undefined : exitLine(exit, this.#memoryMb, printed);
    const uncaught = /^error: (.*)$/m.exec(printed)?.[1];
    return line ?? `its process ended${uncaught ? `: ${uncaught.slice(0, 200)}` : ""}`;
  }
}
