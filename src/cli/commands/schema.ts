/** `hermes schema events|config`: the published JSON Schemas. */
import type { CommandInput } from "../command.ts";
import { out } from "../io.ts";

export async function main(input: CommandInput): Promise<number> {
  const schema = input.path[1] === "config"
    ? (await import("../../config/describe.ts")).configJsonSchema()
    : (await import("../../protocol/event_schema.ts")).eventJsonSchema();
  out(`${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}
