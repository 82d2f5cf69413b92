/**
 * A tool: what the model sees and what runs when it is called. Built-ins, MCP servers and
 * plugins all register this one shape.
 */
import type { RedactMode } from "../util/redact.ts";
import type { ApprovalOutcome, ApprovalRequest } from "./approval.ts";
import type { Environment } from "./environment.ts";
import type { InferSchema, JsonSchema } from "./json_schema.ts";
import type { ToolDefinition } from "./provider.ts";
import type { ToolServices } from "./services.ts";

/** A file a call reads or writes, for scheduling parallel calls. */
export interface PathUse {
  path: string;
  write: boolean;
}

/** What a handler returns: an object becomes JSON, a string is passed as it is. */
export type ToolResult = string | Record<string, unknown>;

export interface ToolContext {
  readonly callId: string;
  readonly sessionId: string;
  /** Key of the persistent working directory, processes and read history. */
  readonly taskId: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Names of the tools the session offers. */
  readonly sessionTools: readonly string[];
  /** True when a script of `execute_code` makes this call. */
  readonly sandbox: boolean;
  readonly services: ToolServices;
  /** Settings for tools: the `config.yaml` value at a dotted path, defaults applied. */
  config(path: string): unknown;
  /** Asks for a yes; resolves to the outcome, never throws but on abort. */
  approve(request: ApprovalRequest): Promise<ApprovalOutcome>;
  /** Checks a shell command against the approval rules, asking when they say so. */
  approveCommand(command: string, place?: CommandPlace): Promise<ApprovalOutcome>;
  /** Takes secrets out and keeps every line; for text that is cut or given line numbers afterwards. */
  redact(text: string): string;
  /** One line of progress to the surface. */
  progress(text: string): void;
  /** Diagnostics, shown with `--verbose`. */
  log(text: string): void;
  /** Dispatches another tool on behalf of this call (scripts, plugins): the same path, the same rules. */
  callTool(name: string, args: unknown, options?: NestedCallOptions): Promise<NestedCallResult>;
}

/** Where and how a command is going to run. */
export interface CommandPlace {
  cwd: string;
  /** The same directory behind its links. */
  realCwd?: string;
  /** Input can be sent to the command while it runs. */
  takesInput?: boolean;
}

export interface NestedCallOptions {
  signal?: AbortSignal;
  /** Marks the call as made by a script: events carry `sandbox: true`. */
  sandbox?: boolean;
}

export interface NestedCallResult {
  content: string;
  isError: boolean;
}

/** What an availability check may look at. */
export interface CheckContext {
  env(name: string): string | undefined;
  /** Absolute path of a program on PATH, if any. */
  which(program: string): Promise<string | undefined>;
  config(path: string): unknown;
  readonly environmentName: string;
  /** The running kernel, so that a remembered look can tell when it changed. */
  readonly kernel: string;
  /**
   * A look at the machine that is remembered between runs as long as `fingerprint` stays the
   * same. The value must be plain JSON and is only a hint.
   */
  recall<T>(key: string, fingerprint: string, look: () => Promise<T>): Promise<T>;
}

/** What a dynamic schema may depend on. */
export interface SchemaContext {
  /** Names of the tools that survived resolution and availability. */
  readonly tools: readonly string[];
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  config(path: string): unknown;
}

export interface ToolSpec<S extends JsonSchema = JsonSchema> {
  name: string;
  toolset: string;
  /** Read by the model: short, and makes it choose right. */
  description: string;
  schema: S;
  handler(args: InferSchema<S>, ctx: ToolContext): Promise<ToolResult> | ToolResult;
  /** True or absent: available. A string or false: unavailable, with that reason. Throwing means unavailable. */
  check?: (ctx: CheckContext) => boolean | string | Promise<boolean | string>;
  /** Variables it needs; shown by `hermes tools`. */
  requiresEnv?: readonly string[];
  emoji?: string;
  /** Characters of result kept in context before the rest is spilled to a file; default 100 000. */
  maxResultChars?: number;
  /** Rewrites the definition from what survived; an exception keeps the static one. */
  dynamicSchema?: (ctx: SchemaContext) => Partial<ToolDefinition> | undefined;
  /** May run beside others; `"paths"`: unless the paths of `paths()` overlap and one side writes. */
  parallel?: boolean | "paths";
  paths?: (args: InferSchema<S>) => PathUse[];
  /** The handler mends its arguments: those that do not fit the schema still reach it. */
  lenient?: boolean;
  /** Repeating it with the same arguments and the same result is no progress. */
  idempotent?: boolean;
  /** The result comes from outside and may try to instruct the model. */
  untrusted?: boolean;
  /** How much of a result is taken for secrets (`src/util/redact.ts`); default `code`. */
  redaction?: (args: InferSchema<S>) => RedactMode;
  /** Milliseconds a call may take; default 420 000; 0 is no limit. */
  timeoutMs?: number;
  /** Replaces a tool of another toolset; plugins need a grant. */
  override?: boolean;
  /** One line that names the call for people: `read src/a.ts`. */
  summary?: (args: InferSchema<S>) => string;
}

/** What can be known of a tool without running any of its code. */
export type ToolFacts = Pick<
  ToolSpec,
  | "name"
  | "toolset"
  | "description"
  | "schema"
  | "requiresEnv"
  | "emoji"
  | "maxResultChars"
  | "parallel"
  | "lenient"
  | "idempotent"
  | "untrusted"
  | "timeoutMs"
>;

/** A line of the generated manifest: enough to offer the tool; its module is imported when first needed. */
export interface ManifestEntry extends ToolFacts {
  /** The module has a `check`: it must be imported to know whether the tool is available. */
  checked?: boolean;
  /** The module has a `dynamicSchema`: it must be imported to build the definition. */
  dynamic?: boolean;
  /** Imports the module, which registers the tool. */
  load(): Promise<unknown>;
}
