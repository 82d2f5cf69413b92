/**
 * `hermes sandbox run`: any command behind the walls that a session's commands get, on the
 * person's own terminal. When the command ends, the processes it started end too.
 */
import { commandEnvironment, withVariables } from "../../../process/child_environment.ts";
import { endWatch } from "../../../process/end_watch.ts";
import { MARKER_VARIABLE, newMarkerName } from "../../../process/marker.ts";
import { killTree } from "../../../process/process_tree.ts";
import { spawnChild } from "../../../process/spawn.ts";
import { EnvironmentError } from "../../../protocol/error.ts";
import type { RaisedWalls } from "../../../protocol/sandbox.ts";
import { SessionWalls } from "../../../session/session_walls.ts";
import { hideMemory } from "../../../util/hide_memory.ts";
import { reasonOf } from "../../../util/reason.ts";
import type { CommandInput } from "../../command.ts";
import { err } from "../../io.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { type PolicyHere, policyHere } from "./policy_here.ts";

/** The shell's own code for what cannot be executed. */
const NOT_STARTED = 126;

/** Enters the directory behind the walls, where its name leads to what commands see. */
const ENTER = `cd -- "$1" 2>/dev/null || {
  printf 'hermes: %s cannot be entered\\n' "$1" >&2; exit ${NOT_STARTED}; }
shift
command -v -- "$1" >/dev/null || { printf 'hermes: there is no program %s\\n' "$1" >&2; exit 127; }
exec "$@"`;

/** The exit code of the command; 126 when the walls are required and do not stand. */
export async function main(input: CommandInput): Promise<number> {
  const here = await policyHere(input, { "terminal.backend": "local" });
  hideMemory();
  const marker = newMarkerName();
  const walls = sessionWalls(here);
  let directory: string | undefined;
  try {
    directory = await privateDirectory(here, { walls, marker });
    const raised = await walls.raise(directory);
    raised?.begin();
    const code = await attach(input.args, { here, raised, marker: `${marker}.1` });
    for (const note of raised?.end({ exitCode: code, output: "", cwd: Deno.cwd() }) ?? []) {
      tell(note);
    }
    return code;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    tell(error.message);
    return NOT_STARTED;
  } finally {
    await walls.close();
    if (directory !== undefined) await Deno.remove(directory, { recursive: true });
  }
}

/** Lines of the proxy begin with `hermes: ` already. */
function tell(line: string): void {
  err(`hermes: ${line.replace(/^hermes: /, "")}\n`);
}

function sessionWalls({ settings, facts }: PolicyHere): SessionWalls {
  return new SessionWalls({
    policy: (own) => Promise.resolve({ ...facts, ...own }),
    required: settings.config.terminal.sandbox_required,
    keptDir: settings.home.path("cache", "kept"),
    isBusy: () => false,
    notice: tell,
    reader: "person",
    ownSession: false,
  });
}

/** Named like the directories of sessions: after a kill, the next hermes removes it. */
async function privateDirectory(
  { facts }: PolicyHere,
  { walls, marker }: { walls: SessionWalls; marker: string },
): Promise<string> {
  const parent = await walls.privateParent(facts.env.TMPDIR || "/tmp");
  const directory = `${parent}/hermes-env-${Deno.pid}-${marker}`;
  try {
    await Deno.mkdir(directory, { mode: 0o700 });
    return directory;
  } catch (error) {
    throw new EnvironmentError(`Cannot make a directory in ${parent}: ${reasonOf(error)}`);
  }
}

interface Attached {
  here: PolicyHere;
  raised: RaisedWalls | undefined;
  marker: string;
}

async function attach(
  argv: readonly string[],
  { here: { settings, cwd }, raised, marker }: Attached,
): Promise<number> {
  const env = ownEnvironment();
  const { env_passthrough: pass } = settings.config.terminal;
  const watch = endWatch.hold();
  const signals = new Signals(marker);
  try {
    const child = spawnChild({
      argv: [...raised === undefined ? [] : [raised.launcher], "/bin/sh", "-c", ENTER, "hermes"]
        .concat(cwd, argv),
      env: withVariables(commandEnvironment(env, { pass, home: env.HOME ?? "/" }), {
        ...raised?.env,
        [MARKER_VARIABLE]: marker,
      }),
      cwd,
      group: "terminal",
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    });
    signals.child = child;
    const { code } = await child.status;
    return code;
  } catch (error) {
    throw new EnvironmentError(`The command did not start: ${reasonOf(error)}`);
  } finally {
    // Background processes would go on without the walls' proxy and directory.
    await killTree({ leaders: [], marker });
    signals.close();
    await watch.release();
  }
}

/** Keys of the terminal reach the command by themselves; signals to hermes end the command. */
class Signals {
  child: Deno.ChildProcess | undefined;
  readonly #marker: string;
  readonly #listeners: { signal: Deno.Signal; listener: () => void }[];

  constructor(marker: string) {
    this.#marker = marker;
    const ignore = () => {};
    const interrupt = Deno.stdin.isTerminal() ? ignore : () => this.#send("SIGINT");
    this.#listeners = [
      { signal: "SIGINT", listener: interrupt },
      { signal: "SIGQUIT", listener: ignore },
      { signal: "SIGTERM", listener: () => this.#end("SIGTERM") },
      { signal: "SIGHUP", listener: () => this.#end("SIGHUP") },
    ];
    for (const { signal, listener } of this.#listeners) Deno.addSignalListener(signal, listener);
  }

  close(): void {
    for (const { signal, listener } of this.#listeners) Deno.removeSignalListener(signal, listener);
  }

  #send(signal: Deno.Signal): void {
    try {
      this.child?.kill(signal);
    } catch {
      // The command has just ended.
    }
  }

  #end(signal: Deno.Signal): void {
    this.#send(signal);
    void killTree({ leaders: [], marker: this.#marker });
  }
}
