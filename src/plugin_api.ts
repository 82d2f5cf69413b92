/**
 * What a plugin imports as `hermes/plugin`: the types of everything it can register and a few
 * helpers. Plugins see this file and nothing else of hermes; it is copied to their authors, so
 * it uses no other module but the types it hands on.
 */
import type { HookDirective, HookName, HookPayload } from "./protocol/hook.ts";
import type { InferSchema, JsonSchema } from "./protocol/json_schema.ts";
import type { ModelInfo, ModelRequest, ProviderEvent } from "./protocol/provider.ts";
import type {
  InboundMessage,
  OutboundMessage,
  PushEvent,
  PushReceipt,
  SentMessage,
  SessionNotice,
  WakeRequest,
} from "./protocol/push.ts";

export type { HookDirective, HookName, HookPayload } from "./protocol/hook.ts";
export type { InferSchema, JsonSchema } from "./protocol/json_schema.ts";
export type { AssistantMessage, Message, Usage } from "./protocol/message.ts";
export type { ModelInfo, ModelRequest, ProviderEvent } from "./protocol/provider.ts";
export type {
  Attachment,
  InboundMessage,
  OutboundMessage,
  PushEvent,
  PushReceipt,
  SentMessage,
  SessionNotice,
  WakeRequest,
} from "./protocol/push.ts";

/** A piece of a result: text, or an image as base64 (PNG, JPEG, GIF or WebP, at most 5 MB). */
export type PluginToolPart =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; data: string };

/** A result in full: what the model reads, data for surfaces and hooks, and whether it failed. */
export type PluginWholeResult = {
  content: PluginToolPart[];
  /** Plain JSON; the model never sees it. */
  details?: unknown;
  isError?: boolean;
};

/**
 * What a handler returns: text is passed as it is, an object becomes JSON, and one with an
 * `error` has failed. `PluginWholeResult` says more.
 */
export type PluginToolResult = string | Record<string, unknown> | PluginWholeResult;

/** One call of a tool or command. */
export interface PluginCall {
  readonly callId: string;
  /** Empty for a command that runs outside a session: `hermes NAME`. */
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
  handler(args: InferSchema<S>, call: PluginCall): PluginToolResult | Promise<PluginToolResult>;
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
  /** Changes nothing anywhere: the modes `ask-all` and `plan` let it run. */
  readOnly?: boolean;
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

/** Aborted when hermes ends or the time is up: stop what you are doing. */
export interface PluginTask {
  readonly signal: AbortSignal;
}

/** One run of a service. */
export interface ServiceRun extends PluginTask {
  /** The service works now: hermes counts the time from here before it believes that a failure is a new one. */
  ready(): void;
}

/** Something that runs for as long as hermes does (`permissions.background: [services]`). */
export interface PluginService {
  name: string;
  /**
   * Runs until `signal` is aborted. One that throws is started again after a pause that grows; one
   * that returns is done.
   */
  run(service: ServiceRun): Promise<void>;
  /** Asked every 30 seconds: three times false, a reason or nothing, and the service is started again. */
  health?(): boolean | string | Promise<boolean | string>;
}

/** Something that hermes starts again and again (`permissions.background: [timers]`). */
export interface PluginTimer {
  name: string;
  /** Milliseconds from one start to the next, at least 1 000; a run that lasts longer skips some. */
  everyMs: number;
  run(task: PluginTask): void | Promise<void>;
}

/** Answers requests to hermes' HTTP ingress at `/plugins/<plugin><path>` (`permissions.routes`). */
export interface PluginRoute {
  /** As the manifest declares it: `/hook`, or `/hooks/*` for everything below. */
  path: string;
  /** Default `["POST"]`. */
  methods?: string[];
  handler(request: Request, task: PluginTask): Response | Promise<Response>;
}

/** Chats that messages come from (`ctx.deliver`) and go to (`permissions.platforms`). */
export interface PluginPlatform {
  name: string;
  /** Characters of one message; default 4 000. */
  maxChars?: number;
  /** How text is written; default `plain`. */
  format?: "plain" | "markdown" | "html";
  send(message: OutboundMessage, task: PluginTask): Promise<SentMessage>;
  edit?(message: OutboundMessage & SentMessage, task: PluginTask): Promise<void>;
  showTyping?(place: { chat: string; thread?: string }, task: PluginTask): Promise<void>;
}

/** A model provider (`permissions.providers`): yields deltas, then exactly one `end` or `failure`. */
export interface PluginProvider {
  name: string;
  models: ModelInfo[];
  stream(
    request: ModelRequest & { model: string },
    task: PluginTask,
  ): AsyncIterable<ProviderEvent>;
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
  registerService(service: PluginService): void;
  registerTimer(timer: PluginTimer): void;
  registerRoute(route: PluginRoute): void;
  registerPlatform(platform: PluginPlatform): void;
  registerProvider(provider: PluginProvider): void;
  /** The value of a variable that `permissions.secrets` names; undefined when it is not set. */
  secret(name: string): string | undefined;
  /** Certificates (PEM) the operator trusts for this plugin, for `Deno.createHttpClient({ caCerts })`. */
  readonly caCerts: readonly string[];
  /** Hands over a message from a chat of its own platform. Accepted means stored: acknowledge it only then. */
  deliver(message: InboundMessage): Promise<PushReceipt>;
  /** Asks a session that uses the plugin for a turn (`permissions.sessions: [wake]`). */
  wake(request: WakeRequest): Promise<PushReceipt>;
  /** Shows a line to those who watch a session (`permissions.sessions: [notify]`). */
  notify(notice: SessionNotice): Promise<PushReceipt>;
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

export type RecorderOptions =
  & Partial<Pick<PluginContext, "name" | "version" | "config" | "dataDir" | "log" | "caCerts">>
  & {
    secrets?: Readonly<Record<string, string>>;
    /** Where events go; default they are kept in `pushed` and accepted. */
    push?: (event: PushEvent) => Promise<PushReceipt>;
  };

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
  readonly services: Map<string, PluginService> = new Map();
  readonly timers: Map<string, PluginTimer> = new Map();
  readonly routes: Map<string, PluginRoute> = new Map();
  readonly platforms: Map<string, PluginPlatform> = new Map();
  readonly providers: Map<string, PluginProvider> = new Map();
  readonly caCerts: readonly string[];
  /** What was delivered, asked for and shown, in order. */
  readonly pushed: PushEvent[] = [];
  readonly #secrets: Readonly<Record<string, string>>;
  readonly #push: (event: PushEvent) => Promise<PushReceipt>;

  constructor(options: RecorderOptions = {}) {
    this.name = options.name ?? "test";
    this.version = options.version ?? "0.0.0";
    this.config = options.config ?? {};
    this.dataDir = options.dataDir ?? "";
    this.log = options.log ?? (() => {});
    this.caCerts = options.caCerts ?? [];
    this.#secrets = options.secrets ?? {};
    this.#push = options.push ?? ((event) => {
      this.pushed.push(event);
      return Promise.resolve({ status: "accepted" });
    });
  }

  registerTool<const S extends JsonSchema>(tool: PluginTool<S>): void {
    const needs = "registerTool needs a name, a description, a schema and a handler";
    requireParts(tool, ["name", "handler"], needs);
    addOnce(this.tools, tool.name, { kind: "tool", value: tool as unknown as PluginTool });
  }

  registerHook(name: HookName, hook: PluginHook, options: { timeoutMs?: number } = {}): void {
    if (typeof hook !== "function") throw new TypeError(`the hook ${name} needs a function`);
    this.hooks.push({ name, hook, ...options });
  }

  registerCommand(command: PluginCommand): void {
    requireParts(command, ["name", "run"], "registerCommand needs a name, a description and run()");
    addOnce(this.commands, command.name, { kind: "command", value: command });
  }

  registerSkill(skill: PluginSkill): void {
    this.skills.push(skill);
  }

  addPromptSection(id: string, text: string): void {
    this.sections.push({ id, text });
  }

  registerService(service: PluginService): void {
    requireParts(service, ["name", "run"], "registerService needs a name and run()");
    addOnce(this.services, service.name, { kind: "service", value: service });
  }

  registerTimer(timer: PluginTimer): void {
    requireParts(timer, ["name", "run"], "registerTimer needs a name, everyMs and run()");
    addOnce(this.timers, timer.name, { kind: "timer", value: timer });
  }

  registerRoute(route: PluginRoute): void {
    requireParts(route, ["path", "handler"], "registerRoute needs a path and a handler");
    addOnce(this.routes, route.path, { kind: "route", value: route });
  }

  registerPlatform(platform: PluginPlatform): void {
    requireParts(platform, ["name", "send"], "registerPlatform needs a name and send()");
    addOnce(this.platforms, platform.name, { kind: "platform", value: platform });
  }

  registerProvider(provider: PluginProvider): void {
    requireParts(
      provider,
      ["name", "stream"],
      "registerProvider needs a name, models and stream()",
    );
    addOnce(this.providers, provider.name, { kind: "provider", value: provider });
  }

  secret(name: string): string | undefined {
    return Object.hasOwn(this.#secrets, name) ? this.#secrets[name] : undefined;
  }

  deliver(message: InboundMessage): Promise<PushReceipt> {
    return this.#push({ kind: "message", message });
  }

  wake(request: WakeRequest): Promise<PushReceipt> {
    return this.#push({ kind: "wake", request });
  }

  notify(notice: SessionNotice): Promise<PushReceipt> {
    return this.#push({ kind: "notice", notice });
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

/** A registration has a text that names it and a function; plugins in JavaScript may forget either. */
function requireParts<T>(
  value: T | undefined,
  [name, method]: [name: keyof T, method: keyof T],
  message: string,
): void {
  if (typeof value?.[name] !== "string" || typeof value[method] !== "function") {
    throw new TypeError(message);
  }
}

function addOnce<T>(
  table: Map<string, T>,
  name: string,
  { kind, value }: { kind: string; value: T },
): void {
  if (table.has(name)) throw new TypeError(`${kind} "${name}" is registered twice`);
  table.set(name, value);
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
