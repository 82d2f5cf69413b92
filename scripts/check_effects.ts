/**
 * Fails when a tool executes, spawns, writes or sends and does not declare it, when it declares
 * effects and no approval, or when it has no renderers. Reads the syntax tree of a tool's module
 * and of the `_helpers` it imports; `src/registry/dispatch/effects.ts` refuses at run time what hides here.
 */
import { stripTypeScriptTypes } from "node:module";
import { type Node, parse } from "../src/deps/acorn.ts";
import type { ToolEffect, ToolSpec } from "../src/protocol/tool.ts";
import { ENVIRONMENT_EFFECTS } from "../src/registry/dispatch/effects.ts";
import { registry } from "../src/registry/registry.ts";
import { toolNames } from "./gen.ts";
import { finish, ROOT } from "./_tree.ts";

/** One place that has an effect. */
export interface EffectUse {
  effect: ToolEffect;
  file: string;
  line: number;
  text: string;
}

/** Methods with an effect by what they are called on; `*` is anything. */
const METHODS: readonly (readonly [on: string, method: string, effect: ToolEffect])[] = [
  ...[...ENVIRONMENT_EFFECTS].map(([method, effect]) => ["env", method, effect] as const),
  ["processes", "start", "spawn"],
  ["process", "write", "execute"],
  ["managed", "kill", "execute"],
  ["sandbox", "run", "execute"],
  ["*", "callTool", "execute"],
  ["*", "fetch", "send"],
];

/** Modules whose mere import is a way to an effect. */
const MODULES: readonly (readonly [module: RegExp, effect: ToolEffect])[] = [
  [/^node:child_process$|\/type_stripper\.ts$/, "execute"],
  [/^node:fs(?:\/|$)/, "write"],
  [/^node:(?:net|tls|dgram|https?|http2)$/, "send"],
];

interface AnyNode extends Node {
  name?: string;
  value?: unknown;
  callee?: AnyNode;
  object?: AnyNode;
  property?: AnyNode;
  properties?: (AnyNode & { key?: AnyNode })[];
  source?: AnyNode | null;
  id?: AnyNode;
  init?: AnyNode | null;
}

/** The effects of one module's own code, and the modules it imports. */
export function readModule(
  file: string,
  source: string,
): { uses: EffectUse[]; imports: string[] } {
  const code = stripTypeScriptTypes(source);
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  const uses: EffectUse[] = [];
  const imports: string[] = [];
  visit(tree, (node) => {
    const from = importOf(node);
    if (from !== undefined) imports.push(from);
    for (const effect of effectsOf(node, from)) {
      const text = code.slice(node.start, node.end).split("\n")[0]!.slice(0, 80);
      uses.push({ effect, file, line: node.loc?.start.line ?? 0, text });
    }
  });
  return { uses, imports };
}

function importOf(node: AnyNode): string | undefined {
  if (!/^(?:Import|ExportNamed|ExportAll)(?:Declaration|Expression)$/.test(node.type)) {
    return undefined;
  }
  return typeof node.source?.value === "string" ? node.source.value : undefined;
}

function effectsOf(node: AnyNode, from: string | undefined): ToolEffect[] {
  if (from !== undefined) {
    return MODULES.filter(([module]) => module.test(from)).map(([, effect]) => effect);
  }
  // A method that is taken out of its object can be called under any name.
  if (node.type === "VariableDeclarator" && node.id?.type === "ObjectPattern") {
    const keys = (node.id.properties ?? []).map(({ key }) => key?.name);
    return METHODS.filter(([owner, method]) =>
      keys.includes(method) && lastName(node.init) === (owner === "*" ? "ctx" : owner)
    ).map(([, , effect]) => effect);
  }
  if (node.type === "CallExpression" && node.callee?.type === "Identifier") {
    return node.callee.name === "fetch" ? ["send"] : [];
  }
  if (node.type !== "MemberExpression") return [];
  const method = nameOf(node.property);
  const on = lastName(node.object);
  return METHODS.filter(([owner, name]) => name === method && (owner === "*" || owner === on))
    .map(([, , effect]) => effect);
}

/** `env` of `env`, `ctx.env` and `this.#ctx.env`. */
function lastName(node: AnyNode | null | undefined): string | undefined {
  return nameOf(node?.type === "MemberExpression" ? node.property : node ?? undefined);
}

function nameOf(node: AnyNode | undefined): string | undefined {
  return typeof node?.value === "string" ? node.value : node?.name;
}

/** What is wrong with a tool, given everything that its code does. */
export function toolProblems(
  spec: Pick<ToolSpec, "name" | "effects" | "approval" | "view">,
  uses: readonly EffectUse[],
): string[] {
  const declared = spec.effects ?? [];
  const problems = uses.filter(({ effect }) => !declared.includes(effect)).map((use) =>
    `${use.file}:${use.line}: the tool ${spec.name} has the effect "${use.effect}" here and does ` +
    `not declare it: ${use.text}`
  );
  for (const effect of declared) {
    if (uses.some((use) => use.effect === effect)) continue;
    problems.push(`tools/${spec.name}.ts: declares the effect "${effect}" and has none of it`);
  }
  if (declared.length > 0 && spec.approval === undefined) {
    problems.push(`tools/${spec.name}.ts: has effects and declares no approval`);
  }
  if (spec.view === undefined) {
    problems.push(`tools/${spec.name}.ts: has no view: how is its result shown?`);
  }
  return problems;
}

/** The uses of a module and of all it imports from its folder. */
async function usesBelow(file: string, seen: Set<string>): Promise<EffectUse[]> {
  if (seen.has(file)) return [];
  seen.add(file);
  const { uses, imports } = readModule(file, await Deno.readTextFile(`${ROOT}/${file}`));
  const helpers = imports.filter((name) => name.startsWith("./"));
  const below = helpers.map((name) => usesBelow(`tools/${name.slice(2)}`, seen));
  return [...uses, ...(await Promise.all(below)).flat()];
}

function visit(node: unknown, see: (node: AnyNode) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, see);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  if (typeof (node as AnyNode).type === "string") see(node as AnyNode);
  for (const [key, value] of Object.entries(node)) if (key !== "loc") visit(value, see);
}

if (import.meta.main) {
  const problems: string[] = [];
  for (const name of await toolNames()) {
    const uses = await usesBelow(`tools/${name}.ts`, new Set());
    await import(`${ROOT}/tools/${name}.ts`);
    const spec = registry.get(name);
    problems.push(
      ...(spec === undefined ? [`tools/${name}.ts: is not registered`] : toolProblems(spec, uses)),
    );
  }
  finish([...problems, ...registry.problems]);
}
