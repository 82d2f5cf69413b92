/**
 * The two request formats of OpenAI as this program writes them. Types only. The fields that are
 * OpenAI's own are checked against the types of its npm package in `openai_wire_test.ts`; what
 * other servers of the same format added is marked.
 */
// deno-lint-ignore-file camelcase -- wire names
import type { JsonSchema } from "../protocol/json_schema.ts";
import type { ModelRequest } from "../protocol/provider.ts";

type Effort = NonNullable<ModelRequest["reasoningEffort"]>;
type ToolChoice = "auto" | "none";

export interface ChatBody {
  model: string;
  messages: ChatWireMessage[];
  stream: true;
  stream_options: { include_usage: true };
  tools?: ChatTool[];
  tool_choice?: ToolChoice;
  max_tokens?: number;
  max_completion_tokens?: number;
  reasoning_effort?: Effort;
  response_format?: {
    type: "json_schema";
    json_schema: { name: string; schema: JsonSchema };
  };
  /** OpenRouter and Nous. */
  reasoning?: { effort: Effort };
}

export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: JsonSchema };
}

export interface ChatTextPart {
  type: "text";
  text: string;
  /** Aggregators of Claude models. */
  cache_control?: { type: "ephemeral" };
}

export type ChatContentPart = ChatTextPart | { type: "image_url"; image_url: { url: string } };

export type ChatWireMessage =
  | { role: "system"; content: string | ChatTextPart[] }
  | { role: "user"; content: string | ChatContentPart[] }
  | { role: "tool"; tool_call_id: string; content: string | ChatTextPart[] }
  | ChatAssistant;

export interface ChatAssistant extends ChatEcho {
  role: "assistant";
  content: string | ChatTextPart[] | null;
  tool_calls?: ChatCall[];
}

export interface ChatCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  /** Gemini's thought signatures. */
  extra_content?: unknown;
}

/** Reasoning as servers of other vendors want it back. */
export interface ChatEcho {
  reasoning_content?: string;
  reasoning?: string;
  reasoning_details?: unknown[];
}

export interface ResponsesBody {
  model: string;
  instructions: string;
  input: ResponsesItem[];
  store: false;
  stream: true;
  tools?: ResponsesTool[];
  tool_choice?: ToolChoice;
  parallel_tool_calls?: true;
  max_output_tokens?: number;
  include?: "reasoning.encrypted_content"[];
  reasoning?: { summary?: "auto"; effort?: Effort };
  text?: {
    format: { type: "json_schema"; name: string; schema: JsonSchema; strict: false };
  };
}

export interface ResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: JsonSchema;
  strict: false;
}

export type ResponsesContent =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string };

export type ResponsesItem =
  | { role: "user"; content: ResponsesContent[] }
  | {
    type: "message";
    role: "assistant";
    content: { type: "output_text"; text: string }[];
  }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | ResponsesContent[] }
  | { type: "reasoning"; summary: unknown[]; encrypted_content: string };
