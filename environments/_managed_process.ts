/** One row of the process table. */
import type { BackgroundProcess } from "../src/protocol/environment.ts";
import type { ManagedProcess } from "../src/protocol/services.ts";

export class ManagedEntry implements ManagedProcess {
  readonly id: string;
  readonly command: string;
  readonly taskId: string;
  readonly process: BackgroundProcess;
  readonly cwd: string;
  notifyOnComplete: boolean;
  watchPatterns: readonly string[] = [];
  endedAt: number | undefined;
  acknowledged = false;
  #killed = false;

  constructor(
    fields: Pick<ManagedProcess, "command" | "taskId" | "process" | "cwd" | "notifyOnComplete">,
  ) {
    this.id = `proc_${crypto.getRandomValues(new Uint8Array(6)).toHex()}`;
    this.command = fields.command;
    this.taskId = fields.taskId;
    this.process = fields.process;
    this.cwd = fields.cwd;
    this.notifyOnComplete = fields.notifyOnComplete;
  }

  get endedBy(): "exit" | "kill" | undefined {
    if (this.process.exitCode === undefined) return undefined;
    return this.#killed ? "kill" : "exit";
  }

  async kill(): Promise<void> {
    if (this.process.exitCode === undefined) this.#killed = true;
    await this.process.kill();
  }

  acknowledge(): void {
    this.acknowledged = true;
  }
}
