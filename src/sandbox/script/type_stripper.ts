/**
 * JavaScript from TypeScript, by the runtime's own parser in a process of its own: it goes as deep
 * as the code does and ends the whole process when its stack is full, which anybody's code can do.
 */
import { onlyVariables } from "../../process/child_environment.ts";
import { signalGroup } from "../../process/group.ts";
import { spawnChild } from "../../process/spawn.ts";
import { isStandalone } from "../../util/runtime.ts";
import { makePlace, type Place, removePlace } from "../child/child_place.ts";
import { childProgram } from "../child/child_program.ts";
import { CHILD_ENV, stripperCommand } from "../child/child_command.ts";
import { ScriptSyntaxError } from "../child/module_source.ts";
import type { StripAnswer } from "../child/strip_main.ts";

const TIMEOUT_MS = 20_000;
/** What the parser calls the source. */
const PARSER_NAME = "file:///stripTypeScriptTypes.ts";

/** Starts the process when it is first needed. One source at a time. */
export class TypeStripper implements AsyncDisposable {
  readonly #timeoutMs: number;
  #running: Running | undefined;

  constructor(options: { timeoutMs?: number } = {}) {
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /**
   * Lines and columns are kept where that is possible. `name` is for messages.
   * @throws {ScriptSyntaxError} when it is no TypeScript or the parser gives up.
   */
  async strip(source: string, name: string): Promise<string> {
    const running = this.#running ??= await start();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      signalGroup(running.process, "SIGKILL");
    }, this.#timeoutMs);
    const line = await exchange(running, source);
    clearTimeout(timer);
    if (line === undefined) {
      await this[Symbol.asyncDispose]();
      throw new ScriptSyntaxError(
        `${name} ${isLate ? "takes too long to read" : "is nested too deeply"}`,
      );
    }
    const { code, error = "" }: StripAnswer = JSON.parse(line);
    if (code === undefined) throw new ScriptSyntaxError(error.replaceAll(PARSER_NAME, name));
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    // The stripper ends with its input, unless it is gone already.
    await running.input.close().catch(() => {});
    await running.output.cancel();
    await running.process.status;
    if (running.place !== undefined) await removePlace(running.place);
  }
}

interface Running {
  /** A compiled hermes needs none. */
  place: Place | undefined;
  process: Deno.ChildProcess;
  input: WritableStreamDefaultWriter<Uint8Array>;
  output: ReadableStreamDefaultReader<string>;
}

async function start(): Promise<Running> {
  const place = isStandalone() ? undefined : makePlace({ tempDir: undefined });
  const program = place && await childProgram("strip_main", place.directory);
  const { command, args } = stripperCommand(program?.url);
  const process = spawnChild({
    argv: [command, ...args],
    env: onlyVariables(CHILD_ENV),
    cwd: place?.scratch ?? "/",
    group: "session",
    stdin: "piped",
    stdout: "piped",
  });
  return {
    place,
    process,
    input: process.stdin.getWriter(),
    output: process.stdout.pipeThrough(new TextDecoderStream()).getReader(),
  };
}

/** The line that answers; undefined when the process ends instead. */
async function exchange({ input, output }: Running, source: string): Promise<string | undefined> {
  // A process that ends while it is written to is seen by its output.
  input.write(new TextEncoder().encode(`${JSON.stringify(source)}\n`)).catch(() => {});
  const parts: string[] = [];
  while (true) {
    const { value, done } = await output.read();
    if (done) return undefined;
    parts.push(value);
    if (value.endsWith("\n")) return parts.join("");
  }
}
