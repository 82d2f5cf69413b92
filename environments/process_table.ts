/**
 * The background processes of a session by id, and the notices they give: completion and
 * watched lines, limited so that a chatty process cannot flood the model.
 */
import type { BackgroundProcess, Environment } from "../src/protocol/environment.ts";
import type {
  ManagedProcess,
  ProcessTable,
  StartProcessOptions,
} from "../src/protocol/services.ts";
import { cleanOutput } from "../src/util/clean_output.ts";
import { LineWatcher, NoticeBreaker } from "./_watch.ts";

/** A row of the process table. */
class ManagedEntry implements ManagedProcess {
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

export interface ProcessTableOptions {
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Told when there is a new notice to drain. */
  onNotice?: (() => void) | undefined;
}

/** Finished processes kept, and for how long. */
const MAX_FINISHED = 64;
const FINISHED_KEPT_MS = 30 * 60_000;
const NOTICE_OUTPUT_CHARS = 2_000;

export function createProcessTable(options: ProcessTableOptions = {}): ProcessTable {
  return new SessionProcesses(options);
}

class SessionProcesses implements ProcessTable {
  readonly #now: () => number;
  readonly #entries = new Map<string, ManagedEntry>();
  readonly #breaker: NoticeBreaker;
  readonly #onNotice: () => void;
  #notices: string[] = [];

  constructor({ now = Date.now, onNotice = () => {} }: ProcessTableOptions) {
    this.#now = now;
    this.#onNotice = onNotice;
    this.#breaker = new NoticeBreaker(now);
  }

  async start(
    env: Environment,
    command: string,
    options: StartProcessOptions,
  ): Promise<ManagedProcess> {
    this.#prune();
    const process = await env.spawn(command, options);
    const entry = new ManagedEntry({
      command,
      process,
      taskId: options.taskId ?? "main",
      cwd: options.cwd ?? env.cwd(options.taskId),
      notifyOnComplete: options.notifyOnComplete ?? false,
    });
    this.#entries.set(entry.id, entry);
    const patterns = options.watchPatterns?.filter((pattern) => pattern !== "") ?? [];
    if (patterns.length > 0) this.#watch(entry, patterns);
    process.exited.then(() => this.#ended(entry));
    return entry;
  }

  get(id: string): ManagedProcess | undefined {
    const bare = id.replace(/^proc_/, "");
    const exact = this.#entries.get(`proc_${bare}`);
    if (exact || bare.length < 4) return exact;
    const matches = [...this.#entries.values()].filter((entry) =>
      entry.id.startsWith(`proc_${bare}`)
    );
    return matches.length === 1 ? matches[0] : undefined;
  }

  list(taskId?: string): ManagedProcess[] {
    this.#prune();
    const all = [...this.#entries.values()];
    return taskId === undefined ? all : all.filter((entry) => entry.taskId === taskId);
  }

  drainNotices(): string[] {
    return this.#notices.splice(0);
  }

  async closeAll(): Promise<void> {
    const running = [...this.#entries.values()].filter((entry) => entry.endedBy === undefined);
    await Promise.all(running.map((entry) => entry.kill()));
    this.#entries.clear();
    this.#notices = [];
  }

  #watch(entry: ManagedEntry, patterns: readonly string[]): void {
    const watcher = new LineWatcher(patterns, this.#now);
    entry.watchPatterns = patterns;
    const stop = entry.process.onOutput((text) => {
      const hit = watcher.push(text);
      if (hit !== undefined) {
        this.#tell(
          ...this.#breaker.admit(
            `[Background process ${entry.id} matched a watch pattern]\n${hit}`,
          ),
        );
      }
      if (!watcher.exhausted) return;
      stop();
      entry.watchPatterns = [];
      entry.notifyOnComplete = true;
      this.#tell(
        `[Watching ${entry.id} was stopped: it matches all the time. You are told when it ends.]`,
      );
    });
  }

  #ended(entry: ManagedEntry): void {
    entry.endedAt = this.#now();
    if (!entry.notifyOnComplete || entry.acknowledged) return;
    const how = entry.endedBy === "kill" ? "was killed" : "ended";
    const tail = cleanOutput(entry.process.output().text).trimEnd().slice(-NOTICE_OUTPUT_CHARS);
    this.#tell(
      `[Background process ${entry.id} ${how} with exit code ${entry.process.exitCode}]\n` +
        `$ ${entry.command}\n${tail}`.trimEnd(),
    );
  }

  #tell(...notices: string[]): void {
    this.#notices.push(...notices);
    if (notices.length > 0) this.#onNotice();
  }

  /** Forgets finished processes that are old or too many, the oldest first. */
  #prune(): void {
    const finished = [...this.#entries.values()].filter((entry) => entry.endedAt !== undefined);
    finished.sort((a, b) => a.endedAt! - b.endedAt!);
    const oldest = this.#now() - FINISHED_KEPT_MS;
    finished.forEach((entry, i) => {
      if (i < finished.length - MAX_FINISHED || entry.endedAt! < oldest) {
        this.#entries.delete(entry.id);
      }
    });
  }
}
