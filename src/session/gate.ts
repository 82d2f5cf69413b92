/**
 * The approval gate of a session. The rules and the shell parser behind it are loaded with the
 * first command, not with the session.
 */
import type { Settings } from "../config/load.ts";
import type { ApprovalGate, ApprovalPolicy, Approver } from "../protocol/approval.ts";
import type { HookRunner } from "../protocol/hook.ts";
import { messageText } from "../protocol/message.ts";
import type { Provider } from "../protocol/provider.ts";

export interface GateOptions {
  settings: Settings;
  source: "run" | "chat";
  sessionId: string;
  approve?: ApprovalPolicy;
  approver?: Approver;
  reviewer: Provider;
  hooks: HookRunner;
}

const REVIEW_TOKENS = 512;

/** A gate that loads itself. */
export function createGate(options: GateOptions): ApprovalGate {
  let loading: Promise<ApprovalGate> | undefined;
  const gate = () => loading ??= load(options);
  return {
    checkCommand: async (command, context) => (await gate()).checkCommand(command, context),
    checkAction: async (request, context) => (await gate()).checkAction(request, context),
  };
}

/** Asks the model one question outside the conversation. Empty when it fails: nobody said yes. */
async function review(
  provider: Provider,
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
  for await (const event of provider.stream(request, question.signal)) {
    if (event.type === "end") return messageText(event.message);
  }
  return "";
}
