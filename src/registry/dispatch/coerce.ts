/**
 * Turning what the model sent into what the schema declares, where the meaning is plain:
 * `"42"` for an integer, a JSON text for an object, one value for a list. Whatever is not
 * plain stays as it is, for validation to refuse.
 */
import type { JsonSchema } from "../../protocol/json_schema.ts";
import { safePropertyNames } from "../schema.ts";

/** A copy of `args` with each known property coerced to its schema. */
export function coerceArguments(
  args: Record<string, unknown>,
  schema: JsonSchema,
): Record<string, unknown> {
  const properties = schema.properties;
  if (!properties) return args;
  const renamed = safePropertyNames(properties);
  // Not by assignment: a key named `__proto__` would become one.
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const name = Object.hasOwn(properties, key) ? key : renamed?.get(key) ?? key;
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, property === undefined ? value : coerceValue(value, property)];
    }),
  );
}

function coerceValue(value: unknown, schema: JsonSchema): unknown {
  const types = typesOf(schema);
  if (typeof value === "string" && isNullable(schema) && value.trim().toLowerCase() === "null") {
    return null;
  }
  let result = value;
  // A union that takes the value as it is has nothing to coerce.
  for (const type of types.some((type) => hasType(value, type)) ? [] : types) {
    result = coerceTo(type, value);
    if (result !== value) break;
  }
  return coerceNested(result, schema);
}

function coerceTo(type: string, value: unknown): unknown {
  switch (type) {
    case "integer":
      return typeof value === "string" ? toNumber(value, true) : value;
    case "number":
      return typeof value === "string" ? toNumber(value, false) : value;
    case "boolean":
      return typeof value === "string" ? toBoolean(value) : value;
    case "array":
      return toArray(value);
    case "object":
      return typeof value === "string" ? parseAs(value, "{") ?? value : value;
    default:
      return value;
  }
}

function toNumber(text: string, whole: boolean): number | string {
  if (!/^\s*[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text)) return text;
  const parsed = Number(text);
  return Number.isFinite(parsed) && (!whole || Number.isSafeInteger(parsed)) ? parsed : text;
}

function toBoolean(text: string): boolean | string {
  const word = text.trim().toLowerCase();
  return word === "true" ? true : word === "false" ? false : text;
}

function toArray(value: unknown): unknown {
  if (value === null || value === undefined || Array.isArray(value)) return value;
  return (typeof value === "string" ? parseAs(value, "[") : undefined) ?? [value];
}

/** The parsed text when it is JSON that starts as asked. */
function parseAs(text: string, opener: "{" | "["): unknown {
  if (!text.trimStart().startsWith(opener)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON after all: the text stays a text.
    return undefined;
  }
}

function coerceNested(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const items = schema.items ?? branches(schema).find((branch) => branch.items)?.items;
    return items ? value.map((item) => coerceValue(item, items)) : value;
  }
  if (value === null || typeof value !== "object") return value;
  const owner = schema.properties
    ? schema
    : branches(schema).find((branch) => branch.properties) ?? schema;
  return coerceArguments(value as Record<string, unknown>, owner);
}

/** True when a value is of a JSON Schema type; unknown types take anything. */
export function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "object":
      return value !== null && typeof value === "object" && !Array.isArray(value);
    default:
      return true;
  }
}

/** The types a schema accepts, `null` left out, unions flattened in order. */
function typesOf(schema: JsonSchema): string[] {
  const own = schema.type === undefined ? [] : [schema.type].flat() as string[];
  const all = [...own, ...branches(schema).flatMap(typesOf)];
  return [...new Set(all)].filter((type) => type !== "null");
}

export function isNullable(schema: JsonSchema): boolean {
  if (schema.nullable === true || schema.type === "null") return true;
  if (Array.isArray(schema.type) && schema.type.includes("null")) return true;
  return branches(schema).some(isNullable);
}

function branches(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf ?? schema.oneOf ?? [];
}
