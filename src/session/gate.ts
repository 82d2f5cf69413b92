/**
 * The approval gate of a session. The rules and the shell parser behind it are loaded with the
 * first command, not with the session.
 */
import type { Settings } from "../config/load.ts";
import type {
  ApprovalContext,
  ApprovalGate,
  ApprovalOutcome,
  ApprovalPolicy,
  ApprovalRequest,
  Approver,
} from "../protocol/approval.ts";
import type { HookRunner } from "../protocol/hook.ts";
import { type AssistantMessage, messageText } from "../protocol/message.ts";
import type { Provider } from "../protocol/provider.ts";

export interface GateOptions {
  settings: Settings;
  headless: boolean;
  sessionId: string;
  approve?: ApprovalPolicy;
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
  /** Told of a rule that was allowed for good. */
  onRemember?: (rule: string) => void;
  /** Told which call a person is asked about; undefined when the question is over. */
  asking: (callId: string | undefined) => void;
  /** Commands reach this machine itself. */
  sharesHost: boolean;
}

const REVIEW_TOKENS = 512;
const TIMEOUT_MARGIN_MS = 5_000;

/** A gate that loads itself. */
export function createGate(options: GateOptions): ApprovalGate {
  let loading: Promise<ApprovalGate> | undefined;
  const gate = () => loading ??= load(options);
  const asking = options.approver === undefined ? undefined : options.asking;
  return {
    checkCommand: (command, context) =>
      whileAsking(context, {
        asking,
        check: async (followed) => (await gate()).checkCommand(command, followed),
      }),
    checkAction: (request, context) =>
      whileAsking(context, {
        asking,
        check: async (followed) => (await gate()).checkAction(request, followed),
      }),
  };
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

async function load(options: GateOptions): Promise<ApprovalGate> {
  const { settings, approver, hooks, processEnv: env } = options;
  const [{ createApprovalGate }, { hostDisk }, { effectivePolicy }, found] = await Promise.all([
    import("../approval/gate.ts"),
    import("./host_disk.ts"),
    import("../approval/policy.ts"),
    import("./protected_places.ts"),
  ]);
  const [places, programs] = await Promise.all([
    found.protectedPlaces({ home: settings.home, userHome: options.userHome, env }),
    found.hermesPrograms(env),
  ]);
  const { approvals, command_allowlist: allowlist } = settings.config;
  return createApprovalGate({
    sessionId: options.sessionId,
    policy: effectivePolicy({
      mode: approvals.mode,
      headless: approvals.headless,
      flag: options.approve,
      interactive: !options.headless,
    }),
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
    async remember(rule) {
      await remember(settings, rule);
      options.onRemember?.(rule);
    },
    smart: {
      review: async (prompt, signal) => await review(options, { prompt, signal }),
      operatorRules: approvals.smart_policy,
    },
    notify: (name, payload, turn) => hooks.notify(name, payload, turn),
    redact: options.redact,
    denialLimit: approvals.denial_breaker_threshold,
  });
}

/** Adds a rule to `command_allowlist` for good. */
async function remember(settings: Settings, rule: string): Promise<void> {
  const { editConfig } = await import("../config/edit.ts");
  await editConfig(settings.home, {
    key: "command_allowlist",
    change: (current) => [...new Set([...(Array.isArray(current) ? current : []), rule])],
  });
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
