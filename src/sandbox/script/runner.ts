/**
 * The sandbox of a session: picks a child for each script, keeps those of named sessions, and
 * refuses to run where the walls do not suffice.
 */
import { HermesError } from "../../protocol/error.ts";
import { refusal } from "../walls/allow_list.ts";
import { type Findings, probeSandbox, pythonGap, scriptGap } from "../sandbox_probe.ts";
import { type ChildHandle, startChild } from "../child/child_handle.ts";
import { defaultMode } from "../child/child_command.ts";
import type { Sandbox, ScriptRequest, ScriptResult } from "../../protocol/script.ts";
import type { ChildMode, Wall } from "../child/contract.ts";
import { ScriptSyntaxError } from "../child/module_source.ts";
import { prepareScript } from "./prepare_script.ts";
import { inspectPython, type PythonRuntime } from "./python.ts";
import { ScriptRun } from "./script_run.ts";
import { SessionPool } from "./session_pool.ts";
import { functionName } from "./signature.ts";
import { HELPERS, pythonStub, scriptStub } from "./stub.ts";

export interface SandboxOptions {
  /** The `PATH` that Python is looked for on. */
  searchPath: string;
  /** Forces how children start; default what the build wants. */
  mode?: ChildMode | undefined;
  /** Where private directories are made; default the system's place. */
  tempDir?: string | undefined;
  /** How long a named session may be idle; default ten minutes. */
  sessionIdleMs?: number | undefined;
  /** Walls left down, so that tests can prove the others. */
  without?: readonly Wall[];
}

const SESSION_IDLE_MS = 600_000;
/** CPU time of a session's child, in runs that use all of theirs. */
const SESSION_RUNS = 20;
const CPU_SLACK_SECONDS = 5;
/** A longer one would keep the parser, and with it everything else, busy for seconds. */
const MAX_SCRIPT_CHARS = 500_000;

/** The two texts a child is given, in the form its language wants. */
interface Prepared {
  stub: string;
  main: string;
}

export class SandboxRunner implements Sandbox {
  readonly #options: SandboxOptions;
  readonly #mode: ChildMode;
  readonly #sessions: SessionPool;
  #findings: Findings | undefined;
  #python: Promise<PythonRuntime> | undefined;
  #runs = 0;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#mode = options.mode ?? defaultMode();
    this.#sessions = new SessionPool(options.sessionIdleMs ?? SESSION_IDLE_MS);
  }

  availability(): Findings {
    const { searchPath, without = [] } = this.#options;
    return this.#findings ??= probeSandbox({ mode: this.#mode, without, searchPath });
  }

  /** @throws {HermesError} when the language cannot run here or a child does not start. */
  async run(request: ScriptRequest): Promise<ScriptResult> {
    const startedAt = performance.now();
    const findings = this.availability();
    const support = request.language === "python" ? findings.python : findings.script;
    if (!support.available) throw new HermesError(support.reason);
    const key = sessionKey(request);
    const starting = this.#child(key, request);
    // Preparing and starting overlap; a failed start is seen at the await below.
    starting.catch(() => {});
    let prepared: Prepared;
    try {
      prepared = await this.#prepare(request);
    } catch (error) {
      await this.#giveBack(key, await starting);
      if (error instanceof ScriptSyntaxError) return syntaxResult(error, startedAt);
      throw error;
    }
    const child = await starting;
    const end = await new ScriptRun(child, { request, startedAt, ...prepared }).run();
    if (end.alive) await this.#giveBack(key, child);
    return end.result;
  }

  async close(): Promise<void> {
    await this.#sessions.close();
  }

  async #giveBack(key: string | undefined, child: ChildHandle): Promise<void> {
    if (key === undefined) await child.kill();
    else await this.#sessions.give(key, child);
  }

  async #child(key: string | undefined, request: ScriptRequest): Promise<ChildHandle> {
    const kept = key === undefined ? undefined : this.#sessions.take(key);
    if (kept !== undefined) return kept;
    const { limits } = request;
    const cpuSeconds = Math.ceil(limits.timeoutMs / 1000) + CPU_SLACK_SECONDS;
    const isPython = request.language === "python";
    const python = isPython ? await this.#pythonRuntime().catch(failStart) : undefined;
    const child = await startChild({
      mode: this.#mode,
      memoryMb: limits.memoryMb,
      cpuSeconds: key === undefined ? cpuSeconds : cpuSeconds * SESSION_RUNS,
      without: this.#options.without ?? [],
      python,
      tempDir: this.#options.tempDir,
    }).catch(failStart);
    const gap = isPython ? pythonGap(child.walls) : scriptGap(this.#mode, child.walls);
    if (gap === undefined) return child;
    await child.kill();
    throw new HermesError(gap);
  }

  #pythonRuntime(): Promise<PythonRuntime> {
    const { executable } = this.availability();
    return this.#python ??= inspectPython(executable!);
  }

  async #prepare(request: ScriptRequest): Promise<Prepared> {
    const { language, tools, otherTools, code: { length } } = request;
    if (length > MAX_SCRIPT_CHARS) throw new ScriptSyntaxError(tooLong(length));
    const callable = tools.map((tool) => functionName(tool.name));
    if (language === "python") {
      const refusals = otherTools.map((
        name,
      ) => [name, refusal(name, { callable, session: [name] })]);
      return { stub: pythonStub(tools, Object.fromEntries(refusals)), main: request.code };
    }
    const stub = dataUrl("text/javascript", scriptStub(tools));
    const exported = new Set([...callable, ...HELPERS]);
    const code = await prepareScript(request.code, {
      language,
      stubUrl: stub,
      session: request.session !== undefined,
      refuseImport: (name) =>
        exported.has(name) ? undefined : refusal(name, { callable, session: otherTools }),
    });
    // The number makes a repeated script a module of its own.
    const main = dataUrl("application/javascript", `${code}\n//${++this.#runs}`);
    return { stub, main };
  }
}

function tooLong(length: number): string {
  return `The script has ${length} characters, at most ${MAX_SCRIPT_CHARS} can run: ` +
    `keep data in files and read them with read_file`;
}

/** JavaScript and TypeScript share a child; Python has its own of the same name. */
function sessionKey(request: ScriptRequest): string | undefined {
  if (request.session === undefined) return undefined;
  return `${request.language === "python" ? "python" : "script"}:${request.session}`;
}

function failStart(error: Error): never {
  throw new HermesError(`the script sandbox did not start: ${error.message}`, { cause: error });
}

function dataUrl(type: string, text: string): string {
  return `data:${type};base64,${new TextEncoder().encode(text).toBase64()}`;
}

function syntaxResult(error: ScriptSyntaxError, startedAt: number): ScriptResult {
  return {
    status: "error",
    output: "",
    errors: error.message,
    callsMade: 0,
    durationMs: performance.now() - startedAt,
  };
}
