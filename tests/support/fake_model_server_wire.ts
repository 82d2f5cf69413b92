/** What the fake model server sends: one scripted reply in each of the three wire formats. */
// deno-lint-ignore-file camelcase -- wire names

export type WireName = "chat" | "responses" | "anthropic";

export interface ReplyToolCall {
  id?: string;
  name: string;
  /** An object is sent as JSON; text as it is, also when it is broken. */
  arguments: Record<string, unknown> | string;
}

export interface ReplyUsage {
  input: number;
  output: number;
  cached?: number;
  /** Dollars, as OpenRouter states them; Chat Completions only. */
  cost?: number;
  cacheWrite?: number;
  reasoning?: number;
}

/** The answer of a model, independent of the wire. */
export interface ReplyContent {
  /** A list is sent as one delta per entry. */
  text?: string | string[];
  reasoning?: string;
  /** What the provider wants back with the reasoning: signature, encrypted content or details. */
  signature?: string;
  toolCalls?: ReplyToolCall[];
  usage?: ReplyUsage;
  finish?: "end" | "tool_calls" | "length" | "content_filter";
}

interface Piece {
  event?: string;
  data: unknown;
}

/** The format a request path belongs to. */
export function wireOfPath(path: string): WireName | undefined {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/responses")) return "responses";
  return path.endsWith("/messages") ? "anthropic" : undefined;
}

/** The events of a complete streamed answer, each with its framing. */
export function toEvents(wire: WireName, reply: ReplyContent): string[] {
  const pieces = { chat: chatPieces, responses: responsesPieces, anthropic: anthropicPieces }[wire](
    reply,
  );
  const events = pieces.map(({ event, data }) =>
    `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`
  );
  return wire === "chat" ? [...events, "data: [DONE]\n\n"] : events;
}

/** The same answer as one JSON object. */
export function toJson(wire: WireName, reply: ReplyContent): unknown {
  const text = texts(reply).join("");
  const calls = toolCalls(reply);
  if (wire === "chat") {
    const message = {
      role: "assistant",
      content: text || null,
      ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(chatCall) }),
    };
    return {
      choices: [{ index: 0, message, finish_reason: chatFinish(reply) }],
      usage: chatUsage(reply),
    };
  }
  if (wire === "responses") return responsesObject(reply);
  return {
    type: "message",
    role: "assistant",
    content: anthropicBlocks(reply),
    stop_reason: anthropicStop(reply),
    usage: anthropicUsage(reply),
  };
}

/** An error that arrives inside a stream that began well. */
export function toErrorEvent(wire: WireName, error: { code: string; message: string }): string {
  const data = wire === "chat"
    ? { error: { code: error.code, message: error.message } }
    : wire === "responses"
    ? { type: "error", code: error.code, message: error.message }
    : { type: "error", error: { type: error.code, message: error.message } };
  return `data: ${JSON.stringify(data)}\n\n`;
}

function texts(reply: ReplyContent): string[] {
  return typeof reply.text === "string" ? [reply.text] : reply.text ?? [];
}

function toolCalls(reply: ReplyContent): Required<ReplyToolCall & { arguments: string }>[] {
  return (reply.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${index}`,
    name: call.name,
    arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  }));
}

/** Arguments always travel in two pieces, as real servers cut them anywhere. */
function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function defaultFinish(reply: ReplyContent): NonNullable<ReplyContent["finish"]> {
  return reply.finish ?? (reply.toolCalls?.length ? "tool_calls" : "end");
}

function chatFinish(reply: ReplyContent): string {
  const finish = defaultFinish(reply);
  return finish === "end" ? "stop" : finish;
}

function chatUsage({ usage }: ReplyContent): unknown {
  if (usage === undefined) return undefined;
  return {
    ...(usage.cost === undefined ? {} : { cost: usage.cost }),
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cached ?? 0,
      cache_write_tokens: usage.cacheWrite ?? 0,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}

function chatCall(call: { id: string; name: string; arguments: string }, index: number): unknown {
  const { name, arguments: args } = call;
  return { index, id: call.id, type: "function", function: { name, arguments: args } };
}

function chatPieces(reply: ReplyContent): Piece[] {
  const deltas: unknown[] = [{ role: "assistant", content: "" }];
  if (reply.reasoning !== undefined) {
    const details = reply.signature === undefined ? undefined : [{
      type: "reasoning.text",
      text: reply.reasoning,
      signature: reply.signature,
      index: 0,
    }];
    deltas.push({ reasoning_content: reply.reasoning, reasoning_details: details });
  }
  for (const text of texts(reply)) deltas.push({ content: text });
  for (const [index, call] of toolCalls(reply).entries()) {
    deltas.push({ tool_calls: [chatCall({ ...call, arguments: "" }, index)] });
    for (const half of halves(call.arguments)) {
      deltas.push({ tool_calls: [{ index, function: { arguments: half } }] });
    }
  }
  const pieces: Piece[] = deltas.map((delta) => ({
    data: { object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] },
  }));
  pieces.push({ data: { choices: [{ index: 0, delta: {}, finish_reason: chatFinish(reply) }] } });
  if (reply.usage) pieces.push({ data: { choices: [], usage: chatUsage(reply) } });
  return pieces;
}

function responsesItems(reply: ReplyContent): Record<string, unknown>[] {
  const items: Record<string, unknown>[] = [];
  if (reply.reasoning !== undefined) {
    items.push({
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: reply.reasoning }],
      encrypted_content: reply.signature,
    });
  }
  const text = texts(reply).join("");
  if (text !== "") {
    const content = [{ type: "output_text", text, annotations: [] }];
    items.push({ type: "message", id: "msg_1", role: "assistant", content });
  }
  for (const call of toolCalls(reply)) {
    const { id, name, arguments: args } = call;
    items.push({ type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: args });
  }
  return items;
}

function responsesObject(reply: ReplyContent): Record<string, unknown> {
  const finish = defaultFinish(reply);
  const incomplete = finish === "length" || finish === "content_filter";
  const { usage } = reply;
  return {
    object: "response",
    status: incomplete ? "incomplete" : "completed",
    incomplete_details: incomplete
      ? { reason: finish === "length" ? "max_output_tokens" : "content_filter" }
      : null,
    output: responsesItems(reply),
    usage: usage && {
      input_tokens: usage.input,
      output_tokens: usage.output,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    },
  };
}

function responsesPieces(reply: ReplyContent): Piece[] {
  const response = responsesObject(reply);
  const data: Record<string, unknown>[] = [{ type: "response.created", response: {} }];
  for (const [output_index, item] of responsesItems(reply).entries()) {
    const add = (type: string, delta: string) => data.push({ type, output_index, delta });
    const started = item["type"] === "function_call" ? { ...item, arguments: "" } : item;
    data.push({ type: "response.output_item.added", output_index, item: started });
    if (item["type"] === "reasoning") {
      add("response.reasoning_summary_text.delta", reply.reasoning ?? "");
    }
    if (item["type"] === "message") {
      for (const text of texts(reply)) add("response.output_text.delta", text);
    }
    if (item["type"] === "function_call") {
      for (const half of halves(String(item["arguments"]))) {
        add("response.function_call_arguments.delta", half);
      }
    }
    data.push({ type: "response.output_item.done", output_index, item });
  }
  const status = String(response["status"]);
  data.push({ type: `response.${status}`, response });
  return data.map((entry) => ({ event: String(entry["type"]), data: entry }));
}

function anthropicStop(reply: ReplyContent): string {
  const names = { end: "end_turn", tool_calls: "tool_use", length: "max_tokens" } as const;
  const finish = defaultFinish(reply);
  return finish === "content_filter" ? "refusal" : names[finish];
}

function anthropicUsage({ usage }: ReplyContent): Record<string, unknown> | undefined {
  if (usage === undefined) return undefined;
  const cached = usage.cached ?? 0;
  const written = usage.cacheWrite ?? 0;
  return {
    input_tokens: usage.input - cached - written,
    output_tokens: usage.output,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
  };
}

function anthropicBlocks(reply: ReplyContent): Record<string, unknown>[] {
  const blocks: Record<string, unknown>[] = [];
  if (reply.reasoning !== undefined) {
    blocks.push({ type: "thinking", thinking: reply.reasoning, signature: reply.signature ?? "" });
  }
  const text = texts(reply).join("");
  if (text !== "") blocks.push({ type: "text", text });
  for (const call of toolCalls(reply)) {
    const input = JSON.parse(call.arguments || "{}");
    blocks.push({ type: "tool_use", id: call.id, name: call.name, input });
  }
  return blocks;
}

function anthropicPieces(reply: ReplyContent): Piece[] {
  const usage = anthropicUsage(reply);
  const data: Record<string, unknown>[] = [
    { type: "message_start", message: { role: "assistant", content: [], usage } },
  ];
  let index = 0;
  const block = (content_block: unknown, deltas: unknown[]) => {
    data.push({ type: "content_block_start", index, content_block });
    for (const delta of deltas) data.push({ type: "content_block_delta", index, delta });
    data.push({ type: "content_block_stop", index: index++ });
  };
  if (reply.reasoning !== undefined) {
    block({ type: "thinking", thinking: "" }, [
      { type: "thinking_delta", thinking: reply.reasoning },
      { type: "signature_delta", signature: reply.signature ?? "" },
    ]);
  }
  if (texts(reply).length > 0) {
    const deltas = texts(reply).map((text) => ({ type: "text_delta", text }));
    block({ type: "text", text: "" }, deltas);
  }
  for (const { id, name, arguments: args } of toolCalls(reply)) {
    const deltas = halves(args).map((half) => ({ type: "input_json_delta", partial_json: half }));
    block({ type: "tool_use", id, name, input: {} }, deltas);
  }
  const delta = { stop_reason: anthropicStop(reply) };
  data.push({ type: "message_delta", delta, usage: { output_tokens: reply.usage?.output ?? 0 } });
  data.push({ type: "message_stop" });
  return data.map((entry) => ({ event: String(entry["type"]), data: entry }));
}
