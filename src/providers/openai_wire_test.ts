/**
 * What the wire files write and read is what OpenAI's own package says it is. The checks are types:
 * `deno check` fails where the formats differ, and nothing of the package is loaded.
 */
import assert from "node:assert/strict";
import type { OpenAI } from "../deps/openai_types.ts";
import type { ChatChunk, ChatUsage } from "./openai_chat.ts";
import type { ResponsesEvent, ResponsesUsage } from "./openai_responses.ts";
import type { ChatAssistant, ChatBody, ChatEcho, ChatWireMessage } from "./openai_wire.ts";
import type { ResponsesBody, ResponsesContent, ResponsesItem } from "./openai_wire.ts";

/** Compiles only when every `Ours` may stand where `Theirs` is wanted. */
type Fits<Ours extends Theirs, Theirs> = Ours;

/** Every key of ours that theirs does not have: none may be left over unnoticed. */
type Strange<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs>;

type ChatParams = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;
type ResponsesParams = OpenAI.Responses.ResponseCreateParamsStreaming;

/** Fields that other servers of the format understand are left out of the comparison. */
type OwnMessage = Exclude<ChatWireMessage, ChatAssistant> | Omit<ChatAssistant, keyof ChatEcho>;

/**
 * The package wants ids in what comes back to the server. Nothing is stored there, so there is none
 * to name, and the server asks for none: reasoning and answers are compared without it.
 */
type OwnItem = Extract<ResponsesItem, { type: "function_call" }>;
type OwnReasoning = Extract<ResponsesItem, { type: "reasoning" }>;
/** The package wants `detail`, which the server takes for `auto` where it is absent. */
type OwnImage = Extract<ResponsesContent, { type: "input_image" }> & { detail: "auto" };
type OwnContent = Exclude<ResponsesContent, { type: "input_image" }> | OwnImage;

interface Checks {
  chatBody: Fits<Omit<ChatBody, "reasoning" | "messages">, Omit<ChatParams, "messages">>;
  chatMessage: Fits<OwnMessage, OpenAI.Chat.Completions.ChatCompletionMessageParam>;
  chatFields: Fits<Strange<ChatBody, ChatParams>, "reasoning">;
  chatChunk: Fits<
    Pick<OpenAI.Chat.Completions.ChatCompletionChunk, "choices" | "usage">,
    ChatChunk
  >;
  chatUsage: Fits<OpenAI.CompletionUsage, ChatUsage>;
  responsesBody: Fits<Omit<ResponsesBody, "input">, Omit<ResponsesParams, "input">>;
  responsesItem: Fits<OwnItem, OpenAI.Responses.ResponseInputItem>;
  responsesContent: Fits<OwnContent, OpenAI.Responses.ResponseInputContent>;
  responsesUser: Fits<
    Omit<Extract<ResponsesItem, { role: "user" }>, "content">,
    Omit<OpenAI.Responses.EasyInputMessage, "content">
  >;
  responsesResult: Fits<
    Omit<Extract<ResponsesItem, { type: "function_call_output" }>, "output">,
    Omit<OpenAI.Responses.ResponseInputItem.FunctionCallOutput, "output">
  >;
  responsesReasoning: Fits<
    Omit<OwnReasoning, "summary">,
    Omit<OpenAI.Responses.ResponseReasoningItem, "id" | "summary">
  >;
  responsesFields: Fits<Strange<ResponsesBody, ResponsesParams>, never>;
  responsesEvents: Fits<
    Exclude<ReadEvent, "error">,
    OpenAI.Responses.ResponseStreamEvent["type"]
  >;
  responsesUsage: Fits<OpenAI.Responses.ResponseUsage, ResponsesUsage>;
}

/** The kinds of events that `openai_responses.ts` acts upon. */
type ReadEvent =
  | "response.output_text.delta"
  | "response.refusal.delta"
  | "response.reasoning_summary_text.delta"
  | "response.reasoning_text.delta"
  | "response.reasoning_summary_part.added"
  | "response.output_item.added"
  | "response.function_call_arguments.delta"
  | "response.output_item.done"
  | "response.completed"
  | "response.incomplete"
  | "response.failed"
  | "error";

const READ = Object.keys(
  {
    "response.output_text.delta": 0,
    "response.refusal.delta": 0,
    "response.reasoning_summary_text.delta": 0,
    "response.reasoning_text.delta": 0,
    "response.reasoning_summary_part.added": 0,
    "response.output_item.added": 0,
    "response.function_call_arguments.delta": 0,
    "response.output_item.done": 0,
    "response.completed": 0,
    "response.incomplete": 0,
    "response.failed": 0,
    error: 0,
  } satisfies Record<ReadEvent, 0>,
);

Deno.test("the events that are read are those whose names are checked", async () => {
  const source = await Deno.readTextFile(new URL("openai_responses.ts", import.meta.url));
  const cases = [...source.matchAll(/case "((?:response\.[\w.]+)|error)":/g)].map(([, name]) =>
    name
  );
  assert.deepEqual(cases.toSorted(), READ.toSorted());
  const event: ResponsesEvent = { type: READ[0]! };
  assert.ok(event.type);
});

Deno.test("nothing that runs imports OpenAI's package", async () => {
  const root = new URL("../..", import.meta.url).pathname;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", "main.ts"],
    cwd: root,
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: { specifier: string }[];
  };
  assert.ok(modules.some(({ specifier }) => specifier.endsWith("/openai_chat_convert.ts")));
  const found = modules.filter(({ specifier }) =>
    /npm:\/?openai@|openai_types\.ts$/.test(specifier)
  );
  assert.deepEqual(found, []);
  // The checks above are types alone.
  assert.equal(undefined as Checks | undefined, undefined);
});
