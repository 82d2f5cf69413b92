/**
 * The embedded offline model: a Chat Completions server without a network. Deterministic; it
 * carries out literal requests with the tools it is offered, one call per answer, and then
 * reports what they returned.
 */
// deno-lint-ignore-file camelcase -- wire names
import type { WireRequest } from "../protocol/provider.ts";
import { planSteps, type Step } from "./offline_plan.ts";
import { announce, OFFLINE_HELP, OFFLINE_INTRODUCTION, report } from "./offline_report.ts";

interface ChatMessage {
  role: string;
  content?: unknown;
  tool_calls?: unknown[];
}

interface ChatBody {
  messages: ChatMessage[];
  tools?: { function: { name: string } }[];
  tool_choice?: string;
}

/** Answers one Chat Completions request with a stream. */
export function offlineFetch(_url: string, init: WireRequest): Promise<Response> {
  const answer = decide(JSON.parse(init.body) as ChatBody);
  const deltas: unknown[] = answer.text.split(/(?<=\n)/).map((content) => ({ content }));
  if (answer.call) deltas.push({ tool_calls: [{ index: 0, type: "function", ...answer.call }] });
  const outputChars = answer.text.length + JSON.stringify(answer.call ?? "").length;
  const usage = {
    prompt_tokens: Math.ceil(init.body.length / 4),
    completion_tokens: Math.ceil(outputChars / 4),
  };
  const finish_reason = answer.call ? "tool_calls" : "stop";
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ];
  const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  return Promise.resolve(new Response(`${body}data: [DONE]\n\n`, { headers }));
}

interface OfflineAnswer {
  text: string;
  call?: { id: string; function: { name: string; arguments: string } };
}

function decide(body: ChatBody): OfflineAnswer {
  const tools = new Set((body.tools ?? []).map((tool) => tool.function.name));
  const turn = currentTurn(body.messages);
  const steps = turn.filter((message) => message.role === "user")
    .flatMap((message) => planSteps(textOf(message), tools));
  if (steps.length === 0) return { text: OFFLINE_HELP };
  const results = turn.filter((message) => message.role === "tool").map(textOf);
  const doable = steps.filter((step) => tools.has(step.tool));
  const next = doable[results.length];
  if (next !== undefined && body.tool_choice !== "none") {
    return { text: announce(next), call: toCall(next, body.messages.length) };
  }
  const done = results.slice(0, doable.length).map((result, i) => report(doable[i]!, result));
  const skipped = [
    ...steps.filter((step) => !tools.has(step.tool)),
    ...doable.slice(results.length),
  ].map((step) => `Not done: ${announce(step)} The tool ${step.tool} is not available to me now.`);
  return { text: [OFFLINE_INTRODUCTION, ...done, ...skipped].join("\n") };
}

function toCall(step: Step, messageCount: number): NonNullable<OfflineAnswer["call"]> {
  return {
    id: `call_offline_${messageCount}`,
    function: { name: step.tool, arguments: JSON.stringify(step.args) },
  };
}

/** Everything since the last finished answer. */
function currentTurn(messages: ChatMessage[]): ChatMessage[] {
  const finished = messages.findLastIndex((message) =>
    message.role === "assistant" && !message.tool_calls?.length
  );
  return messages.slice(finished + 1);
}

function textOf(message: ChatMessage): string {
  if (typeof message.content === "string") return message.content;
  if (!Array.isArray(message.content)) return "";
  return (message.content as { text?: string }[]).map((part) => part.text ?? "").join("\n");
}
