/**
 * A plugin as the other layers see it: what its manifest says, and what an open set of plugins
 * adds to a session. `src/plugins` implements it, surfaces hand it to the session.
 */
import type { HookName, HookPayload } from "./hook.ts";
import type { Acknowledgement, Operation } from "./operation.ts";
import type { ModelInfo, Provider } from "./provider.ts";
import type { InboundMessage, OutboundMessage, PushReceipt, SentMessage } from "./push.ts";
import type { ToolFacts, ToolSpec } from "./tool.ts";

/**
 * What a plugin's hooks and prompt sections may learn or change of what is not its own. Without
 * any, a hook gets names, ids and times; calls of the plugin's own tools are always open to it.
 */
export const HOOK_RIGHTS = [
  "see_calls",
  "see_results",
  "see_messages",
  "change_calls",
  "guard",
  "add_context",
  "change_results",
  "change_answers",
] as const;

export type HookRight = typeof HOOK_RIGHTS[number];

/** What a plugin may do unasked in the sessions that use it: begin a turn, show a line. */
export const SESSION_RIGHTS = ["wake", "notify"] as const;

export type SessionRight = typeof SESSION_RIGHTS[number];

/** What of a plugin runs without a call: for as long as hermes does, or at times of its own. */
export const BACKGROUND_KINDS = ["services", "timers"] as const;

export type BackgroundKind = typeof BACKGROUND_KINDS[number];

/** What a plugin may do beyond computing; the default is nothing. */
export interface PluginPermissions {
  /** Hosts it may connect to: `api.example.com`, `api.example.com:443`, `127.0.0.1:8080`. */
  net: readonly string[];
  /** Files and folders it may read: absolute, `~/…`, or relative to the working directory. */
  read: readonly string[];
  write: readonly string[];
  /** Variables it may see. */
  env: readonly string[];
  /** Programs it may start. */
  run: readonly string[];
  /** What its hooks may see and do. */
  hooks: readonly HookRight[];
  /** Variables it gets over its socket; they are not in its environment. */
  secrets: readonly string[];
  /** What it may do unasked in sessions that use it. */
  sessions: readonly SessionRight[];
  /** Platforms from whose chats it brings messages, and to which it sends. */
  platforms: readonly string[];
  /** Names under which it answers as a model provider. */
  providers: readonly string[];
  /** Paths of hermes' HTTP ingress, below the plugin's own, at which it answers requests. */
  routes: readonly string[];
  background: readonly BackgroundKind[];
}

/** What a plugin may do that declares nothing. */
export const NO_PERMISSIONS: PluginPermissions = {
  net: [],
  read: [],
  write: [],
  env: [],
  run: [],
  hooks: [],
  secrets: [],
  sessions: [],
  platforms: [],
  providers: [],
  routes: [],
  background: [],
};

/** A setting a plugin understands. */
export interface PluginSetting {
  type: "string" | "number" | "boolean" | "list";
  description?: string | undefined;
  required?: boolean | undefined;
  default?: unknown;
}

export interface PluginManifest {
  name: string;
  version: string;
  description: string;
  author?: string | undefined;
  /** What it says it brings: tools, hooks, commands, skills. */
  provides: readonly string[];
  /** Variables without which it is not loaded; it may see them. */
  requiresEnv: readonly string[];
  permissions: PluginPermissions;
  config: Readonly<Record<string, PluginSetting>>;
  /** Makes Node's packages work without the permissions they ask for at their start. */
  nodeShim?: boolean | undefined;
}

/** Where hooks can be added: `Hooks` of the registry. */
export interface HookTarget {
  on(
    name: HookName,
    listener: (payload: HookPayload, signal: AbortSignal) => Promise<unknown> | unknown,
    options: { timeoutMs?: number; owner?: string },
  ): () => void;
}

/** Where tools can be added: the registry view of one session. */
export interface ToolTable {
  list(): ToolFacts[];
  facts(name: string): ToolFacts | undefined;
  register(spec: ToolSpec): boolean;
  withdraw(spec: ToolSpec): boolean;
}

/** A session as plugins reach it. */
export interface PluginSession {
  readonly id: string;
  submit(operation: Operation): Acknowledgement;
  /** Shows one line to those who watch. */
  tell(text: string): void;
}

/** Where messages from chats arrive; whoever routes chats to sessions implements it. */
export interface PluginInbox {
  /**
   * Takes a message. Resolves to `accepted` once the message is stored, also for one that was
   * stored before (`platform` and `id` are the same); until then the platform is not told.
   */
  deliver(message: InboundMessage, from: { plugin: string }): Promise<PushReceipt>;
}

/** What a platform can do, for whoever formats and splits what is sent. */
export interface PlatformFacts {
  name: string;
  /** Characters of one message. */
  maxChars: number;
  format: "plain" | "markdown" | "html";
  /** A message that was sent can be changed. */
  canEdit: boolean;
  /** People in the chat can be shown that an answer is being written. */
  canShowTyping: boolean;
}

/** A platform that a plugin brings, for those who send. Every call may reject with a `HermesError`. */
export interface PlatformHandle extends PlatformFacts {
  plugin: string;
  send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage>;
  edit(message: OutboundMessage & SentMessage, signal: AbortSignal): Promise<void>;
  showTyping(place: { chat: string; thread?: string }, signal: AbortSignal): Promise<void>;
}

/** A model provider that a plugin brings. */
export interface ProviderHandle {
  plugin: string;
  name: string;
  models: readonly ModelInfo[];
  /** @throws {HermesError} when the provider has no model of that id. */
  open(modelId: string): Provider;
}

export interface ServiceStatus {
  plugin: string;
  name: string;
  /** `waiting` is the pause before the next attempt; `ended` returned by itself and stays so. */
  state: "starting" | "running" | "waiting" | "ended" | "stopped";
  /** How often it was started again. */
  restarts: number;
  /** Why it waits. */
  reason?: string;
}

/** What plugins do without being called, for a surface that stays: chat, gateway, server. */
export interface PluginBackground {
  readonly platforms: readonly PlatformHandle[];
  readonly services: readonly ServiceStatus[];
  /** Paths of the HTTP ingress that are answered; `/*` at the end is everything below. */
  readonly routes: readonly string[];
  /** Answers a request to hermes' HTTP ingress whose path begins with `/plugins/`. */
  handle(request: Request): Promise<Response>;
  /** Ends services and timers; the plugins themselves stay. Safe to call twice. */
  close(): Promise<void>;
}

/** The plugins of one session. */
export interface SessionPlugins {
  /** A session is about to begin: starts the processes its first hooks need, and waits for none. */
  begin(): Promise<void>;
  /** Adds their tools to the session's table; call it once the built-in tools are known. */
  registerTools(table: ToolTable): void;
  /** Texts for the system prompt, in order. */
  readonly promptSections: readonly string[];
  readonly hasHooks: boolean;
  /** Adds their hooks, in the order of the plugins. */
  attachHooks(hooks: HookTarget): void;
  /** Lets plugins with the right to it reach the session, until the plugins are closed. */
  attach(session: PluginSession): void;
  /** Takes everything back and ends their processes. Safe to call twice. */
  close(): Promise<void>;
}

/** The plugins of a whole process, for whoever opens its sessions. */
export interface PluginServer {
  /** The model providers they bring. */
  providers(): Promise<readonly ProviderHandle[]>;
  /**
   * Starts services and timers and takes what plugins push; undefined, and nothing is loaded, where
   * no plugin declares any of that. For surfaces that stay; call it once.
   */
  serve(options?: { inbox?: PluginInbox }): Promise<PluginBackground | undefined>;
}
