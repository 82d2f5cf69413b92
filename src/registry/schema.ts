/**
 * Schemas as providers accept them. Tools of strangers (MCP, plugins) declare all sorts of
 * JSON Schema; what goes out is the small common part, in a deep copy.
 */
import type { JsonSchema } from "../protocol/json_schema.ts";

type Loose = Record<string, unknown>;

const TYPE_WORDS = ["string", "integer", "number", "boolean", "array", "object", "null"];
const KEPT_FROM_UNION = ["title", "description", "default", "examples"];
const FORBIDDEN_AT_TOP = ["allOf", "anyOf", "oneOf", "enum", "not"];
const SAFE_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** The parameters of a tool, reduced to what every provider takes. */
export function sanitizeParameters(parameters: unknown): JsonSchema {
  const top: Loose = isObject(parameters) ? { ...parameters } : {};
  for (const keyword of FORBIDDEN_AT_TOP) delete top[keyword];
  top.type = "object";
  if (!isObject(top.properties)) top.properties = {};
  return sanitize(top) as JsonSchema;
}

/** For property names providers refuse: the name sent → the declared name. Undefined when all are fine. */
export function safePropertyNames(
  properties: Readonly<Record<string, unknown>>,
): Map<string, string> | undefined {
  const names = Object.keys(properties);
  if (names.every((name) => SAFE_NAME.test(name))) return undefined;
  const taken = new Set(names.filter((name) => SAFE_NAME.test(name)));
  const renamed = new Map<string, string>();
  for (const name of names) {
    if (SAFE_NAME.test(name)) continue;
    const base = name.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 64) || "_";
    let safe = base;
    for (let n = 2; taken.has(safe); n++) safe = `${base.slice(0, 61)}_${n}`;
    taken.add(safe);
    renamed.set(safe, name);
  }
  return renamed;
}

function sanitize(schema: unknown): Loose {
  if (typeof schema === "string") {
    return TYPE_WORDS.includes(schema) ? { type: schema } : { type: "object", properties: {} };
  }
  if (!isObject(schema)) return {};
  const out = splitTypeList(collapseUnion({ ...schema }));
  if ("$ref" in out) delete out.default;
  if (isObject(out.properties)) sanitizeProperties(out, out.properties);
  if (out.items !== undefined) {
    out.items = Array.isArray(out.items) ? sanitize(out.items[0] ?? {}) : sanitize(out.items);
  }
  if (isObject(out.additionalProperties)) {
    out.additionalProperties = sanitize(out.additionalProperties);
  }
  for (const union of ["anyOf", "oneOf", "allOf"]) {
    if (Array.isArray(out[union])) out[union] = (out[union] as unknown[]).map(sanitize);
  }
  for (const table of ["$defs", "definitions"]) {
    if (isObject(out[table])) out[table] = mapValues(out[table], sanitize);
  }
  return out;
}

function sanitizeProperties(out: Loose, properties: Loose): void {
  const declared = safePropertyNames(properties);
  const sent = new Map([...declared ?? []].map(([safe, name]) => [name, safe]));
  out.properties = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [sent.get(name) ?? name, sanitize(value)]),
  );
  if (!Array.isArray(out.required)) return;
  const required = out.required.filter((name) => Object.hasOwn(properties, name))
    .map((name) => sent.get(name) ?? name);
  if (required.length > 0) out.required = required;
  else delete out.required;
}

/** `anyOf: [X, null]` says "X or nothing": providers want that as `nullable`. */
function collapseUnion(schema: Loose): Loose {
  for (const union of ["anyOf", "oneOf"]) {
    const branches = schema[union];
    if (!Array.isArray(branches)) continue;
    const real = branches.filter((branch) => !isObject(branch) || branch.type !== "null");
    if (real.length !== 1 || real.length === branches.length) continue;
    const kept = Object.fromEntries(
      KEPT_FROM_UNION.filter((key) => key in schema).map((key) => [key, schema[key]]),
    );
    const branch = typeof real[0] === "string" ? { type: real[0] } : real[0] as Loose;
    return { ...branch, nullable: true, ...kept };
  }
  return schema;
}

function splitTypeList(schema: Loose): Loose {
  if (!Array.isArray(schema.type)) return schema;
  const types = schema.type.filter((type) => type !== "null");
  const { type: _, ...rest } = schema;
  if (types.length < schema.type.length) rest.nullable = true;
  if (types.length === 1) return { type: types[0], ...rest };
  return { ...rest, anyOf: types.map((type) => ({ type })) };
}

function mapValues(table: Loose, change: (value: unknown) => unknown): Loose {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value)]));
}

function isObject(value: unknown): value is Loose {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
