/**
 * A plugin as the other layers see it: what its manifest says, and what an open set of plugins
 * adds to a session. `src/plugins` implements it, surfaces hand it to the session.
 */
import type { HookName, HookPayload } from "./hook.ts";
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
}

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
  facts(name: string): ToolFacts | undefined;
  register(spec: ToolSpec): boolean;
  withdraw(spec: ToolSpec): boolean;
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
  /** Takes everything back and ends their processes. Safe to call twice. */
  close(): Promise<void>;
}
