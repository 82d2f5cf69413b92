/**
 * What the model is told about tools: resolved names → availability → dynamic schemas →
 * sanitised, in a byte-stable order. Nothing here waits unless a tool has a check or a
 * dynamic schema.
 */
import type { ToolDefinition } from "../protocol/provider.ts";
import type { Availability } from "./tool_availability.ts";
import type { ToolRegistry } from "./registry.ts";
import { sanitizeParameters } from "./schema.ts";

export interface DefinitionOptions {
  registry: ToolRegistry;
  availability: Availability;
  /** Resolved tool names (see `toolsets.ts`). */
  names: readonly string[];
  config(path: string): unknown;
  log?: (line: string) => void;
}

export interface BuiltDefinitions {
  /** Sorted by name; the same tools give the same bytes. */
  definitions: ToolDefinition[];
  /** Why a resolved tool is not offered. */
  unavailable: ReadonlyMap<string, string>;
}

/** Builds the definitions of one session. */
export async function buildDefinitions(options: DefinitionOptions): Promise<BuiltDefinitions> {
  const { registry } = options;
  const names = [...new Set(options.names)].filter((name) => registry.facts(name)).sort();
  const dynamic = names.filter((name) => registry.pending(name)?.dynamic);
  if (dynamic.length > 0) await Promise.all(dynamic.map((name) => registry.load(name)));
  const unavailable = await options.availability.unavailable(names);
  const offered = names.filter((name) => !unavailable.has(name));
  const table = new Map<string, ToolDefinition>();
  for (const name of offered) {
    const { description, schema } = registry.facts(name)!;
    table.set(name, { name, description, parameters: schema });
  }
  for (const name of offered) patch(name, table, options);
  const definitions = [...table.values()].map((definition) => ({
    ...definition,
    parameters: sanitizeParameters(definition.parameters),
  }));
  return { definitions, unavailable };
}

function patch(
  name: string,
  table: Map<string, ToolDefinition>,
  options: DefinitionOptions,
): void {
  const rewrite = options.registry.get(name)?.dynamicSchema;
  if (!rewrite) return;
  try {
    const change = rewrite({
      tools: [...table.keys()],
      definitions: table,
      config: options.config,
      checks: options.availability.context,
    });
    if (change) table.set(name, { ...table.get(name)!, ...change, name });
  } catch (error) {
    options.log?.(`Dynamic schema of "${name}" failed, the static one is used: ${error}`);
  }
}
