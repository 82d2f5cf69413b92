/** An in-process `WireFetch` for unit tests of wire formats: keeps bodies, answers with given events. */
import assert from "node:assert/strict";
import type { ProviderOptions } from "../../src/providers/exchange.ts";
import type { AssistantMessage, Message } from "../../src/protocol/message.ts";
import type {
  ModelRequest,
  Provider,
  ProviderEvent,
  WireRequest,
} from "../../src/protocol/provider.ts";

export interface WireTrial {
  url: string;
  /** The JSON body that was sent. */
  // deno-lint-ignore no-explicit-any -- tests look into bodies of three wire formats
  body: any;
  headers: Record<string, string>;
  events: ProviderEvent[];
  /** The final message; fails the test when the stream ended in a failure. */
  message(): AssistantMessage;
}

/** Sends one request through a provider whose server answers with `data` as event lines. */
export async function tryWire(
  create: (options: ProviderOptions) => Provider,
  trial: {
    request?: Partial<ModelRequest>;
    options?: Partial<ProviderOptions>;
    data?: readonly unknown[];
  },
): Promise<WireTrial> {
  const sent: { url: string; init: WireRequest }[] = [];
  const lines = (trial.data ?? []).map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");
  const provider = create({
    name: "test",
    model: { id: "model-1", contextTokens: 1000, reasoning: true },
    baseUrl: "http://wire.invalid/v1",
    ...trial.options,
    wireFetch(url, init) {
      sent.push({ url, init });
      return trial.options?.wireFetch?.(url, init) ?? Promise.resolve(new Response(lines));
    },
  });
  const request = { system: "s", messages: [user("hi")], tools: [], ...trial.request };
  const events = await Array.fromAsync(provider.stream(request, new AbortController().signal));
  const { url, init } = sent[0]!;
  return {
    url,
    body: JSON.parse(init.body),
    headers: init.headers,
    events,
    message() {
      const last = events.at(-1);
      assert.ok(last?.type === "end", JSON.stringify(last));
      return last.message;
    },
  };
}

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** An assistant message of the provider under test. */
export function assistant(content: AssistantMessage["content"], provider = "test"): Message {
  return { role: "assistant", content, stopReason: "end", provider, model: "model-1" };
}
