/** The way of a call's argument text to checked values: parse, mend, coerce, validate. Pure. */
import type { ToolFacts } from "../../protocol/tool.ts";
import {
  holdsMoreThan,
  isDeeperThan,
  MAX_ARGUMENT_CHARS,
  MAX_ARGUMENT_DEPTH,
  MAX_ARGUMENT_VALUES,
} from "../../util/json_depth.ts";
import { coerceArguments } from "./coerce.ts";
import { parseLenientJson } from "./repair.ts";
import { validateArguments } from "./validate.ts";

export type ReadArguments =
  | { ok: true; args: Record<string, unknown> }
  /** One line for the model; `truncated` when the text was cut off in the middle. */
  | { ok: false; error: string; truncated: boolean };

/** Reads the argument text of a call. */
export function readArguments(text: string, facts: ToolFacts): ReadArguments {
  if (text.length > MAX_ARGUMENT_CHARS) {
    return refused(facts, `have more than ${MAX_ARGUMENT_CHARS} characters`);
  }
  const parsed = parseLenientJson(text);
  if (!parsed.ok) {
    const advice = parsed.truncated
      ? "The call was cut off and did not run. Send it again in full; split long content into several calls."
      : "The call did not run. Send it again with one valid JSON object.";
    return {
      ok: false,
      truncated: parsed.truncated,
      error: `Arguments of ${facts.name} are not valid JSON: ${parsed.message}. ${advice}`,
    };
  }
  // Some models encode the object twice.
  const value = typeof parsed.value === "string" ? unwrap(parsed.value) : parsed.value;
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    const got = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
    return {
      ok: false,
      truncated: false,
      error: `Arguments of ${facts.name} must be a JSON object, got ${got}.`,
    };
  }
  return checkArguments(value as Record<string, unknown>, facts);
}

/**
 * Coerces and, unless the tool does that itself, validates arguments that are already an object.
 * Everything behind this relies on the depth that is checked here.
 */
export function checkArguments(value: Record<string, unknown>, facts: ToolFacts): ReadArguments {
  const before = sizeProblem(value);
  if (before !== undefined) return refused(facts, before);
  // Coercion goes as deep as the schema, and may parse a text that is deeper.
  const args = coerceArguments(value, facts.schema);
  const after = sizeProblem(args);
  if (after !== undefined) return refused(facts, after);
  const problems = facts.lenient ? [] : validateArguments(args, facts.schema);
  if (problems.length === 0) return { ok: true, args };
  return {
    ok: false,
    truncated: false,
    error: `Invalid arguments for ${facts.name}: ${problems.join("; ")}.`,
  };
}

/** Why nothing behind the parser should work on a value; undefined when it can. */
function sizeProblem(value: Record<string, unknown>): string | undefined {
  if (isDeeperThan(value, MAX_ARGUMENT_DEPTH)) {
    return `are nested deeper than ${MAX_ARGUMENT_DEPTH} levels`;
  }
  return holdsMoreThan(value, MAX_ARGUMENT_VALUES)
    ? `hold more than ${MAX_ARGUMENT_VALUES} values`
    : undefined;
}

function refused({ name }: ToolFacts, problem: string): ReadArguments {
  return { ok: false, truncated: false, error: `Arguments of ${name} ${problem}.` };
}

function unwrap(text: string): unknown {
  const inner = parseLenientJson(text);
  return inner.ok ? inner.value : text;
}
