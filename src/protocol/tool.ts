/**
 * A tool: what the model sees and what runs when it is called. Built-ins, MCP servers and
 * plugins all register this one shape.
 */
import type { RedactMode } from "../text/redact.ts";
import type { ApprovalOutcome, ApprovalRequest, WantedGrant } from "./approval.ts";
import type { Environment } from "./environment.ts";
import type { InferSchema, JsonSchema } from "./json_schema.ts";
import type { ToolDefinition } from "./provider.ts";
import type { ServiceName, ToolServices } from "./services.ts";
import type { ToolDetails } from "./tool_details.ts";
import type { NestedCallResult, ToolResult } from "./tool_result.ts";
import type { ToolView } from "./tool_view.ts";

/** A file a call reads or writes, for scheduling parallel calls. */
export interface PathUse {
  path: string;
  write: boolean;
}

/**
 * What a tool does to the world. `execute`: runs a command, a script or input for one, and waits.
 * `spawn`: leaves a process running. `write`: changes files. `send`: talks to the network.
 * What is not declared is refused at run time.
 */
export type ToolEffect = "execute" | "spawn" | "write" | "send";

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
  /** What is known of one of them. */
  toolFacts(name: string): ToolFacts | undefined;
  /** True when a script of `execute_code` makes this call. */
  readonly sandbox: boolean;
  readonly services: ToolServices;
  /** Settings for tools: the `config.yaml` value at a dotted path, defaults applied. */
  config(path: string): unknown;
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

/**
 * A yes that a call needs: the rules judge a command, an action always needs a person, and so
 * does what the walls around commands stop.
 */
export type ApprovalAsk =
  & (
    | { command: string; place?: CommandPlace }
    | { action: Omit<ApprovalRequest, "tool"> }
    | { grant: WantedGrant }
  )
  & {
    /** What the model reads after a no; by default the reason as an error. */
    denied?(outcome: ApprovalOutcome): ToolResult;
  };

/** What a call needs before its handler may run, or the result that ends it at once. */
export type ApprovalPlan<P> =
  | {
    /** Asked in this order; the first no ends the call. */
    asks: readonly ApprovalAsk[];
    /** What was judged, for the handler to act on. */
    plan: P;
  }
  | { result: ToolResult };

/** What a handler gets of the approvals: what was judged, and who said yes to each ask. */
export interface Approved<P> {
  plan: P;
  outcomes: readonly ApprovalOutcome[];
}

export interface NestedCallOptions {
  signal?: AbortSignal;
  /** Marks the call as made by a script: events carry `sandbox: true`. */
  sandbox?: boolean;
}

/** What an availability check may look at. */
export interface CheckContext {
  env(name: string): string | undefined;
  /** Absolute path of a program on PATH, if any. */
  which(program: string): Promise<string | undefined>;
  config(path: string): unknown;
  readonly environmentName: string;
  /** Where the session was opened: `run`, `chat`, … */
  readonly surface: string;
  /** 0 for a person's session, 1 for a sub-agent of it, and so on. */
  readonly depth: number;
  /** What the session will have: the services themselves are built with the first call. */
  readonly services: ReadonlySet<ServiceName>;
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
  /** What the checks of the same build looked at; one object for all of them. */
  readonly checks: CheckContext;
}

export interface ToolSpec<
  S extends JsonSchema = JsonSchema,
  P = unknown,
  D extends ToolDetails = ToolDetails,
> {
  name: string;
  toolset: string;
  /** Read by the model: short, and makes it choose right. */
  description: string;
  schema: S;
  /**
   * The effects of the tool; a tool that declares any must have `approval`. Absent says nothing:
   * where every change is asked about or refused, such a tool counts as changing something.
   */
  effects?: readonly ToolEffect[];
  /** Says before anything happens which yeses the call needs; may refuse it by throwing `ToolError`. */
  approval?(
    args: InferSchema<S>,
    ctx: ToolContext,
  ): Promise<ApprovalPlan<P>> | ApprovalPlan<P>;
  handler(
    args: InferSchema<S>,
    ctx: ToolContext,
    approved: Approved<P>,
  ): Promise<ToolResult<D>> | ToolResult<D>;
  /** How results are shown to people; without it, by their text. */
  view?: ToolView<InferSchema<S>, D>;
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
  /** How much of a result is taken for secrets (`src/text/redact.ts`); default `code`. */
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
  | "effects"
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
