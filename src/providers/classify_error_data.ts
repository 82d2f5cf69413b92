/** Tables behind `classify_error.ts`: words per kind, vendors' error codes, tell-tale phrases. */
// deno-lint-ignore-file camelcase -- failure kinds and vendor codes are data
import type { FailureAction, FailureKind } from "../protocol/provider.ts";

/** `{host}`, `{model}` and `{key}` are filled in. */
export const KINDS: Record<
  FailureKind,
  { action: FailureAction; says: string; advice: string }
> = {
  rate_limit: {
    action: "retry",
    says: "{host} limits the request rate",
    advice: "wait, or use another model",
  },
  overloaded: {
    action: "retry",
    says: "{host} is overloaded or failing",
    advice: "try again later, or use another model",
  },
  network: {
    action: "retry",
    says: "cannot talk to {host}",
    advice: "check the network and the base URL",
  },
  timeout: {
    action: "retry",
    says: "{host} did not answer in time",
    advice: "try again, or use another model",
  },
  overflow: {
    action: "overflow",
    says: "the conversation is too long for {model} at {host}",
    advice: "shorten it, or use a model with a larger context",
  },
  auth: {
    action: "auth",
    says: "{host} refuses the credentials",
    advice: "check {key}",
  },
  billing: {
    action: "fallback",
    says: "{host} wants payment",
    advice: "add credit there, or use another provider",
  },
  not_found: {
    action: "fallback",
    says: "{host} has no model {model}",
    advice: "check --model, --provider and the base URL",
  },
  content_filter: {
    action: "fallback",
    says: "{host} refuses the content",
    advice: "rephrase the request, or use another model",
  },
  malformed: {
    action: "retry",
    says: "{host} sent an answer that cannot be read",
    advice: "check that the base URL is the API's",
  },
  invalid_request: {
    action: "fallback",
    says: "{host} rejects the request",
    advice: "",
  },
  aborted: { action: "fatal", says: "interrupted", advice: "" },
};

/** Error codes that arrive inside a stream, as the HTTP status they stand for. */
export const CODE_STATUS: Record<string, number> = {
  "authentication_error": 401,
  "invalid_api_key": 401,
  "billing_error": 402,
  "insufficient_quota": 402,
  "permission_error": 403,
  "not_found_error": 404,
  "model_not_found": 404,
  "timeout_error": 408,
  "request_too_large": 413,
  "rate_limit_error": 429,
  "rate_limit_exceeded": 429,
  "overloaded_error": 529,
  "server_is_overloaded": 529,
  "invalid_request_error": 400,
  "invalid_prompt": 400,
  "context_length_exceeded": 400,
  "content_filter": 400,
};

const CLIENT = [400, 401, 402, 403, 404, 413, 422, 429];
const ANY = [...CLIENT, 500, 502, 503, 529];

/** First match wins; each is tried only for the statuses vendors use it with. */
export const TEXT_RULES: readonly {
  kind: FailureKind;
  statuses: readonly number[];
  pattern: RegExp;
}[] = [
  {
    kind: "billing",
    statuses: [400, 403, 404, 429],
    pattern:
      /insufficient[_ ](quota|balance|credit|funds)|credit balance|exceeded your current quota|billing|spending limit|key limit exceeded|payment required|out of credits/i,
  },
  {
    kind: "overloaded",
    statuses: [429],
    pattern: /overloaded|at capacity|engine is busy/i,
  },
  {
    kind: "rate_limit",
    statuses: [402, 403, 503],
    pattern:
      /rate.?limit|too many requests|(usage|quota) limit(?:(?!(?:usage|quota) limit).)*(retry|try again|reset)/i,
  },
  {
    kind: "content_filter",
    statuses: ANY,
    pattern:
      /content_filter|content.?policy|content management policy|responsible ai|flagged|moderation|safety (system|filter|reasons)|data_inspection_failed|usage polic/i,
  },
  {
    kind: "overflow",
    statuses: ANY,
    pattern: new RegExp(
      [
        "context_length_exceeded|model_context_window_exceeded|maximum context length",
        "exceeds? the context window|context window exceeds|exceeds? (the )?context (limit|size|length)",
        "exceed(s|ed)? the (available|maximum|model'?s?) context|maximum model length",
        "prompt is too long|prompt too long|input is too long|request_too_large|too many tokens",
        "input token count(?:(?!input token count).)*exceeds|input tokens exceed|maximum prompt length|exceeded model token limit",
        "reduce the length of (the|your) (messages|prompt)|too large for model with",
        "longer than the (maximum )?(model|context)|greater than the context length",
        "tokens \\+ `?max_new_tokens|range of input length should be|exceeded max context length",
      ].join("|"),
      "i",
    ),
  },
  {
    kind: "auth",
    statuses: [400],
    pattern:
      /api[ _-]?key(?:(?!api[ _-]?key).)*(not valid|invalid|expired|missing)|API_KEY_INVALID|invalid.?api.?key/i,
  },
  {
    kind: "not_found",
    statuses: [400, 403, 422],
    pattern:
      /model_not_found|not a valid model|model(?:(?!model).)*(does not exist|not found|not supported|is not available)|unknown model|invalid model|no such model/i,
  },
];
