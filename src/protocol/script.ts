/**
 * What a script run is: the request, its limits, its result, and the `Sandbox` that tools see.
 * Types only; `src/sandbox/script/runner.ts` implements them, `tools/execute_code.ts` uses them.
 */
import type { ToolDefinition } from "./provider.ts";
import type { NestedCallResult } from "./tool_result.ts";

export type ScriptLanguage = "typescript" | "javascript" | "python";

export interface ScriptLimits {
  timeoutMs: number;
  maxToolCalls: number;
  maxStdoutBytes: number;
  maxStderrBytes: number;
  memoryMb: number;
}

export interface ScriptProgress {
  callsFinished: number;
  callsStarted: number;
  elapsedMs: number;
}

export interface ScriptRequest {
  code: string;
  language: ScriptLanguage;
  /** Keeps the child and its variables for the next run of this name. */
  session?: string;
  /** The tools a script may call: the allow-list ∩ the session's. */
  tools: readonly ToolDefinition[];
  /** Names of the session's other tools, so that a refusal can say what to do instead. */
  otherTools: readonly string[];
  limits: ScriptLimits;
  signal: AbortSignal;
  /** Dispatches one call of the script. Never throws. */
  callTool(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<NestedCallResult>;
  onProgress?(progress: ScriptProgress): void;
}

export type ScriptStatus = "success" | "error" | "timeout" | "interrupted";

export interface ScriptResult {
  status: ScriptStatus;
  /** What the script printed, head and tail when too long. */
  output: string;
  /** Standard error, or why the script was stopped. */
  errors: string;
  callsMade: number;
  durationMs: number;
}

/** Whether a language can run here; `reason` says why not. */
export interface LanguageSupport {
  available: boolean;
  reason: string;
}

export interface SandboxAvailability {
  script: LanguageSupport;
  python: LanguageSupport;
}

export interface Sandbox {
  /** Runs one script. Rejects only when the sandbox itself is unavailable or broken. */
  run(request: ScriptRequest): Promise<ScriptResult>;
  /** Looks at the machine once, without starting a process; the answer is kept. */
  availability(): SandboxAvailability;
  /** Ends every session. */
  close(): Promise<void>;
}
