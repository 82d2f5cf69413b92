/** What a plugin's process and hermes say to each other: one JSON object a message. Types only. */
import type { HookName } from "../protocol/hook.ts";
import type { PlatformFacts } from "../protocol/plugin.ts";
import type { ModelInfo, ModelRequest } from "../protocol/provider.ts";
import type { PushEvent, PushReceipt } from "../protocol/push.ts";

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
  readOnly?: boolean;
  override?: boolean;
  /** The tool has a `check` that must be asked. */
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

export interface ServiceRecord {
  name: string;
  /** The service has a `health` that can be asked. */
  checked?: boolean;
}

export interface TimerRecord {
  name: string;
  everyMs: number;
}

export interface RouteRecord {
  path: string;
  methods: string[];
}

export interface ProviderRecord {
  name: string;
  models: ModelInfo[];
}

/** What `register(ctx)` has registered, as data. */
export interface Registrations {
  tools: ToolRecord[];
  hooks: HookRecord[];
  commands: CommandRecord[];
  skills: SkillRecord[];
  sections: SectionRecord[];
  services: ServiceRecord[];
  timers: TimerRecord[];
  routes: RouteRecord[];
  platforms: PlatformFacts[];
  providers: ProviderRecord[];
}

/** A request to the HTTP ingress, as data; `body` is base64. */
export interface RouteRequest {
  method: string;
  url: string;
  headers: [string, string][];
  body: string;
}

export interface RouteResponse {
  status: number;
  headers: [string, string][];
  /** Base64. */
  body: string;
}

export type PlatformAction = "send" | "edit" | "showTyping";

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
  | { kind: "command"; name: string; argument: string; facts: CallFacts }
  /** Answered when the service ends; `ready` comes before. */
  | { kind: "service"; name: string }
  | { kind: "health"; name: string }
  | { kind: "timer"; name: string }
  | { kind: "route"; path: string; request: RouteRequest }
  | { kind: "platform"; name: string; action: PlatformAction; message: unknown }
  /** Each event is a `chunk`; the answer comes after the last one. */
  | { kind: "model"; name: string; request: ModelRequest & { model: string } };

export type HostMessage =
  | {
    t: "register";
    /** URL of the entry module. */
    main: string;
    name: string;
    version: string;
    config: Record<string, unknown>;
    dataDir: string;
    /** Values of `permissions.secrets`. */
    secrets: Record<string, string>;
    /** Certificates in PEM that the operator trusts for this plugin. */
    caCerts: string[];
    nodeShim: boolean;
  }
  | { t: "ask"; id: number; question: Question }
  | { t: "cancel"; id: number }
  /** What became of an event of that number. */
  | { t: "ack"; seq: number; receipt: PushReceipt }
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
  | { t: "ready"; id: number }
  | { t: "chunk"; id: number; value: unknown }
  | { t: "event"; seq: number; event: PushEvent }
  | { t: "log"; text: string }
  | { t: "pong" };
