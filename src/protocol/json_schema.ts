/**
 * JSON Schema as data, and the TypeScript type a schema literal describes.
 * Tools declare their parameters as plain literals: what is written is what the model
 * reads, nothing is loaded at run time, and `InferSchema` gives the handler its types.
 */

/** The subset of JSON Schema that tools, MCP servers and plugins use; other keywords pass through. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly nullable?: boolean;
  readonly [keyword: string]: unknown;
}

type InferObject<P, R extends string> =
  & { [K in keyof P as K extends R ? K : never]: InferSchema<P[K]> }
  & { [K in keyof P as K extends R ? never : K]?: InferSchema<P[K]> };

/** The value type of a schema written as a literal (`as const`). Unknown shapes infer `unknown`. */
export type InferSchema<S> = S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly type: "string" } ? string
  : S extends { readonly type: "integer" | "number" } ? number
  : S extends { readonly type: "boolean" } ? boolean
  : S extends { readonly type: "array"; readonly items: infer I } ? InferSchema<I>[]
  : S extends { readonly type: "array" } ? unknown[]
  : S extends { readonly type: "object"; readonly properties: infer P } ? InferObject<
      P,
      S extends { readonly required: readonly (infer R extends string)[] } ? R : never
    >
  : S extends { readonly type: "object" } ? Record<string, unknown>
  : unknown;
