/**
 * One plugin's own process: started behind its walls by the sandbox's bootstrap, and ended.
 * Knows no question; what is said over the link is `conversation.ts`' matter.
 */
import { pluginGap } from "../sandbox/sandbox_probe.ts";
import { type ChildHandle, type GuestSpec, startChild } from "../sandbox/child/child_handle.ts";
import { defaultMode, parseChildMode } from "../sandbox/child/child_command.ts";
import type { ChildMode, Wall } from "../sandbox/child/contract.ts";
import { exitLine } from "../sandbox/child/exit_line.ts";
import { FrameError, parseFrame } from "../sandbox/child/frames.ts";
import { endWatch, type EndWatchHold } from "../process/end_watch.ts";
import { OutputCapture } from "../process/output_capture.ts";
import type { GuestLink } from "./conversation.ts";
import type { GuestMessage, HostMessage } from "./messages.ts";
import { TokenBucket } from "./push/token_bucket.ts";

export interface ProcessOptions {
  guest: GuestSpec;
  memoryMb: number;
  /** The process runs for as long as hermes does: CPU time and output are limited by rate, not in all. */
  staysOn: boolean;
  /** How it is started; default what the build wants. */
  mode?: ChildMode | undefined;
  /** Walls left down, for tests. */
  without?: readonly Wall[] | undefined;
  /** Hermes' own variables: one says how a child is to be started. */
  env(name: string): string | undefined;
}

const MIB = 1024 * 1024;
/** What the kernel ends a process for. One that stays on is watched instead (`push/cpu_watch.ts`). */
const LIMITS = {
  call: { cpuSeconds: 3600, fileBytes: 64 * MIB },
  staysOn: { cpuSeconds: 10 * 365 * 24 * 3600, fileBytes: 1024 * MIB },
} as const;
const KEPT_BYTES = 4_000;
const LAST_WORDS_MS = 1_000;
/** Bytes a process may print at once, and in each minute from then on. */
const PRINTED = { capacity: 16 * MIB, perMinute: MIB } as const;

/** Resolves when the guest listens. @throws when the process cannot be started as it must be. */
export async function startProcess(options: ProcessOptions): Promise<GuestLink> {
  const { guest, memoryMb, without = [] } = options;
  const wanted = options.mode ?? parseChildMode(options.env("HERMES_SANDBOX_MODE"));
  const mode = wanted ?? defaultMode();
  const child = await startChild({
    mode,
    memoryMb,
    ...LIMITS[options.staysOn ? "staysOn" : "call"],
    without,
    guest,
  });
  const gap = pluginGap(mode, { walls: child.walls, runs: guest.permissions.run.length > 0 });
  if (gap === undefined) {
    // The kernel ends a plugin's process with hermes, but not the programs that it has started.
    const watch = guest.permissions.run.length > 0 ? endWatch.hold() : undefined;
    watch?.add(child.pid, { unmarked: true });
    return new ProcessLink(child, { memoryMb, watch });
  }
  await child.kill();
  throw new Error(gap);
}

class ProcessLink implements GuestLink {
  readonly #child: ChildHandle;
  readonly #memoryMb: number;
  readonly #watch: EndWatchHold | undefined;
  readonly #printed = new OutputCapture({ maxBytes: KEPT_BYTES, headShare: 0 });
  #broken: string | undefined;

  constructor(
    child: ChildHandle,
    { memoryMb, watch }: { memoryMb: number; watch: EndWatchHold | undefined },
  ) {
    this.#child = child;
    this.#memoryMb = memoryMb;
    this.#watch = watch;
    const allowance = new TokenBucket(PRINTED);
    let counted = 0;
    const onBytes = () => {
      const { totalBytes } = this.#printed;
      if (!allowance.take(totalBytes - counted)) this.#break("it prints without end");
      counted = totalBytes;
    };
    child.capture({ stdout: this.#printed, stderr: this.#printed, onBytes });
  }

  get pid(): number {
    return this.#child.pid;
  }

  send(message: HostMessage): void {
    this.#child.writer.send(message);
  }

  async serve(onMessage: (message: GuestMessage, chars: number) => void): Promise<string> {
    try {
      for await (const lines of this.#child.frames) {
        for (const line of lines) {
          onMessage(parseFrame(line) as unknown as GuestMessage, line.length);
        }
      }
    } catch (error) {
      // Anything else is a reset connection: the process is gone.
      if (error instanceof FrameError) this.#break(`it broke the protocol: ${error.message}`);
    }
    // A process that ends by itself still has to say why; one that only closed its socket is ended.
    const timer = setTimeout(() => void this.close(), LAST_WORDS_MS);
    const exit = await this.#child.dispose();
    clearTimeout(timer);
    await this.#unwatch();
    return this.#broken ?? this.#why(exit);
  }

  async close(): Promise<void> {
    await this.#child.kill();
    await this.#unwatch();
  }

  async #unwatch(): Promise<void> {
    this.#watch?.remove(this.#child.pid);
    await this.#watch?.release();
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
