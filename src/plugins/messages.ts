/** What a plugin's process and hermes say to each other: one JSON object a message. Types only. */
import type { HookName } from "../protocol/hook.ts";

/** Everything about a tool but its code. */
export interface ToolRecord {
  name: string;
  description: string;
  schema: Record<string, unknown>;
  emoji?: string;
  timeoutMs?: number;
  maxResultChars?: number;
  parallel?: boolean;
  idempotent?: boolean;
  untrusted?: boolean;
  override?: boolean;
  /** It has a `check` that must be asked. */
  checked?: boolean;
}

export interface HookRecord {
  name: HookName;
  /** Its place among all hooks the plugin registers. */
  index: number;
  timeoutMs?: number;
}

export interface CommandRecord {
  name: string;
  description: string;
  args?: string;
}

export interface SkillRecord {
  name: string;
  description: string;
  content?: string;
  path?: string;
}

export interface SectionRecord {
  id: string;
  text: string;
}

/** What `register(ctx)` has registered, as data. */
export interface Registrations {
  tools: ToolRecord[];
  hooks: HookRecord[];
  commands: CommandRecord[];
  skills: SkillRecord[];
  sections: SectionRecord[];
}

/** What a call is about, for the handler's `PluginCall`. */
export interface CallFacts {
  callId: string;
  sessionId: string;
  taskId: string;
}

/** What hermes asks; each is answered by a `result` of the same id. */
export type Question =
  | { kind: "tool"; name: string; args: unknown; facts: CallFacts }
  | { kind: "check"; name: string }
  | { kind: "hook"; index: number; payload: unknown }
  | { kind: "command"; name: string; argument: string; facts: CallFacts };

export type HostMessage =
  | {
    t: "register";
    /** URL of the entry module. */
    main: string;
    name: string;
    version: string;
    config: Record<string, unknown>;
    dataDir: string;
  }
  | { t: "ask"; id: number; question: Question }
  | { t: "cancel"; id: number }
  | { t: "ping" };

export interface GuestFailure {
  message: string;
  /** Present for a `ToolError`: more keys for the result. */
  extra?: Record<string, unknown>;
}

export type GuestMessage =
  | { t: "registered"; registrations: Registrations }
  | { t: "failed"; message: string }
  | { t: "result"; id: number; value: unknown }
  | { t: "result"; id: number; failure: GuestFailure }
  | { t: "progress"; id: number; text: string }
  | { t: "log"; text: string }
  | { t: "pong" };
