/**
 * What a surface says to open a session: plain data in three groups. Who asks, where the session
 * works, and how. The host turns it into a session; nothing else is needed.
 */
import type { ApprovalPolicy } from "./approval.ts";
import type { BusyPolicy } from "./operation.ts";
import type { SandboxMode } from "./sandbox.ts";

/** The conversation of a chat platform, an API client or a job that a session belongs to. */
export interface SessionOrigin {
  /** `telegram`, `github`, `cron`. */
  platform: string;
  chat?: string;
  thread?: string;
  user?: string;
}

/** Which questions reach the listeners of a session; policy decides the others at once. */
export type QuestionKinds = "none" | "approvals" | "all";

/** What background work does to an idle session: begins a turn, or waits for the next one. */
export type WakePolicy = "turn" | "hold";

/** What holds for every session of a surface unless its spec says otherwise. */
export interface SurfacePolicy {
  /** No person watches: the model is told so, and `approvals.headless` decides. */
  headless: boolean;
  questions: QuestionKinds;
  /** What becomes of input during a turn. */
  busy: BusyPolicy;
  wake: WakePolicy;
  /** The surface stays: services and timers of plugins run while one of its sessions is open. */
  serves?: boolean;
  /** Toolsets where `platform_toolsets` of the settings has none for the surface. */
  toolsets?: readonly string[];
}

export interface SessionSpec {
  /** Who asks: the name of the surface, a row of its policy table or none. */
  surface: string;
  origin?: SessionOrigin;

  /** Where it works: an environment (`docker`, `docker:IMAGE`, `ssh:HOST`); default the settings'. */
  environment?: string;
  /** Absent: the host's directory, or that of the session that is resumed. */
  cwd?: string;
  /** Walls around commands and file tools there; only on this machine. Default the settings'. */
  sandbox?: SandboxMode;
  /** The network of commands: `on`, `off`, `loopback`, or hosts with commas between. */
  network?: string;

  /** The settings decide what is absent. */
  model?: { name?: string; provider?: string; baseUrl?: string };
  /**
   * Whether the embedded model may answer where there is no other and it was not named; default
   * where a person watches.
   */
  offersOffline?: boolean;
  toolsets?: { enabled?: readonly string[]; disabled?: readonly string[] };
  approval?: {
    policy?: ApprovalPolicy;
    /** Default the surface's. */
    questions?: QuestionKinds;
    /** Ids of actions (`ApprovalRequest.id`) that may run one time without a question. */
    once?: readonly string[];
    /** Who may answer questions, as in `Operation.by`; absent: whoever reaches the session. */
    answerers?: readonly string[];
  };
  budget?: {
    /** Model calls per turn. */
    iterations?: number;
    tokens?: number;
    costUsd?: number;
    /** From the first turn on. */
    timeMs?: number;
  };
  /** A session id, the beginning of one, a title, or `latest`; `here`: of this directory only. */
  resume?: { session: string; here?: boolean };
  /** Text for the system prompt. */
  prompt?: string;
  /** Paths and addresses of plugins beside the enabled ones, and what is not confirmed yet. */
  extensions?: {
    plugins?: readonly string[];
    acceptPlugins?: boolean;
    acceptHooks?: boolean;
  };
  /** `none` keeps nothing on disk. */
  storage?: "durable" | "none";
  /** Files of recorded model traffic. */
  cassette?: { record?: string; replay?: string };
}
