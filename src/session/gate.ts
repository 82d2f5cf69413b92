/**
 * The approval gate of a session. The rules and the shell parser behind it are loaded with the
 * first command, not with the session.
 */
import type { SessionGate } from "../approval/gate.ts";
import type { ProjectPlace } from "../approval/grant_memory.ts";
import type { Settings } from "../config/load.ts";
import type {
  ApprovalContext,
  ApprovalOutcome,
  ApprovalPolicy,
  ApprovalRequest,
  Approver,
  EffectfulCall,
  WantedGrant,
} from "../protocol/approval.ts";
import type { Grant } from "../protocol/grant.ts";
import type { HookRunner } from "../protocol/hook.ts";
import type { InsideWalls } from "../approval/rules/inside_walls.ts";
import { type AssistantMessage, messageText } from "../protocol/message.ts";
import type { Provider } from "../protocol/provider.ts";
import { projectRoot } from "../util/project_root.ts";

export interface GateOptions {
  settings: Settings;
  sessionId: string;
  /** The policy for actions that need a yes, until it is changed. */
  approve: ApprovalPolicy;
  approveOnce: Set<string>;
  approver?: Approver;
  reviewer: () => Promise<Provider>;
  /** Accounts for what a review cost. */
  spend: (message: AssistantMessage) => void;
  hooks: HookRunner;
  /** What `~` means in commands. */
  userHome: string;
  /** The variables hermes was started with. */
  processEnv: Readonly<Record<string, string>>;
  redact: (text: string) => string;
  /** Told which call a person is asked about; undefined when the question is over. */
  asking: (callId: string | undefined) => void;
  /** Commands reach this machine itself. */
  sharesHost: boolean;
  /** Told of a yes that lasts longer than once. */
  onGranted?: (grant: Grant) => void;
  /** The walls around commands, once they stand. */
  walls?: () => Promise<InsideWalls | undefined>;
}

const REVIEW_TOKENS = 512;
const TIMEOUT_MARGIN_MS = 5_000;

/** A gate that loads itself. */
export function createGate(options: GateOptions): SessionGate {
  return new LazyGate(options);
}

class LazyGate implements SessionGate {
  readonly #options: GateOptions;
  #policy: ApprovalPolicy;
  #loading: Promise<SessionGate> | undefined;
  #loaded: SessionGate | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#policy = options.approve;
  }

  get policy(): ApprovalPolicy {
    return this.#policy;
  }

  set policy(policy: ApprovalPolicy) {
    this.#policy = policy;
    if (this.#loaded !== undefined) this.#loaded.policy = policy;
  }

  get judgesEffects(): boolean {
    return this.#policy === "ask-all" || this.#policy === "plan";
  }

  checkCommand(command: string, context: ApprovalContext): Promise<ApprovalOutcome> {
    return this.#check(context, (gate, followed) => gate.checkCommand(command, followed));
  }

  checkAction(request: ApprovalRequest, context: ApprovalContext): Promise<ApprovalOutcome> {
    return this.#check(context, (gate, followed) => gate.checkAction(request, followed));
  }

  checkGrant(wanted: WantedGrant, context: ApprovalContext): Promise<ApprovalOutcome> {
    return this.#check(context, (gate, followed) => gate.checkGrant(wanted, followed));
  }

  checkEffects(call: EffectfulCall, context: ApprovalContext): Promise<ApprovalOutcome> {
    return this.#check(context, (gate, followed) => gate.checkEffects!(call, followed));
  }

  #check(
    context: ApprovalContext,
    check: (gate: SessionGate, context: ApprovalContext) => Promise<ApprovalOutcome>,
  ): Promise<ApprovalOutcome> {
    const { approver, asking } = this.#options;
    return whileAsking(context, {
      asking: approver === undefined ? undefined : asking,
      check: async (followed) => await check(await (this.#loading ??= this.#load()), followed),
    });
  }

  async #load(): Promise<SessionGate> {
    this.#loaded = await load(this.#options, this.#policy);
    // The policy may have changed meanwhile.
    this.#loaded.policy = this.#policy;
    return this.#loaded;
  }
}

/** Tells which call a person is asked about, and that it is over before the call goes on. */
async function whileAsking(
  context: ApprovalContext,
  { asking, check }: {
    asking: GateOptions["asking"] | undefined;
    check(context: ApprovalContext): Promise<ApprovalOutcome>;
  },
): Promise<ApprovalOutcome> {
  if (asking === undefined) return await check(context);
  let isAsked = false;
  const asked = (request: ApprovalRequest) => {
    isAsked = true;
    asking(context.callId);
    context.asked?.(request);
  };
  try {
    return await check({ ...context, asked });
  } finally {
    if (isAsked) asking(undefined);
  }
}

async function load(options: GateOptions, policy: ApprovalPolicy): Promise<SessionGate> {
  const { settings, approver, hooks, processEnv: env } = options;
  const [{ createApprovalGate }, { GrantFile, GRANTS_FILE }, { hostDisk }, found] = await Promise
    .all([
      import("../approval/gate.ts"),
      import("../approval/grant_store.ts"),
      import("./host_disk.ts"),
      import("./protected_places.ts"),
    ]);
  const [places, programs] = await Promise.all([
    found.protectedPlaces({ home: settings.home, userHome: options.userHome, env }),
    found.hermesPrograms(env),
  ]);
  const { approvals, command_allowlist: allowlist } = settings.config;
  return createApprovalGate({
    sessionId: options.sessionId,
    policy,
    approver,
    rules: {
      denyGlobs: approvals.deny,
      allowlist,
      home: options.userHome,
      places,
      hermesPrograms: programs,
      disk: hostDisk(),
      sudoPassword: settings.env("SUDO_PASSWORD") !== undefined,
    },
    // A container that was given the host is no container.
    ...(options.sharesHost ? { isIsolated: () => false } : {}),
    // The question ends by itself; this is for an approver that forgets to.
    timeoutMs: approvals.timeout * 1000 + TIMEOUT_MARGIN_MS,
    once: options.approveOnce,
    store: new GrantFile(settings.home.path(GRANTS_FILE)),
    projectOf: (context) => projectOf(context, { ...options, homes: places.homes }),
    onKept: options.onGranted,
    ...options.walls === undefined ? {} : { walls: options.walls },
    smart: {
      review: async (prompt, signal) => await review(options, { prompt, signal }),
      operatorRules: approvals.smart_policy,
    },
    notify: (name, payload, turn) => hooks.notify(name, payload, turn),
    redact: options.redact,
    denialLimit: approvals.denial_breaker_threshold,
  });
}

/**
 * The project of a call: the git work tree around its directory. Elsewhere the directory itself on
 * that host; the machine of a cloud or a container may be another one the next time.
 */
function projectOf(
  { environment, cwd, realCwd }: ApprovalContext,
  { settings, homes }: GateOptions & { homes: readonly string[] },
): ProjectPlace {
  if (environment === "local") {
    return { name: projectRoot(realCwd ?? cwd, { homes }), isLasting: true };
  }
  const { ssh_host: host, ssh_user: user } = settings.config.terminal;
  if (environment !== "ssh" || host === "") {
    return { name: `${environment}:${cwd}`, isLasting: false };
  }
  return { name: `ssh:${user === "" ? "" : `${user}@`}${host}:${cwd}`, isLasting: true };
}

/** Asks the model one question outside the conversation. Empty when it fails, which is no approval. */
async function review(
  { reviewer, spend }: GateOptions,
  question: { prompt: string; signal: AbortSignal },
): Promise<string> {
  const request = {
    system: "",
    messages: [{
      role: "user" as const,
      content: [{ type: "text" as const, text: question.prompt }],
    }],
    tools: [],
    maxOutputTokens: REVIEW_TOKENS,
  };
  const provider = await reviewer();
  for await (const event of provider.stream(request, question.signal)) {
    if (event.type !== "end") continue;
    spend(event.message);
    return messageText(event.message);
  }
  return "";
}
