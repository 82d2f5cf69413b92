/**
 * Every regular expression of the program: literals, and those built by `RegExp(…)`, found in the
 * syntax tree. A built one has a source here only when all of its text is constant.
 */
import { type Node, parse } from "../src/deps/acorn.ts";
import { stripTypeScriptTypes } from "node:module";
import { isTest, ROOT, typescriptFiles } from "./_tree.ts";

export interface FoundRegex {
  file: string;
  line: number;
  /** Undefined when it is built from values that only exist at run time. */
  source: string | undefined;
  flags: string;
  /** How it is written in the program. */
  text: string;
}

/** Folders whose expressions meet text that hermes did not write. */
const FOLDERS = ["src", "tools", "environments", "plugins"];

/** All of them, in order of files and lines. */
export async function listRegexes(): Promise<FoundRegex[]> {
  const found: FoundRegex[] = [];
  for (const folder of FOLDERS) {
    for (const file of await typescriptFiles(folder)) {
      if (isTest(file) || file.includes("/testdata/")) continue;
      found.push(...regexesIn(file, await Deno.readTextFile(`${ROOT}/${file}`)));
    }
  }
  return found;
}

/** Those of one TypeScript file. */
export function regexesIn(file: string, text: string): FoundRegex[] {
  const code = javascriptOf(text);
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  const found: FoundRegex[] = [];
  visit(tree, (node) => {
    const regex = regexOf(node);
    if (regex === undefined) return;
    const line = (node as Node & { loc: { start: { line: number } } }).loc.start.line;
    found.push({ file, line, ...regex, text: code.slice(node.start, node.end) });
  });
  return found;
}

/** Positions stay, except in the few files whose syntax cannot be blanked out. */
function javascriptOf(text: string): string {
  try {
    return stripTypeScriptTypes(text);
  } catch {
    // Parameter properties and the like: these have to be rewritten.
    return stripTypeScriptTypes(text, { mode: "transform" as "strip" });
  }
}

/** Fields of acorn's nodes that are looked at here. */
interface AnyNode extends Node {
  regex?: { pattern: string; flags: string };
  callee?: { type: string; name?: string };
  arguments?: AnyNode[];
  value?: unknown;
  quasis?: { value: { cooked: string } }[];
  expressions?: AnyNode[];
  operator?: string;
  left?: AnyNode;
  right?: AnyNode;
  tag?: AnyNode & { property?: { name?: string } };
  quasi?: AnyNode & { quasis: { value: { raw: string } }[] };
}

function regexOf(node: AnyNode): { source: string | undefined; flags: string } | undefined {
  if (node.type === "Literal" && node.regex) {
    return { source: node.regex.pattern, flags: node.regex.flags };
  }
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return undefined;
  if (node.callee?.type !== "Identifier" || node.callee.name !== "RegExp") return undefined;
  const [source, flags] = node.arguments ?? [];
  return {
    source: source && constantText(source),
    flags: (flags && constantText(flags)) ?? "",
  };
}

/** The value of an expression made of string constants alone. */
function constantText(node: AnyNode): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions?.length === 0) {
    return node.quasis![0]!.value.cooked;
  }
  if (node.type === "TaggedTemplateExpression" && node.tag?.property?.name === "raw") {
    const { quasi } = node;
    return quasi?.expressions?.length === 0 ? quasi.quasis[0]!.value.raw : undefined;
  }
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const [left, right] = [constantText(node.left!), constantText(node.right!)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

function visit(node: unknown, see: (node: AnyNode) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, see);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  if (typeof (node as AnyNode).type === "string") see(node as AnyNode);
  for (const [key, value] of Object.entries(node)) {
    if (key !== "regex" && key !== "loc") visit(value, see);
  }
}
