/**
 * What a plugin imports as `hermes/plugin`: the types of everything it can register and a few
 * helpers. Plugins see this file and nothing else of hermes; it is copied to their authors, so
 * it uses no other module but the types it hands on.
 */
import type { HookDirective, HookName, HookPayload } from "./protocol/hook.ts";
import type { InferSchema, JsonSchema } from "./protocol/json_schema.ts";

export type { HookDirective, HookName, HookPayload } from "./protocol/hook.ts";
export type { InferSchema, JsonSchema } from "./protocol/json_schema.ts";

/** What a handler returns: an object becomes JSON, a string is passed as it is. */
export type PluginToolResult = string | Record<string, unknown>;

/** One call of a tool or command. */
export interface PluginCall {
  readonly callId: string;
  readonly sessionId: string;
  readonly taskId: string;
  /** Aborted when the turn is interrupted or the time is up: stop what you are doing. */
  readonly signal: AbortSignal;
  /** One line of progress for the person who watches. */
  progress(text: string): void;
}

export interface PluginTool<S extends JsonSchema = JsonSchema> {
  name: string;
  /** Read by the model: what it does and when to use it. */
  description: string;
  /** The arguments, as a JSON Schema literal of type `object`. */
  schema: S;
  handler(
    args: InferSchema<S>,
    call: PluginCall,
  ): PluginToolResult | Promise<PluginToolResult>;
  /** False or a reason hides the tool from the model. */
  check?(): boolean | string | Promise<boolean | string>;
  emoji?: string;
  /** Milliseconds a call may take; default 60 000. */
  timeoutMs?: number;
  /** Characters of result kept in context; the rest goes to a file. */
  maxResultChars?: number;
  /** May run beside other tools. */
  parallel?: boolean;
  /** Repeating it with the same arguments is no progress. */
  idempotent?: boolean;
  /** The result comes from outside and may try to instruct the model. */
  untrusted?: boolean;
  /** Replaces a tool of that name; works only where the operator has allowed it. */
  override?: boolean;
}

/**
 * Observers answer nothing; `pre_tool_call` may answer a directive, `pre_turn` text for the model,
 * `transform_tool_result` and `transform_llm_output` the text that takes the place of another. What of others a hook sees and changes is what `permissions.hooks` declares.
 */
export type PluginHook = (
  payload: HookPayload,
  signal: AbortSignal,
) =>
  | HookDirective
  | string
  | { context: string }
  | { text: string }
  | void
  | Promise<HookDirective | string | { context: string } | { text: string } | void>;

/** `/name` in the chat and `hermes name` on the command line. */
export interface PluginCommand {
  name: string;
  description: string;
  /** Shown in help: `[DAYS]`. */
  args?: string;
  /** Gets what follows the name; what it returns is printed. */
  run(argument: string, call: PluginCall): string | void | Promise<string | void>;
}

/** Instructions the model reads when it needs them; known to it as `plugin:name`. */
export interface PluginSkill {
  name: string;
  /** Read by the model to decide whether it needs the skill. */
  description: string;
  /** The Markdown text, or where it is below the plugin's folder. */
  content?: string;
  path?: string;
}

/** What `register(ctx)` gets. Everything must be registered before it returns. */
export interface PluginContext {
  readonly name: string;
  readonly version: string;
  /** The operator's settings (`plugins.entries.<name>.config`), checked, defaults applied. */
  readonly config: Readonly<Record<string, unknown>>;
  /** A directory of the plugin's own, readable and writable, kept between runs. */
  readonly dataDir: string;
  registerTool<const S extends JsonSchema>(tool: PluginTool<S>): void;
  registerHook(name: HookName, hook: PluginHook, options?: { timeoutMs?: number }): void;
  registerCommand(command: PluginCommand): void;
  registerSkill(skill: PluginSkill): void;
  /** Adds text to the system prompt (`permissions.hooks: [add_context]`): at most 4 000 characters, 8 000 in all. */
  addPromptSection(id: string, text: string): void;
  /** One line of diagnostics, shown with `--verbose`. */
  log(text: string): void;
}

/** A refusal in words for the model. Other exceptions reach it too, but as a failure of the tool. */
export class ToolError extends Error {
  override name = "ToolError";
  /** More keys for the result beside `error`. */
  readonly extra: Record<string, unknown>;
  constructor(message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.extra = extra;
  }
}

/** Gives a tool's handler the types of its schema; changes nothing. */
export function defineTool<const S extends JsonSchema>(tool: PluginTool<S>): PluginTool<S> {
  return tool;
}

export type RecorderOptions = Partial<
  Pick<PluginContext, "name" | "version" | "config" | "dataDir" | "log">
>;

interface RecordedHook {
  name: HookName;
  hook: PluginHook;
  timeoutMs?: number;
}

/** A context that keeps what is registered. Hermes uses it to load a plugin, tests to try one. */
export class PluginRecorder implements PluginContext {
  readonly name: string;
  readonly version: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly dataDir: string;
  readonly log: (text: string) => void;
  readonly tools: Map<string, PluginTool> = new Map();
  readonly commands: Map<string, PluginCommand> = new Map();
  readonly hooks: RecordedHook[] = [];
  readonly skills: PluginSkill[] = [];
  readonly sections: { id: string; text: string }[] = [];

  constructor(options: RecorderOptions = {}) {
    this.name = options.name ?? "test";
    this.version = options.version ?? "0.0.0";
    this.config = options.config ?? {};
    this.dataDir = options.dataDir ?? "";
    this.log = options.log ?? (() => {});
  }

  registerTool<const S extends JsonSchema>(tool: PluginTool<S>): void {
    if (typeof tool?.name !== "string" || typeof tool.handler !== "function") {
      throw new TypeError("registerTool needs a name, a description, a schema and a handler");
    }
    if (this.tools.has(tool.name)) throw new TypeError(`tool "${tool.name}" is registered twice`);
    this.tools.set(tool.name, tool as unknown as PluginTool);
  }

  registerHook(name: HookName, hook: PluginHook, options: { timeoutMs?: number } = {}): void {
    if (typeof hook !== "function") throw new TypeError(`the hook ${name} needs a function`);
    this.hooks.push({ name, hook, ...options });
  }

  registerCommand(command: PluginCommand): void {
    if (typeof command?.name !== "string" || typeof command.run !== "function") {
      throw new TypeError("registerCommand needs a name, a description and run()");
    }
    if (this.commands.has(command.name)) {
      throw new TypeError(`command "${command.name}" is registered twice`);
    }
    this.commands.set(command.name, command);
  }

  registerSkill(skill: PluginSkill): void {
    this.skills.push(skill);
  }

  addPromptSection(id: string, text: string): void {
    this.sections.push({ id, text });
  }

  /** Calls a tool as the model would. */
  async call(tool: string, args: Record<string, unknown> = {}): Promise<PluginToolResult> {
    const found = this.tools.get(tool);
    if (found === undefined) throw new Error(`no tool "${tool}" is registered`);
    return await found.handler(args, {
      callId: "test",
      sessionId: "test",
      taskId: "main",
      signal: new AbortController().signal,
      progress() {},
    });
  }
}

/** Loads a plugin for its own tests, without hermes: `(await testPlugin(register)).call("greet", {…})`. */
export async function testPlugin(
  register: (ctx: PluginContext) => void | Promise<void>,
  options: RecorderOptions = {},
): Promise<PluginRecorder> {
  const recorder = new PluginRecorder(options);
  await register(recorder);
  return recorder;
}
