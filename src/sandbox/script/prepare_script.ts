/**
 * From what the model wrote to what the child imports: TypeScript stripped, `hermes_tools`
 * resolved, foreign imports refused, declarations of a session kept. Runs in the parent; the
 * child never sees a parser. Lines keep their numbers.
 */
import type { Node, Program } from "../../deps/acorn.ts";
import type { ScriptLanguage } from "../../protocol/script.ts";
import { PURE_BUILTINS } from "../walls/internals_data.ts";
import {
  applyEdits,
  type Edit,
  isStringLiteral,
  parseModule,
  ScriptSyntaxError,
  walkTree,
} from "../child/module_source.ts";
import { TypeStripper } from "./type_stripper.ts";

export interface PrepareOptions {
  language: Exclude<ScriptLanguage, "python">;
  /** What `hermes_tools` resolves to. */
  stubUrl: string;
  /** Why a name cannot be imported from `hermes_tools`; undefined when it can. */
  refuseImport(name: string): string | undefined;
  /** Keeps top-level declarations on `globalThis` for the next run. */
  session: boolean;
}

/** What messages call the script. */
const FILE = "script.ts";

/** What may be imported; the others would only fail at run time, less clearly. */
const PURE_MODULES = new Set(PURE_BUILTINS.flatMap((name) => [`node:${name}`, name]));

/** @throws {ScriptSyntaxError} when the script cannot run as written. */
export async function prepareScript(source: string, options: PrepareOptions): Promise<string> {
  const { code, program } = await readSource(source, options.language);
  const edits = [...importEdits(program, code, options)];
  const text = applyEdits(code, edits);
  return options.session ? keepDeclarations(program) + text : text;
}

/** Text that JavaScript and TypeScript may both accept and mean differently: `f<T>(x)`. */
function mayBeGenericCall(source: string): boolean {
  const start = source.indexOf("<");
  return start >= 0 && /[^=]>\s*[(`]/.test(source.slice(start + 1));
}

/** Most scripts are JavaScript already, and starting the type stripper takes 40 ms. */
async function readSource(
  source: string,
  language: PrepareOptions["language"],
): Promise<{ code: string; program: Program }> {
  if (language === "javascript" || !mayBeGenericCall(source)) {
    try {
      return { code: source, program: await parseModule(source, FILE) };
    } catch (error) {
      if (language === "javascript" || !(error instanceof ScriptSyntaxError)) throw error;
    }
  }
  await using stripper = new TypeStripper();
  const code = await stripper.strip(source, FILE);
  return { code, program: await parseModule(code, FILE) };
}

function* importEdits(
  program: Program,
  code: string,
  options: PrepareOptions,
): Generator<Edit, void, void> {
  for (const node of walkTree(program)) {
    if (!("source" in node)) continue;
    const source = (node as { source?: unknown }).source;
    if (!isStringLiteral(source)) continue;
    const where = `${FILE}:${node.loc!.start.line}:${node.loc!.start.column + 1}`;
    if (source.value === "hermes_tools") {
      for (const name of importedNames(node)) {
        const problem = options.refuseImport(name);
        if (problem !== undefined) throw new ScriptSyntaxError(`${problem}\n    at ${where}`);
      }
      yield { start: source.start, end: source.end, text: JSON.stringify(options.stubUrl) };
    } else if (node.type !== "ImportExpression" && !PURE_MODULES.has(source.value)) {
      throw new ScriptSyntaxError(
        `Cannot import ${code.slice(source.start, source.end)}: a script may import only ` +
          `"hermes_tools" and modules of pure computation like "node:path"\n    at ${where}`,
      );
    } else if (PURE_MODULES.has(source.value) && !source.value.startsWith("node:")) {
      yield { start: source.start, end: source.end, text: JSON.stringify(`node:${source.value}`) };
    }
  }
}

function importedNames(node: Node): string[] {
  const { specifiers = [] } = node as { specifiers?: { type: string; imported?: Named }[] };
  return specifiers.flatMap((one) => {
    if (one.type === "ImportDefaultSpecifier") return ["default"];
    return one.imported ? [one.imported.name ?? String(one.imported.value)] : [];
  });
}

interface Named {
  name?: string;
  value?: unknown;
}

/** Accessors for everything the module declares, so that the next run sees the same variables. */
function keepDeclarations(program: Program): string {
  const accessors = program.body.flatMap((statement) => {
    const inner = (statement as { declaration?: Node | null }).declaration ?? statement;
    return declaredNames(inner).map(({ name, constant }) => {
      const setter = constant ? "" : `,set:(v)=>{${name}=v}`;
      return `${name}:{configurable:true,enumerable:true,get:()=>${name}${setter}}`;
    });
  });
  if (accessors.length === 0) return "";
  return `Object.defineProperties(globalThis,{${accessors.join(",")}});`;
}

function declaredNames(node: Node): { name: string; constant: boolean }[] {
  const { type, kind, declarations = [], specifiers = [], id } = node as Node & {
    kind?: string;
    declarations?: { id: Node }[];
    specifiers?: { local: { name: string } }[];
    id?: { name: string } | null;
  };
  if (type === "VariableDeclaration") {
    const constant = kind !== "let" && kind !== "var";
    return declarations.flatMap((one) => bindings(one.id)).map((name) => ({ name, constant }));
  }
  if (type === "ImportDeclaration") {
    return specifiers.map(({ local }) => ({ name: local.name, constant: true }));
  }
  if (type === "FunctionDeclaration" || type === "ClassDeclaration") {
    return id ? [{ name: id.name, constant: false }] : [];
  }
  return [];
}

/** The names a binding pattern binds. */
function bindings(pattern: Node): string[] {
  const node = pattern as Node & {
    name: string;
    properties: Node[];
    elements: (Node | null)[];
    value: Node;
    left: Node;
    argument: Node;
  };
  switch (node.type) {
    case "Identifier":
      return [node.name];
    case "ObjectPattern":
      return node.properties.flatMap(bindings);
    case "ArrayPattern":
      return node.elements.flatMap((element) => element ? bindings(element) : []);
    case "Property":
      return bindings(node.value);
    case "AssignmentPattern":
      return bindings(node.left);
    default: // RestElement
      return bindings(node.argument);
  }
}
