/**
 * Ends what hermes has started when hermes itself is killed and can end nothing any more. One
 * small shell per process waits at a pipe that only hermes holds: its end without a farewell means
 * that hermes is gone. Started while the first command runs, so that nothing waits for it.
 */
import { onlyVariables, SYSTEM_PATH } from "./child_environment.ts";
import { END_PROGRAM } from "./end_program.ts";
import { markerPrefix } from "./marker.ts";
import { spawnChild } from "./spawn.ts";
import { letGo } from "./within.ts";

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

/** The watcher of this process; shared by everything that starts children. */
export class EndWatch {
  readonly #options: EndWatchOptions;
  #watcher: Watcher | undefined;
  #holds = 0;

  constructor(options: EndWatchOptions = {}) {
    this.#options = options;
  }

  /** Watches from now on, until every hold is released. */
  hold(): EndWatchHold {
    this.#holds++;
    this.#ensure();
    let released: Promise<void> | undefined;
    return {
      add: async (leader) => {
        this.#ensure();
        await this.#watcher?.tell(`+${leader}`);
      },
      remove: async (leader) => await this.#watcher?.tell(`-${leader}`),
      release: () => released ??= this.#release(),
    };
  }

  #ensure(): void {
    if (this.#watcher !== undefined) return;
    const prefix = this.#options.prefix ?? markerPrefix();
    const groups = this.#options.groups ?? Deno.build.os !== "linux";
    try {
      const watcher = this.#watcher = new Watcher(prefix, groups);
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
    const watcher = this.#watcher;
    this.#watcher = undefined;
    await watcher?.dismiss();
  }
}

export interface EndWatchHold {
  /**
   * A child that leads this process group has started; a watcher that was killed is replaced.
   * Resolves when the watcher was told; never rejects, and nobody has to wait.
   */
  add(leader: number): Promise<void>;
  /** The child that leads this process group has ended. */
  remove(leader: number): Promise<void>;
  /** Dismisses the watcher when nobody else holds it. */
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
      found: true,
      stdin: "piped",
    });
    // A hermes that comes to its end does not wait for its watcher.
    child.unref();
    this.#child = child;
    this.#input = child.stdin.getWriter();
  }

  get ended(): Promise<unknown> {
    return this.#child.status;
  }

  async tell(line: string): Promise<void> {
    try {
      if (this.#groups) await this.#write(line);
    } catch {
      // The watcher was killed; the next child starts another.
    }
  }

  async dismiss(): Promise<void> {
    this.#child.ref();
    try {
      await this.#write("done");
      await this.#input.close();
    } catch {
      // It was killed before: there is nobody to dismiss.
      await letGo(this.#input);
    }
    await this.ended;
  }

  #write(line: string): Promise<void> {
    return this.#input.write(new TextEncoder().encode(`${line}\n`));
  }
}

export const endWatch: EndWatch = new EndWatch();
