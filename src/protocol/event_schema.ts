/**
 * The published schema of `hermes run --json`: every event as zod, proved equal to the
 * TypeScript types at compile time. Loads zod; only `hermes schema` and tests import it.
 */
import { z } from "../deps/zod.ts";
import { APPROVAL_ANSWERS } from "./approval.ts";
import { GRANT_KINDS } from "./grant.ts";
import type { AgentEvent } from "./event.ts";
import { toolDetails, viewBlock } from "./tool_details_schema.ts";

const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  cacheWriteTokens: z.number(),
  reasoningTokens: z.number(),
  costUsd: z.number().exactOptional().describe("US dollars; absent when the price is unknown"),
});

const textPart = z.object({ type: z.literal("text"), text: z.string() });

const userPart = z.discriminatedUnion("type", [
  textPart,
  z.object({
    type: z.literal("image"),
    mediaType: z.string(),
    ref: z.string().describe("sha256:<hex> of a blob in the home directory, or a URL"),
    data: z.string().exactOptional(),
  }),
]);

const assistantMessage = z.object({
  role: z.literal("assistant"),
  content: z.array(z.discriminatedUnion("type", [
    textPart,
    z.object({
      type: z.literal("reasoning"),
      text: z.string(),
      opaque: z.unknown().exactOptional(),
    }),
    z.object({
      type: z.literal("tool_call"),
      id: z.string(),
      name: z.string(),
      arguments: z.string().describe("Raw JSON text, as the model wrote it"),
    }),
  ])),
  stopReason: z.enum(["end", "tool_calls", "length", "content_filter", "error", "aborted"]),
  provider: z.string(),
  model: z.string(),
  usage: usage.exactOptional(),
});

const endReason = z.enum([
  "done",
  "failed",
  "needs_approval",
  "budget",
  "provider",
  "schema",
  "interrupted",
]);

const approvalAnswer = z.enum(APPROVAL_ANSWERS);

const grantOffer = z.object({
  scope: z.enum(["once", "session", "project"]),
  kind: z.enum(GRANT_KINDS),
  value: z.string(),
  project: z.string(),
  tool: z.string().exactOptional(),
  rules: z.array(z.string()).exactOptional(),
  cwd: z.string().exactOptional(),
  digest: z.string().exactOptional(),
});

const approvalChoice = z.object({
  id: z.string(),
  answer: approvalAnswer,
  text: z.string().describe("Says exactly what it allows"),
  grants: z.array(grantOffer).describe("What it keeps"),
});

const approvalRequest = z.object({
  id: z.string().exactOptional().describe("The same action has the same id"),
  tool: z.string(),
  subject: z.string().describe("The command, or one line that says the action"),
  rule: z.string(),
  description: z.string(),
  allowAlways: z.boolean(),
  onceOnly: z.boolean().exactOptional(),
  choices: z.array(approvalChoice).exactOptional().describe("What may be answered, in order"),
});

const questionAnswer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("approval"),
    answer: approvalAnswer,
    choice: z.string().exactOptional().describe("The id of one of the choices"),
    reason: z.string().exactOptional(),
  }),
  z.object({
    kind: z.literal("clarify"),
    answers: z.array(z.array(z.string())).exactOptional(),
  }),
  z.object({ kind: z.literal("confirm"), yes: z.boolean() }),
]);

const anyQuestion = {
  id: z.string(),
  expiresAt: z.string().exactOptional().describe("ISO 8601 instant; then the fallback counts"),
  fallback: questionAnswer.describe("The answer when nobody answers"),
};

const question = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("approval"),
    request: approvalRequest,
    ...anyQuestion,
  }),
  z.object({
    kind: z.literal("clarify"),
    questions: z.array(z.object({
      id: z.string(),
      question: z.string(),
      choices: z.array(z.string()),
      multiSelect: z.boolean(),
    })),
    ...anyQuestion,
  }),
  z.object({ kind: z.literal("confirm"), text: z.string(), ...anyQuestion }),
]);

const errorKind = z.enum([
  "rate_limit",
  "overloaded",
  "network",
  "timeout",
  "overflow",
  "auth",
  "billing",
  "not_found",
  "content_filter",
  "malformed",
  "invalid_request",
  "aborted",
  "tool",
  "internal",
  "config",
  "store",
]);

const base = {
  ts: z.string().describe("ISO 8601 instant"),
  sessionId: z.string(),
  seq: z.number().describe("Strictly increasing within one process run of a session"),
};

/** Set on calls that a script of `execute_code` makes. */
const nested = { sandbox: z.boolean().exactOptional(), parentCallId: z.string().exactOptional() };

function event<T extends string, S extends z.core.$ZodShape>(type: T, shape: S) {
  return z.object({ type: z.literal(type), ...shape, ...base });
}

export const AgentEventSchema = z.discriminatedUnion("type", [
  event("session_start", {
    version: z.string(),
    provider: z.string(),
    model: z.string(),
    cwd: z.string(),
    tools: z.array(z.string()),
    resumed: z.boolean(),
    sandbox: z.string().exactOptional(),
  }),
  event("session_end", {
    reason: endReason,
    exitCode: z.number(),
    detail: z.string().exactOptional(),
    usage,
  }),
  event("turn_start", {
    turn: z.number(),
    input: z.array(userPart),
    by: z.string().exactOptional().describe("Whose input it is, where that was said"),
  }),
  event("turn_end", {
    turn: z.number(),
    reason: endReason,
    text: z.string(),
    iterations: z.number(),
    detail: z.string().exactOptional().describe("One line about a reason other than done"),
  }),
  event("message_start", { iteration: z.number() }),
  event("message_delta", { kind: z.enum(["text", "reasoning"]), text: z.string() }),
  event("message_end", { message: assistantMessage }),
  event("tool_start", {
    callId: z.string(),
    name: z.string(),
    arguments: z.unknown().describe("Parsed and coerced, secrets redacted"),
    summary: z.string().exactOptional().describe("The call in one line, for people"),
    ...nested,
  }),
  event("tool_delta", { callId: z.string(), text: z.string() }),
  event("tool_end", {
    callId: z.string(),
    name: z.string(),
    isError: z.boolean(),
    durationMs: z.number(),
    result: z.string().describe("What the model reads"),
    details: toolDetails.exactOptional().describe("What came of it, as data"),
    summary: z.string().exactOptional().describe("The result in one line, for people"),
    view: z.array(viewBlock).exactOptional().describe("The result in full, for people"),
    ...nested,
  }),
  event("approval_start", { callId: z.string(), request: approvalRequest }),
  event("approval_end", {
    callId: z.string(),
    answer: approvalAnswer,
    choice: z.string().exactOptional().describe("Which of the choices was made"),
    by: z.string(),
  }),
  event("question_start", { question }),
  event("question_end", { questionId: z.string(), answer: questionAnswer, by: z.string() }),
  event("queue", {
    position: z.number().describe("1 is next, 0 no longer waits"),
    input: z.array(userPart),
    by: z.string().exactOptional(),
    dropped: z.boolean().exactOptional().describe("It never gets a turn: the session ends"),
  }),
  event("command_end", { name: z.string(), text: z.string(), isError: z.boolean() }),
  event("model_change", { provider: z.string(), model: z.string() }),
  event("context_start", { reason: z.string(), tokens: z.number() }),
  event("context_end", { tokens: z.number() }),
  event("usage", { usage, total: usage, provider: z.string(), model: z.string() }),
  event("error", {
    kind: errorKind,
    message: z.string(),
    fatal: z.boolean(),
    retryInMs: z.number().exactOptional().describe("The same request is tried again after this"),
  }),
  event("notice", { text: z.string() }),
]);

/** Intersections and interfaces written out as plain objects, so that identity can be asked. */
type Flat<T> = T extends readonly (infer E)[] ? Flat<E>[]
  : T extends object ? { [K in keyof T]: Flat<T[K]> }
  : T;
/** Identity, not mutual assignability: a forgotten optional key must not pass. */
type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends (<X>() => X extends B ? 1 : 2) ? true
  : false;

/** Fails to compile when the schema and the types drift apart. */
export const SCHEMA_MATCHES_TYPES: Same<
  Flat<z.output<typeof AgentEventSchema>>,
  Flat<AgentEvent>
> = true;

/** The JSON Schema that `hermes schema events` prints. */
export function eventJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(AgentEventSchema),
    title: "Hermes event",
    description: "One line of hermes run --json",
  };
}
