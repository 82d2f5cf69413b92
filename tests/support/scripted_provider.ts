/** A provider that answers from a script, for tests of the loop. Records every request. */
import type { AssistantMessage, AssistantPart, StopReason } from "../../src/protocol/message.ts";
import type {
  ModelRequest,
  Provider,
  ProviderEvent,
  ProviderFailure,
} from "../../src/protocol/provider.ts";

export interface ScriptedReply {
  text?: string;
  reasoning?: string;
  calls?: { id?: string; name: string; arguments: unknown }[];
  stop?: StopReason;
  failure?: ProviderFailure;
  tokens?: { input: number; output: number; costUsd?: number };
  /** Streams the text, then waits for the abort. */
  hang?: boolean;
}

export class ScriptedProvider implements Provider {
  readonly name: string;
  readonly model = { id: "scripted-1", contextTokens: 100_000 };
  readonly requests: ModelRequest[] = [];
  #replies: ScriptedReply[];

  constructor(replies: ScriptedReply[], name = "scripted") {
    this.#replies = [...replies];
    this.name = name;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    this.requests.push({ ...request, messages: [...request.messages] });
    const reply = this.#replies.shift();
    if (reply === undefined) {
      yield {
        type: "failure",
        failure: {
          action: "fatal",
          kind: "invalid_request",
          message: "the script has no further reply",
        },
      };
      return;
    }
    if (reply.reasoning) yield { type: "reasoning_delta", text: reply.reasoning };
    if (reply.text) yield { type: "text_delta", text: reply.text };
    if (reply.hang) {
      await new Promise<void>((resolve) =>
        signal.aborted
          ? resolve()
          : signal.addEventListener("abort", () => resolve(), { once: true })
      );
      yield { type: "failure", failure: { action: "fatal", kind: "aborted", message: "aborted" } };
      return;
    }
    if (reply.failure) {
      yield { type: "failure", failure: reply.failure };
      return;
    }
    yield { type: "end", message: this.#message(reply) };
  }

  #message(reply: ScriptedReply): AssistantMessage {
    const content: AssistantPart[] = [];
    if (reply.reasoning) content.push({ type: "reasoning", text: reply.reasoning });
    if (reply.text) content.push({ type: "text", text: reply.text });
    for (const [index, call] of (reply.calls ?? []).entries()) {
      content.push({
        type: "tool_call",
        id: call.id ?? `call_${this.requests.length}_${index}`,
        name: call.name,
        arguments: typeof call.arguments === "string"
          ? call.arguments
          : JSON.stringify(call.arguments),
      });
    }
    return {
      role: "assistant",
      content,
      stopReason: reply.stop ?? (reply.calls ? "tool_calls" : "end"),
      provider: this.name,
      model: this.model.id,
      usage: {
        inputTokens: reply.tokens?.input ?? 10,
        outputTokens: reply.tokens?.output ?? 5,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        ...(reply.tokens?.costUsd === undefined ? {} : { costUsd: reply.tokens.costUsd }),
      },
    };
  }
}
