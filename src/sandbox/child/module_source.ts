/**
 * Module source as text and tree: parsed, edited in place. Shared by scripts and
 * plugins, which both reach their process as plain JavaScript. Runs in the parent only.
 */
import type { Node, Program } from "../../deps/acorn.ts";

/** The source cannot run as written; the message names line and column. */
export class ScriptSyntaxError extends Error {
  override name = "ScriptSyntaxError";
}

/** A stretch of source text and what stands there instead. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The syntax tree of a module. @throws {ScriptSyntaxError} with the place. */
export async function parseModule(code: string, name: string): Promise<Program> {
  const { parse } = await import("../../deps/acorn.ts");
  try {
    return parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, column } = (error as SyntaxError & { loc: { line: number; column: number } }).loc;
    const text = code.split("\n")[line - 1] ?? "";
    const message = error.message.replace(/ \(\d+:\d+\)$/, "");
    throw new ScriptSyntaxError(
      `SyntaxError: ${message}\n  ${text}\n  ${" ".repeat(column)}^\n` +
        `    at ${name}:${line}:${column + 1}`,
    );
  }
}

export function isStringLiteral(value: unknown): value is Node & { value: string } {
  const node = value as { type?: string; value?: unknown } | null | undefined;
  return node?.type === "Literal" && typeof node.value === "string";
}

/** Every node of a tree, parents first. Not recursive: deep trees would cost the square of their depth. */
export function* walkTree(root: Node): Generator<Node, void, void> {
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    const children = Object.values(node).flat().filter((value) => typeof value?.type === "string");
    for (const child of children.reverse()) open.push(child);
  }
}

export function applyEdits(code: string, edits: readonly Edit[]): string {
  let text = code;
  for (const edit of edits.toSorted((a, b) => b.start - a.start)) {
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  }
  return text;
}
