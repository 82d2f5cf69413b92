/**
 * JSON Schema parameters as the signatures a model reads: TypeScript types and Python keyword
 * arguments. Pure text; an unusual schema becomes `unknown` rather than an error.
 */
import type { JsonSchema } from "../../protocol/json_schema.ts";
import type { ToolDefinition } from "../../protocol/provider.ts";
import { FOREGROUND_ONLY } from "../walls/allow_list.ts";

export interface Parameter {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

const MAX_DEPTH = 3;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A tool's parameters for scripts, required ones first; what scripts may not use is left out. */
export function parametersOf(tool: ToolDefinition): Parameter[] {
  const required = new Set(tool.parameters.required ?? []);
  const all = Object.entries(tool.parameters.properties ?? {})
    .filter(([name]) => tool.name !== "terminal" || !FOREGROUND_ONLY.includes(name))
    .map(([name, schema]) => ({ name, schema, required: required.has(name) }));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

/** The TypeScript type of a schema, on one line. */
export function typeText(schema: JsonSchema, depth: number = 0): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return unique(options.map((option) => typeText(option, depth))).join(" | ");
  if (typeof schema.type === "object") {
    return unique(schema.type.map((type) => typeText({ ...schema, type }, depth))).join(" | ");
  }
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return arrayText(schema, depth);
    case "object":
      return objectText(schema, depth);
    default:
      return "unknown";
  }
}

function arrayText(schema: JsonSchema, depth: number): string {
  const item = schema.items ? typeText(schema.items, depth) : "unknown";
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: JsonSchema, depth: number): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0 || depth >= MAX_DEPTH) return "object";
  const required = new Set(schema.required ?? []);
  const fields = properties.map(([name, field]) => {
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    return `${key}${required.has(name) ? "" : "?"}: ${typeText(field, depth + 1)}`;
  });
  return `{ ${fields.join("; ")} }`;
}

function unique(types: readonly string[]): string[] {
  return [...new Set(types)];
}

/** `read_file({ path: string; offset?: number })`: one line of the tool's schema. */
export function scriptSignature(tool: ToolDefinition): string {
  const parameters = parametersOf(tool);
  if (parameters.length === 0) return `${functionName(tool.name)}({})`;
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter((one) => one.required).map((one) => one.name);
  return `${functionName(tool.name)}(${objectText({ properties, required }, 0)})`;
}

const RESERVED = new Set(
  ("await break case catch class const continue debugger default delete do else enum export " +
    "extends false finally for function if import in instanceof new null return super switch " +
    "this throw true try typeof var void while with yield let static and as assert async def del " +
    "elif except from global is lambda nonlocal not or pass raise None True False print")
    .split(" "),
);

/** The name of a tool or parameter as an identifier of both languages. */
export function functionName(name: string): string {
  const word = name.replace(/\W/g, "_").replace(/^(?=\d)/, "_");
  return RESERVED.has(word) ? `${word}_` : word;
}
