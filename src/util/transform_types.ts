/** TypeScript to JavaScript by the parser that Deno brings along, enums and namespaces included. */
import { stripTypeScriptTypes } from "node:module";

/** @throws {SyntaxError} that names the place. */
export function transformTypes(source: string): string {
  // Declared as "strip" alone by the types of a later Node, which dependencies bring along.
  return stripTypeScriptTypes(source, { mode: "transform" as never });
}
