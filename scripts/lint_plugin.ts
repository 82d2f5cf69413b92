/**
 * The project's own lint rules (AGENTS.md) as a `deno lint` plugin: what a formatter or the
 * type checker cannot see. `scripts/check_size.ts` and `check_layers.ts` hold the rest.
 */

const MAX_FUNCTION_LINES = 80;
const MAX_COMMENT_LINES = 6;
const MAX_POSITIONAL = 2;

type Visitor = Deno.lint.LintVisitor;
type Context = Deno.lint.RuleContext;
type FunctionNode =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

function isTestFile(path: string): boolean {
  return path.endsWith("_test.ts") || path.includes("/tests/");
}

function noTopLevelArrow(context: Context): Visitor {
  const message = "Write a top-level function as a declaration";
  function check(node: Deno.lint.VariableDeclarator): void {
    const kind = node.init?.type;
    if (kind === "ArrowFunctionExpression" || kind === "FunctionExpression") {
      context.report({ node, message });
    }
  }
  return {
    "Program > VariableDeclaration > VariableDeclarator": check,
    "Program > ExportNamedDeclaration > VariableDeclaration > VariableDeclarator": check,
  };
}

function hashPrivate(context: Context): Visitor {
  function check(node: Deno.lint.Node): void {
    // By text, because the tree leaves `accessibility` out of parameter properties. A constructor
    // has no other way to be private.
    if (/^private\b(?!\s+constructor\b)/.test(context.sourceCode.getText(node))) {
      context.report({ node, message: "Use #name instead of `private`" });
    }
  }
  return { PropertyDefinition: check, MethodDefinition: check, TSParameterProperty: check };
}

function noDefaultExport(context: Context): Visitor {
  // Deno and the plugin host load these two by their default export.
  if (/\/(scripts\/lint_plugin\.ts|plugins\/.*)$/.test(context.filename)) return {};
  return {
    ExportDefaultDeclaration(node) {
      context.report({ node, message: "Export by name" });
    },
  };
}

function moduleComment(context: Context): Visitor {
  if (context.filename.endsWith("_test.ts")) return {};
  const message = "Open the file with a /** … */ comment of 1–6 lines: what it owns";
  return {
    Program() {
      const { text } = context.sourceCode;
      const [first] = context.sourceCode.getAllComments();
      const start = /^(#!.*\n)?\s*/.exec(text)![0].length;
      const opens = first?.type === "Block" && first.value.startsWith("*") &&
        first.range[0] === start;
      const lines = opens ? first.value.split("\n").filter((line) => /[^\s*]/.test(line)) : [];
      if (lines.length < 1 || lines.length > MAX_COMMENT_LINES) {
        context.report({ range: [start, start + 1], message });
      }
    },
  };
}

function noDenoInTools(context: Context): Visitor {
  // The whole program may lie in a folder of that name; a command of that name is no tool.
  if (!/(?<!\/cli\/commands)\/tools\/(?!main\.ts$)[^/]+$/.test(context.filename)) return {};
  if (isTestFile(context.filename)) return {};
  return {
    'MemberExpression > Identifier[name="Deno"]'(node: Deno.lint.Identifier) {
      context.report({ node, message: "Tools reach the world through ctx" });
    },
  };
}

function envInCli(context: Context): Visitor {
  const { filename } = context;
  if (/\/(src\/cli|scripts)\/|\/main\.ts$/.test(filename) || isTestFile(filename)) return {};
  return {
    'MemberExpression[object.name="Deno"][property.name="env"]'(node: Deno.lint.Node) {
      context.report({ node, message: "Take the environment as an argument; src/cli reads it" });
    },
  };
}

/** Where programs may be started, and why there. `check_layers.ts` keeps `node:child_process` out. */
const SPAWNING_PLACES: readonly [place: RegExp, reason: string][] = [
  [/\/src\/process\//, "the supervisor of all child processes"],
  [/\/scripts\//, "tools of developers: no model, no credential, a person watches"],
  [/_test\.ts$|\/(tests|testdata)\//, "tests start hermes and its surroundings"],
];

function spawnInProcess(context: Context): Visitor {
  if (SPAWNING_PLACES.some(([place]) => place.test(context.filename))) return {};
  const message = "Start programs through src/process: environment, group, limits and end";
  function check(node: Deno.lint.Node): void {
    context.report({ node, message });
  }
  return {
    'MemberExpression[object.name="Deno"][property.name=/^(Command|spawn|spawnAndWait)/]': check,
    'VariableDeclarator[init.name="Deno"] Property[key.name=/^(Command|spawn|spawnAndWait)/]':
      check,
  };
}

function noConsole(context: Context): Visitor {
  const { filename } = context;
  if (/\/(src\/cli|scripts)\//.test(filename) || isTestFile(filename)) return {};
  return {
    'MemberExpression[object.name="console"]'(node: Deno.lint.Node) {
      context.report({ node, message: "Only src/cli and scripts print" });
    },
  };
}

function emptyCatch(context: Context): Visitor {
  return {
    CatchClause(node) {
      if (node.body.body.length > 0) return;
      if (context.sourceCode.getCommentsInside(node.body).length > 0) return;
      context.report({ node, message: "Say in a comment why silence is right" });
    },
  };
}

function noBarrel(context: Context): Visitor {
  if (/\/src\/(deps\/[^/]+|plugin_api\.ts)$/.test(context.filename)) return {};
  const message = "Import the file you mean instead of re-exporting it";
  return {
    ExportAllDeclaration(node) {
      context.report({ node, message });
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) context.report({ node, message });
    },
  };
}

function maxParams(context: Context): Visitor {
  return {
    "ExportNamedDeclaration > FunctionDeclaration"(node: Deno.lint.FunctionDeclaration) {
      const rest = node.params.slice(MAX_POSITIONAL);
      if (rest.length === 0 || (rest.length === 1 && !isScalar(rest[0]!))) return;
      const range: [number, number] = [rest[0]!.range[0], rest.at(-1)!.range[1]];
      const message = "At most two positional arguments, then an options object";
      context.report({ range, message });
    },
  };
}

/** True for a parameter annotated `string`, `number` or `boolean`: never an options object. */
function isScalar(parameter: Deno.lint.Parameter): boolean {
  const target = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
  const annotation = "typeAnnotation" in target ? target.typeAnnotation?.typeAnnotation : undefined;
  return /^TS(String|Number|Boolean)Keyword$/.test(annotation?.type ?? "");
}

function maxFunctionLines(context: Context): Visitor {
  function check(node: FunctionNode): void {
    const lines = context.sourceCode.getText(node).split("\n").length;
    if (lines <= MAX_FUNCTION_LINES) return;
    const message = `${lines} lines in one function, at most ${MAX_FUNCTION_LINES}`;
    context.report({ range: [node.range[0], node.range[0] + 1], message });
  }
  return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
}

const plugin: Deno.lint.Plugin = {
  name: "hermes",
  rules: {
    "no-top-level-arrow": { create: noTopLevelArrow },
    "hash-private": { create: hashPrivate },
    "no-default-export": { create: noDefaultExport },
    "module-comment": { create: moduleComment },
    "no-deno-in-tools": { create: noDenoInTools },
    "env-in-cli": { create: envInCli },
    "spawn-in-process": { create: spawnInProcess },
    "no-console": { create: noConsole },
    "empty-catch": { create: emptyCatch },
    "no-barrel": { create: noBarrel },
    "max-params": { create: maxParams },
    "max-function-lines": { create: maxFunctionLines },
  },
};

export default plugin;
