/**
 * Checking arguments against the JSON Schema subset tools use. Problems come back as short
 * clauses for the model: which parameter, what was got, what is expected.
 */
import type { JsonSchema } from "../../protocol/json_schema.ts";
import { didYouMean } from "../../util/nearest.ts";
import { hasType, isNullable } from "./coerce.ts";

const MAX_PROBLEMS = 5;
/** Unknown keys that are named to the model, and how much of each. */
const MAX_SHOWN = 20;
const MAX_KEY_CHARS = 100;

/** Every problem of `args`, at most five; empty when they are fine. */
export function validateArguments(args: Record<string, unknown>, schema: JsonSchema): string[] {
  const problems: string[] = [];
  checkObject(args, schema, { path: "", problems });
  return problems.slice(0, MAX_PROBLEMS);
}

interface Place {
  path: string;
  problems: string[];
}

function checkObject(value: Record<string, unknown>, schema: JsonSchema, place: Place): void {
  const properties = schema.properties ?? {};
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(value, name)) continue;
    const got = unknown.length > 0
      ? `, got ${unknown.slice(0, MAX_SHOWN).map(quoted).join(", ")}`
      : "";
    place.problems.push(`"${join(place.path, name)}" is required${got}`);
  }
  if (schema.additionalProperties === false) {
    for (const key of unknown.slice(0, MAX_PROBLEMS)) {
      const hint = didYouMean(key, Object.keys(properties)) ||
        ` Known: ${Object.keys(properties).join(", ") || "none"}.`;
      place.problems.push(`${quoted(join(place.path, key))} is not a parameter.${hint}`);
    }
  }
  for (const [key, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property) checkValue(item, property, { ...place, path: join(place.path, key) });
  }
}

function checkValue(value: unknown, schema: JsonSchema, place: Place): void {
  if (value === null && isNullable(schema)) return;
  const union = schema.anyOf ?? schema.oneOf;
  if (union) {
    const attempts = union.map((branch) => problemsOf(value, branch, place));
    if (attempts.every((problems) => problems.length > 0)) {
      place.problems.push(...attempts.reduce((a, b) => b.length < a.length ? b : a));
    }
  }
  const types = schema.type === undefined ? [] : [schema.type].flat() as string[];
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    const wanted = types.map(article).join(" or ");
    place.problems.push(`"${place.path}" must be ${wanted}, got ${show(value)}`);
    return;
  }
  if (schema.enum && !schema.enum.some((choice) => equal(choice, value))) {
    const choices = schema.enum.map((choice) => JSON.stringify(choice)).join(", ");
    place.problems.push(`"${place.path}" must be one of ${choices}, got ${show(value)}`);
  }
  if (typeof value === "number") checkRange(value, schema, place);
  else if (typeof value === "string") checkLength(value.length, schema, place);
  else if (Array.isArray(value)) checkItems(value, schema, place);
  else if (value !== null && typeof value === "object") {
    checkObject(value as Record<string, unknown>, schema, place);
  }
}

function problemsOf(value: unknown, schema: JsonSchema, place: Place): string[] {
  const problems: string[] = [];
  checkValue(value, schema, { ...place, problems });
  return problems;
}

function checkRange(value: number, schema: JsonSchema, place: Place): void {
  const { minimum, maximum } = schema;
  if (minimum !== undefined && value < minimum) {
    place.problems.push(`"${place.path}" must be at least ${minimum}, got ${value}`);
  }
  if (maximum !== undefined && value > maximum) {
    place.problems.push(`"${place.path}" must be at most ${maximum}, got ${value}`);
  }
}

function checkLength(length: number, schema: JsonSchema, place: Place): void {
  const { minLength, maxLength } = schema;
  if (minLength !== undefined && length < minLength) {
    const what = minLength === 1 ? "must not be empty" : `needs at least ${minLength} characters`;
    place.problems.push(`"${place.path}" ${what}, got ${length} characters`);
  }
  if (maxLength !== undefined && length > maxLength) {
    place.problems.push(
      `"${place.path}" takes at most ${maxLength} characters, got ${length}`,
    );
  }
}

function checkItems(value: unknown[], schema: JsonSchema, place: Place): void {
  const { items, minItems, maxItems } = schema;
  if (minItems !== undefined && value.length < minItems) {
    place.problems.push(`"${place.path}" needs at least ${minItems} items, got ${value.length}`);
  }
  if (maxItems !== undefined && value.length > maxItems) {
    place.problems.push(`"${place.path}" takes at most ${maxItems} items, got ${value.length}`);
  }
  if (!items) return;
  value.forEach((item, index) =>
    checkValue(item, items, { ...place, path: `${place.path}[${index}]` })
  );
}

function article(type: string): string {
  if (type === "null") return "null";
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The value as the model may recognise it: short, with its type where that helps. */
function show(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}… (${typeof value})` : text;
}

function equal(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}

function quoted(key: string): string {
  return `"${key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key}"`;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
