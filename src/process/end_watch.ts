/**
 * Ends what hermes has started when hermes itself is killed and can end nothing any more. One
 * small shell per process waits at a pipe that only hermes holds: its end without a farewell means
 * that hermes is gone. Started some time after the first child, so that nothing waits for it.
 */
import { onlyVariables, SYSTEM_PATH } from "./child_environment.ts";
import { END_PROGRAM } from "./end_program.ts";
import { markerPrefix } from "./marker.ts";
import { spawnChild } from "./spawn.ts";
import { abandonWriter } from "./within.ts";

/** Twentieths of a second between SIGTERM and SIGKILL. */
const GRACE = 20;

/**
 * `+ID` and `-ID` tell of process groups, for systems where marked processes cannot be found;
 * any other line is the farewell.
 */
const WAIT = `groups=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups \${line#+}";;
    -*) kept=; for group in $groups; do [ $group = \${line#-} ] || kept="$kept $group"; done
      groups=$kept;;
    *) exit 0;;
  esac
done
set -- ${GRACE} "$1" "$groups"
`;

export interface EndWatchOptions {
  /** Begins the markers of what is ended; default those of this process. */
  prefix?: string;
  /** Tell of process groups: where /proc does not show the markers. */
  groups?: boolean;
}

/** Late enough to cost no short run anything; what is killed sooner is the next hermes' to end. */
const DELAY_MS = 200;

/** The watcher of this process; shared by everything that starts children. */
export class EndWatch {
  readonly #options: EndWatchOptions;
  /** Leaders of the process groups that run, and whether they carry no marker. */
  readonly #leaders = new Map<number, boolean>();
  #watcher: Watcher | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #holds = 0;

  constructor(options: EndWatchOptions = {}) {
    this.#options = options;
  }

  /** Watches from soon on, until every hold is released. */
  hold(): EndWatchHold {
    this.#holds++;
    this.#startSoon();
    let released: Promise<void> | undefined;
    return {
      add: (leader, { unmarked = false } = {}) => {
        this.#startSoon();
        this.#leaders.set(leader, unmarked);
        this.#watcher?.tell(`+${leader}`, unmarked);
      },
      remove: (leader) => {
        const unmarked = this.#leaders.get(leader) ?? false;
        this.#leaders.delete(leader);
        this.#watcher?.tell(`-${leader}`, unmarked);
      },
      release: () => released ??= this.#release(),
    };
  }

  /** Does not wait for the time when it would start; resolves when it knows of every child. */
  async startNow(): Promise<void> {
    if (this.#watcher === undefined) this.#start();
    await this.#watcher?.told;
  }

  #startSoon(): void {
    if (this.#watcher !== undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#start(), DELAY_MS);
    // A hermes that comes to its end does not wait for its watcher.
    Deno.unrefTimer(this.#timer);
  }

  #start(): void {
    this.#cancelTimer();
    const prefix = this.#options.prefix ?? markerPrefix();
    const groups = this.#options.groups ?? Deno.build.os !== "linux";
    try {
      const watcher = this.#watcher = new Watcher(prefix, groups);
      for (const [leader, unmarked] of this.#leaders) watcher.tell(`+${leader}`, unmarked);
      watcher.ended.then(async () => {
        if (this.#watcher !== watcher) return;
        this.#watcher = undefined;
        await watcher.dismiss();
      });
    } catch {
      // No process to be had: the next hermes ends what this one leaves.
    }
  }

  async #release(): Promise<void> {
    if (--this.#holds > 0) return;
    this.#cancelTimer();
    const watcher = this.#watcher;
    this.#watcher = undefined;
    await watcher?.dismiss();
  }

  #cancelTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

export interface EndWatchHold {
  /**
   * A child that leads this process group has started; a watcher that was killed is replaced. One
   * that is `unmarked` is found by its group alone, which it must not be able to leave.
   */
  add(leader: number, options?: { unmarked?: boolean }): void;
  /** The child that leads this process group has ended. */
  remove(leader: number): void;
  /** Dismisses the watcher when its last holder leaves. */
  release(): Promise<void>;
}

class Watcher {
  readonly #child: Deno.ChildProcess;
  readonly #groups: boolean;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;

  constructor(prefix: string, groups: boolean) {
    this.#groups = groups;
    const child = spawnChild({
      argv: ["/bin/sh", "-c", WAIT + END_PROGRAM, "hermes-watch", prefix],
      env: onlyVariables({ PATH: SYSTEM_PATH.join(":") }),
      cwd: "/",
      group: "session",
      stdin: "piped",
    });
    child.unref();
    this.#child = child;
    this.#input = child.stdin.getWriter();
  }

  get ended(): Promise<unknown> {
    return this.#child.status;
  }

  /** Settles when everything that was told is in the pipe, where it outlives hermes. */
  get told(): Promise<unknown> {
    return this.#input.ready;
  }

  /** Where processes are found by their marker, only those without one are told of. */
  tell(line: string, unmarked: boolean): void {
    if (!this.#groups && !unmarked) return;
    this.#write(line).catch(() => {
      // The watcher was killed; the next child starts another.
    });
  }

  async dismiss(): Promise<void> {
    this.#child.ref();
    try {
      await this.#write("done");
      await this.#input.close();
    } catch {
      // The watcher was killed before: there is nothing to dismiss.
      await abandonWriter(this.#input);
    }
    await this.ended;
  }

  #write(line: string): Promise<void> {
    return this.#input.write(new TextEncoder().encode(`${line}\n`));
  }
}

export const endWatch: EndWatch = new EndWatch();
