/** Commands in normal form, for people and for the user's globs. */
import type { CompoundCommand } from "./shell_ast.ts";
import { shellQuote } from "../../util/shell_quote.ts";
import { hasUnknown, showUnknown } from "./unknown.ts";
import type { Invocation } from "./invocation.ts";

/** One command on one line: expanded, quoted where needed, with its redirections. */
export function showCommand(
  argv: readonly string[],
  { env, redirects }: Pick<Invocation, "env" | "redirects">,
): string {
  const words = argv.map((word) => hasUnknown(word) ? showUnknown(word) : quoteIfNeeded(word));
  for (const { fd, op, target, text } of redirects) {
    words.push(`${fd}${op}${text === undefined ? " " : ""}${showUnknown(target)}`);
  }
  const assignments = [...env].map(([name, value]) =>
    `${name}=${quoteIfNeeded(showUnknown(value))}`
  );
  return [...assignments, ...words].join(" ");
}

/** Quotes only what a reader could take for something else than one word. */
function quoteIfNeeded(word: string): string {
  return word === "" || /[\s;&|<>()'"`\\#]/.test(word) ? shellQuote(word) : word;
}

/** A loop, branch or group in normal form. */
export function showCompound(node: CompoundCommand, bodies: readonly string[]): string {
  if (node.keyword === "(") return `(${bodies.join("; ")})`;
  const text = [...node.words?.map((word) => word.raw) ?? [], ...bodies].join("; ");
  return node.keyword === "{" ? `{ ${text}; }` : `${node.keyword} ${text}; end`;
}
