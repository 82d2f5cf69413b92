/**
 * What the loop knows of a model: a stream of events that ends in one message or one
 * classified failure. Providers never throw through the stream.
 */
import type { JsonSchema } from "./json_schema.ts";
import type { AssistantMessage, Message } from "./message.ts";

/** A tool as the model sees it. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: JsonSchema;
}

export interface ModelRequest {
  system: string;
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
  /** `none` forbids tool calls although `tools` stays byte-stable for the prompt cache. */
  toolChoice?: "auto" | "none";
  maxOutputTokens?: number;
  /** `none` asks for no reasoning at all; absent leaves it to the model. */
  reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high";
  /** Ask the provider for output of this shape where it can; the caller still checks it. */
  outputSchema?: JsonSchema;
}

export type FailureKind =
  | "rate_limit"
  | "overloaded"
  | "network"
  | "timeout"
  | "overflow"
  | "auth"
  | "billing"
  | "not_found"
  | "content_filter"
  | "malformed"
  | "invalid_request"
  | "aborted";

/** What the loop should do about a failure. */
export type FailureAction = "retry" | "fallback" | "overflow" | "auth" | "fatal";

export interface ProviderFailure {
  kind: FailureKind;
  action: FailureAction;
  /** One line, secrets removed, names the host and what to do. */
  message: string;
  status?: number;
  retryAfterMs?: number;
}

export type ProviderEvent =
  | { type: "text_delta"; text: string }
  | { type: "reasoning_delta"; text: string }
  | { type: "tool_call_delta"; index: number; id: string; name: string; arguments: string }
  | { type: "end"; message: AssistantMessage }
  | { type: "failure"; failure: ProviderFailure };

/** Facts of one model that budgets and accounting need. Prices are US dollars per million tokens. */
export interface ModelInfo {
  id: string;
  contextTokens: number;
  maxOutputTokens?: number;
  inputPrice?: number;
  outputPrice?: number;
  cachedInputPrice?: number;
  cacheWritePrice?: number;
  reasoning?: boolean;
  images?: boolean;
}

export interface Provider {
  /** Catalog name: `openrouter`, `anthropic`, `offline`, … */
  readonly name: string;
  readonly model: ModelInfo;
  /**
   * Streams one answer. Yields deltas, then exactly one `end` or `failure`, then finishes.
   * Never throws; an abort ends in a `failure` of kind `aborted`.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
}

/** The only way providers reach the network; cassettes and the offline model are other implementations. */
export type WireFetch = (url: string, init: WireRequest) => Promise<Response>;

export interface WireRequest {
  method: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}
