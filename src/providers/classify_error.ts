/**
 * Turns whatever went wrong with a model request into one classified failure: pure, from
 * status, headers and body, or from the exception. Decides nothing about retrying beyond
 * naming the action; the loop owns attempts and waits.
 */
import type { FailureAction, FailureKind, ProviderFailure } from "../protocol/provider.ts";
import { CODE_STATUS, KINDS, TEXT_RULES } from "./classify_error_data.ts";
import { isDeeperThan, MAX_JSON_DEPTH } from "../util/json_depth.ts";
import { trimEndOf } from "../util/trim_end.ts";
import { entryOf } from "./parts.ts";

/** What a message may name, and what it must never show. */
export interface FailureContext {
  host: string;
  model: string;
  /** Where the key comes from (`OPENAI_API_KEY`), for advice. */
  keyName?: string;
  secrets: readonly string[];
}

export interface ErrorAnswer {
  status: number;
  headers: Headers;
  body: string;
  nowMs?: number;
}

/** Set by the replayer: the body is the finished message, and nothing can help. */
export const CASSETTE_HEADER = "x-hermes-cassette";

const MAX_DETAIL_CHARS = 300;
const KEY_SHAPES = /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|AIza)[-_]?[A-Za-z0-9_*-]{12,}|\bBearer\s+\S+/g;

/** Classifies an HTTP answer that is an error, or an error sent inside a good answer. */
export function classifyAnswer(answer: ErrorAnswer, context: FailureContext): ProviderFailure {
  const { status } = answer;
  if (answer.headers.has(CASSETTE_HEADER)) {
    return { kind: "invalid_request", action: "fatal", message: answer.body, status };
  }
  if (status >= 300 && status < 400) return redirected(answer, context);
  const error = parseErrorBody(answer.body);
  const kind = kindOf(status, error);
  const failure = createFailure(kind, context, { status, detail: error.text });
  const wait = kind === "rate_limit" || kind === "overloaded"
    ? retryAfterMs(answer, error.text)
    : undefined;
  return wait === undefined ? failure : { ...failure, retryAfterMs: wait };
}

/** Classifies an error object that arrived inside a stream, where there is no HTTP status. */
export function classifyInline(body: string, context: FailureContext): ProviderFailure {
  const { code } = parseErrorBody(body);
  const numeric = Number(code);
  const status = numeric >= 400 && numeric < 600 ? numeric : entryOf(CODE_STATUS, code) ?? 500;
  return classifyAnswer({ status, headers: new Headers(), body }, context);
}

/** Classifies what `fetch` or a body stream threw. */
export function classifyException(error: unknown, context: FailureContext): ProviderFailure {
  const text = exceptionText(error);
  const certificate = /certificate|UnknownIssuer|NotValidForName|self.signed/i.test(text);
  const detail = certificate
    ? "its certificate is not trusted"
    : /refused/i.test(text)
    ? "connection refused"
    : /dns|lookup|resolve|name or service/i.test(text)
    ? "the name does not resolve"
    : /reset|closed|eof|incomplete|broken pipe|hang/i.test(text)
    ? "the connection was cut"
    : text;
  return createFailure("network", context, {
    detail,
    ...(certificate ? { action: "fatal" as const } : {}),
  });
}

/** Builds a failure of a kind with its standard action, words and advice. */
export function createFailure(
  kind: FailureKind,
  context: FailureContext,
  options: { detail?: string; status?: number; action?: FailureAction } = {},
): ProviderFailure {
  const { action, says, advice } = KINDS[kind];
  const fill = (text: string) =>
    text.replace("{host}", context.host).replace("{model}", context.model)
      .replace("{key}", context.keyName ?? "the API key");
  const status = options.status === undefined ? "" : ` (${options.status})`;
  const detail = options.detail ? `: ${cleanDetail(options.detail, context.secrets)}` : "";
  return {
    kind,
    action: options.action ?? action,
    message: fill(says) + status + detail + (advice && `; ${fill(advice)}`),
    ...(options.status === undefined ? {} : { status: options.status }),
  };
}

/** True when an error says that replayed reasoning (signatures, encrypted items) is not accepted. */
export function isStaleReasoning(failure: ProviderFailure): boolean {
  return failure.kind === "invalid_request" &&
    /(thinking|reasoning|encrypted)(?:(?!thinking|reasoning|encrypted).)*(signature|cannot be modified|verif|invalid|required|decrypt)/i
      .test(failure.message);
}

function kindOf(status: number, error: ParsedError): FailureKind {
  const text = `${error.code} ${error.text}`;
  for (const rule of TEXT_RULES) {
    if (rule.statuses.includes(status) && rule.pattern.test(text)) return rule.kind;
  }
  switch (status) {
    case 401:
    case 403:
      return "auth";
    case 402:
      return "billing";
    case 404:
    case 405:
      return "not_found";
    case 408:
    case 504:
    case 524:
      return "timeout";
    case 413:
      return "overflow";
    case 429:
      return "rate_limit";
    default:
      return status >= 500 ? "overloaded" : "invalid_request";
  }
}

interface ParsedError {
  code: string;
  text: string;
}

/** Finds code and message in the error shapes of the vendors; plain text and HTML are flattened. */
function parseErrorBody(body: string): ParsedError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Not JSON: a proxy's page or plain text, which is still worth showing.
    return {
      code: "",
      text: body.replace(/<(style|script)(?:(?!<\1)[\s\S])*?<\/\1>|<[^<>]*>/g, " "),
    };
  }
  const outer = record(Array.isArray(parsed) ? parsed[0] : parsed);
  const inner = record(outer["error"]);
  const source = Object.keys(inner).length > 0 ? inner : outer;
  const raw = record(source["metadata"])["raw"];
  const message = [source["message"], outer["error"], outer["detail"], outer["message"]]
    .find((value) => typeof value === "string" && value !== "") ??
    (isDeeperThan(source, MAX_JSON_DEPTH)
      ? body.slice(0, MAX_DETAIL_CHARS)
      : JSON.stringify(source));
  // Anthropic and Responses call the outer object's type "error"; that names nothing.
  const code = [source["code"], source["type"], source["status"]]
    .find((value) => (typeof value === "string" || typeof value === "number") && value !== "error");
  const text = typeof raw === "string" ? `${message} ${raw}` : String(message);
  return { code: String(code ?? ""), text };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

function redirected(answer: ErrorAnswer, context: FailureContext): ProviderFailure {
  const target = answer.headers.get("location") ?? "another address";
  return createFailure("invalid_request", context, {
    status: answer.status,
    action: "fatal",
    detail: `it redirects to ${target}, which is not followed because requests carry the ` +
      `API key; set the base URL to the final address`,
  });
}

/** How long the server asks to wait, from headers or from its words. */
function retryAfterMs(answer: ErrorAnswer, text: string): number | undefined {
  const exact = answer.headers.get("retry-after-ms");
  if (exact !== null && Number(exact) >= 0) return Number(exact);
  const after = answer.headers.get("retry-after");
  if (after !== null) {
    if (Number(after) >= 0) return Math.round(Number(after) * 1000);
    const at = Date.parse(after);
    if (!Number.isNaN(at)) return Math.max(0, at - (answer.nowMs ?? Date.now()));
  }
  const words = /(?:try again|retry) in (\d+(?:\.\d+)?)\s*(ms|s|m)\b/i.exec(text) ??
    /"retryDelay":\s*"(\d+(?:\.\d+)?)(ms|s)"/.exec(answer.body);
  if (!words) return undefined;
  const scale = { ms: 1, s: 1000, m: 60_000 }[words[2]!.toLowerCase() as "ms" | "s" | "m"];
  return Math.ceil(Number(words[1]) * scale);
}

function exceptionText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` ${error.cause.message}` : "";
  // Deno puts the whole URL, query included, into the message; the host is named anyway.
  return `${error.message}${cause}`.replace(/ for url \((?:(?! for url \()[^)])*\)/g, "");
}

function cleanDetail(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== "") clean = clean.replaceAll(secret, "[redacted]");
  clean = clean.replace(KEY_SHAPES, "[redacted]").replace(/\s+/g, " ").trim();
  clean = trimEndOf(clean, ".;");
  return clean.length > MAX_DETAIL_CHARS ? `${clean.slice(0, MAX_DETAIL_CHARS)}…` : clean;
}
