/** What a session is made of, and the parts that only sessions have. `open.ts` supplies them. */
import type { LoopDeps } from "../agent/types.ts";
import type { ApprovalPolicy } from "../protocol/approval.ts";
import { EXIT } from "../protocol/error.ts";
import type { EndReason } from "../protocol/event.ts";
import type { HookName, HookPayload, HookRunner } from "../protocol/hook.ts";
import type { BusyPolicy } from "../protocol/operation.ts";
import type { SandboxMode } from "../protocol/sandbox.ts";
import type { SessionOrigin, WakePolicy } from "../protocol/session_spec.ts";
import type { ScriptCall } from "../store/record.ts";
import type { ImageBlobs } from "./images.ts";
import type { StartTimer } from "./timers.ts";

/** What a process exits with when its session ended so. */
export const EXIT_CODES: Record<EndReason, number> = {
  done: EXIT.done,
  failed: EXIT.failed,
  "needs_approval": EXIT.needsApproval,
  budget: EXIT.budget,
  provider: EXIT.provider,
  schema: EXIT.schema,
  interrupted: EXIT.interrupted,
};

/** The walls of a session, changed by a person at the surface, never by an operation. */
export interface SessionWallControl {
  readonly sandbox: SandboxMode;
  /** The name that people read: the mode, or the environment that is itself the wall. */
  readonly wallName: string;
  readonly network: string;
  changeWalls(choice: { sandbox?: SandboxMode; network?: string }): Promise<void>;
}

/** Everything of the loop but what belongs to one turn. */
export type SessionDeps = Omit<LoopDeps, "signal" | "inbox"> & {
  id: string;
  cwd: string;
  resumed: boolean;
  /** The name of the surface that opened it. */
  surface?: string;
  origin?: SessionOrigin;
  hooks: () => Promise<HookRunner | undefined>;
  images: () => ImageBlobs;
  logScriptCall: (call: ScriptCall) => void;
  /** Called once, when the first request is about to leave. */
  onFirstRequest: () => void;
  /** Notices of background work since the last call. */
  notices: () => string[];
  /** How events are stamped; a replay stamps them the same every time. */
  clock: EventClock;
  timer?: StartTimer;
  /** What becomes of input during a turn that does not say; default `queue`. */
  busy?: BusyPolicy;
  /** What background work does to an idle session; default `hold`. */
  wake?: WakePolicy;
  /** How long all turns may take. */
  timeMs?: number;
  /** Who may answer questions; absent: whoever submits an answer. */
  answerers?: readonly string[];
  /** The policy for actions that need a yes; a change holds from the next call on. */
  approvals?: { policy: ApprovalPolicy };
  /** The walls around commands, which a person may change from the next command on. */
  walls?: SessionWallControl;
  /** The model of later turns. @throws {HermesError} when there is none of that name. */
  findModel?: (name: string, provider?: string) => Promise<LoopDeps["providers"]>;
  /** Told of the model of later turns, so that it is kept. */
  onModel?: (model: { provider: string; model: string }) => void;
  commands?: SessionCommands;
  /** Makes what is sent smaller from the next request on. */
  compact?: (topic?: string) => Promise<void>;
  /** Lines to be told when it ends: what was given to it and not used. */
  leftOver?: () => string[];
  /** Stores how it ended; quick. */
  end: (reason: EndReason) => void;
  /** Frees processes, files and the store; nobody waits for it. */
  dispose: () => Promise<void>;
};

/** Commands by name that are no part of the conversation. */
export interface SessionCommands {
  has(name: string): boolean;
  /** Resolves to what is to be shown. */
  run(
    name: string,
    argument: string,
    use: { signal: AbortSignal; sessionId: string },
  ): Promise<string>;
}

export interface EventClock {
  now(): Date;
  /** Durations as they are, or constant. */
  duration(ms: number): number;
}

/** Tells observers, where there are any. */
export async function notifyHooks(
  { id, hooks }: Pick<SessionDeps, "id" | "hooks">,
  hook: { name: HookName; payload: Omit<HookPayload, "sessionId">; turn?: AbortSignal },
): Promise<void> {
  const runner = await hooks();
  if (!runner?.has(hook.name)) return;
  await runner.notify(hook.name, { ...hook.payload, sessionId: id }, hook.turn);
}
