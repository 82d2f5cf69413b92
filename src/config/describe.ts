/** Every key of the configuration with its kind, default and meaning, read from the schema. */
import { z } from "../deps/zod.ts";
import { UsageError } from "../protocol/error.ts";
import { nearest } from "../util/nearest.ts";
import { DEFAULTS } from "./defaults_data.ts";
import { ConfigSchema } from "./schema.ts";
import { getPath, isTree, type Tree } from "./tree.ts";

export interface KeyDescription {
  /** Dotted; `*` stands for a name of the user's choice, `#` for a place in a list. */
  path: string;
  kind: string;
  /** Undefined when there is none. */
  default: unknown;
  help: string;
}

/** In the order of the schema. */
export function describeKeys(): KeyDescription[] {
  return [...describe(ConfigSchema, "")];
}

/** The error for a key that is none, with the one that was probably meant. */
export function unknownSetting(key: string): UsageError {
  const known = describeKeys().map(({ path }) => path);
  const inner = known.find((path) => path.endsWith(`.${key}`) && !/[*#]/.test(path));
  const meant = inner ?? nearest(key, known);
  const suggestion = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return new UsageError(`there is no setting "${key}".${suggestion}`, {
    hint: `See "hermes config list --all".`,
  });
}

/** The published JSON Schema of `config.yaml`: nothing is required, defaults are told. */
export function configJsonSchema(): Tree {
  const schema = z.toJSONSchema(ConfigSchema, { io: "input" }) as Tree;
  return { ...withDefaults(schema, DEFAULTS), title: "Hermes config.yaml" };
}

function* describe(schema: z.core.$ZodType, path: string): Generator<KeyDescription> {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) {
    for (const [key, child] of Object.entries(inner.shape as Record<string, z.core.$ZodType>)) {
      yield* describe(child, path === "" ? key : `${path}.${key}`);
    }
    return;
  }
  yield { path, kind: kindOf(schema), default: getPath(DEFAULTS, path), help: helpOf(schema) };
  const element = inner instanceof z.ZodRecord
    ? { schema: inner.valueType, path: `${path}.*` }
    : inner instanceof z.ZodArray
    ? { schema: inner.element, path: `${path}.#` }
    : undefined;
  if (element === undefined) return;
  const nested = unwrap(element.schema as z.core.$ZodType);
  if (nested instanceof z.ZodObject) yield* describe(nested, element.path);
  else if (nested instanceof z.ZodArray && unwrap(nested.element) instanceof z.ZodObject) {
    yield* describe(nested.element as z.core.$ZodType, `${element.path}.#`);
  }
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrap(schema.unwrap())
    : schema;
}

function kindOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodNullable) return `${kindOf(schema.unwrap())} or null`;
  const inner = unwrap(schema);
  if (inner instanceof z.ZodEnum) {
    return inner.options.map((option) => option === "" ? "empty" : String(option)).join(", ");
  }
  if (inner instanceof z.ZodArray) return "list";
  if (inner instanceof z.ZodRecord) return "mapping";
  if (inner instanceof z.ZodBoolean) return "true, false";
  if (inner instanceof z.ZodNumber) return inner.format === "safeint" ? "whole number" : "number";
  return "text";
}

function helpOf(schema: z.core.$ZodType): string {
  const own = (schema as z.ZodType).description;
  return own ?? (schema === unwrap(schema) ? "" : helpOf(unwrap(schema)));
}

function withDefaults(schema: Tree, value: unknown): Tree {
  const { required: _, properties, ...rest } = schema;
  if (!isTree(properties)) {
    return value === undefined ? rest : { ...rest, default: value };
  }
  const described = Object.entries(properties).map(([key, child]) => [
    key,
    withDefaults(child as Tree, isTree(value) ? value[key] : undefined),
  ]);
  return { ...rest, properties: Object.fromEntries(described) };
}
