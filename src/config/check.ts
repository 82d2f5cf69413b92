/**
 * The text of `config.yaml` → its canonical tree, with everything wrong in it named by line,
 * key, value and fix. Loads YAML and the schema: only after an edit, never on a cached start.
 */
import { load, YAMLException } from "../deps/js_yaml.ts";
import { z } from "../deps/zod.ts";
import { nearest } from "../util/nearest.ts";
import { DEFAULTS } from "./defaults_data.ts";
import { normalizeConfig } from "./normalize.ts";
import { ConfigSchema } from "./schema.ts";
import { isSecretPath } from "./secrets.ts";
import { getPath, isTree, mergeTrees, type Tree } from "./tree.ts";

export interface Problem {
  /** Dotted key; empty for the file as a whole. */
  path: string;
  /** What is wrong, the value included. */
  message: string;
  fix: string;
  /** One-based; absent when the place is unknown. */
  line?: number;
  column?: number;
}

export interface CheckedConfig {
  /** What the file says, in canonical keys. */
  tree: Tree;
  problems: Problem[];
  warnings: Problem[];
}

const MAX_SIZE = 4_000_000;
const MAX_SHOWN = 60;
/** More is not shown; finding the place of each takes as long as the file has keys. */
const MAX_TOLD = 100;

/** Parses and checks; broken YAML is a problem like any other. */
export async function checkConfigText(text: string): Promise<CheckedConfig> {
  const parsed = parseYaml(text);
  if (!("tree" in parsed)) return { tree: {}, problems: [parsed], warnings: [] };
  const tree = normalizeConfig(parsed.tree);
  const merged = mergeTrees(DEFAULTS, tree);
  const result = ConfigSchema.safeParse(merged);
  const issues = (result.error?.issues ?? []).slice(0, MAX_TOLD);
  const problems = issues.map((issue) => describeIssue(issue, merged));
  const warnings = unknownKeys(tree, ConfigSchema, "").take(MAX_TOLD).toArray();
  if (problems.length + warnings.length > 0) {
    const { locate } = await import("./locate.ts");
    locate(text, [...problems, ...warnings]);
  }
  return { tree, problems, warnings };
}

/** `config.yaml:3:5: message`. */
export function formatProblem(file: string, problem: Problem): string {
  const place = problem.line === undefined ? "" : `:${problem.line}:${problem.column}`;
  return `${file}${place}: ${problem.message}`;
}

function parseYaml(text: string): { tree: Tree } | Problem {
  let value: unknown;
  try {
    value = load(text.replace(/^\ufeff/, ""));
    requireSmall(value);
  } catch (error) {
    if (error instanceof YAMLException) {
      return isBlank(text) ? { tree: {} } : syntaxProblem(error, text);
    }
    const reason = error instanceof TypeError ? "an alias refers to itself" : String(error);
    return { path: "", message: `cannot be used: ${reason}`, fix: "Write the values out." };
  }
  if (value === null) return { tree: {} };
  if (isTree(value)) return { tree: value };
  const kind = Array.isArray(value) ? "a list" : `the ${typeof value} ${shown(value)}`;
  return {
    path: "",
    message: `must hold "key: value" lines, but is ${kind}`,
    fix: `Begin with a key such as "model:".`,
    line: 1,
    column: 1,
  };
}

/**
 * Aliases make a mountain of a few lines: what stands behind them is counted as often as it is
 * used, and no further than the limit. @throws {RangeError | TypeError}
 */
function requireSmall(root: unknown): void {
  let left = MAX_SIZE;
  const above = new Set<unknown>();
  const visit = (value: unknown) => {
    left -= typeof value === "string" ? value.length : 4;
    if (left < 0) throw new RangeError("larger than 4 MB");
    if (typeof value !== "object" || value === null) return;
    if (above.has(value)) throw new TypeError("cyclic");
    above.add(value);
    for (const [key, item] of Object.entries(value)) {
      left -= key.length;
      visit(item);
    }
    above.delete(value);
  };
  visit(root);
}

/** Only comments and blank lines: the reader calls that "no document". */
function isBlank(text: string): boolean {
  return text.split("\n").every((line) => /^\ufeff?\s*(#.*)?$/.test(line));
}

function syntaxProblem(error: YAMLException, text: string): Problem {
  const problem: Problem = {
    path: "",
    message: `broken YAML: ${error.reason}`,
    fix: `Correct that line: hermes config edit`,
  };
  if (error.mark === undefined || error.mark === null) return problem;
  const source = text.split("\n")[error.mark.line]?.trim() ?? "";
  const near = source === "" || isSecretPath(source.split(":")[0]!.trim())
    ? ""
    : ` near ${shown(source)}`;
  const { line, column } = error.mark;
  return { ...problem, message: problem.message + near, line: line + 1, column: column + 1 };
}

function describeIssue(issue: z.core.$ZodIssue, merged: Tree): Problem {
  const path = issue.path.join(".");
  const value = getPath(merged, path);
  const wanted = expectation(issue);
  const got = isSecretPath(path) ? " (the value is hidden)" : `, not ${shown(value)}`;
  const message = value === undefined ? `${path} is missing` : `${path} must be ${wanted}${got}`;
  const standard = getPath(DEFAULTS, path);
  const suggestion = issue.code === "invalid_value"
    ? nearest(String(value), issue.values.map(String))
    : undefined;
  const isOutside = issue.code === "too_big" || issue.code === "too_small";
  // The default of a number may mean something else than the nearest one that is allowed.
  const example = isOutside && standard === 0 ? limitOf(issue) : suggestion ?? standard;
  return {
    path,
    message,
    fix: example === undefined || typeof example === "object"
      ? "Correct it: hermes config edit"
      : `Set it: hermes config set ${path} ${JSON.stringify(example)}`,
  };
}

function limitOf(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): number {
  return Number(issue.code === "too_big" ? issue.maximum : issue.minimum);
}

const KINDS: Record<string, string> = {
  number: "a number",
  int: "a whole number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return KINDS[issue.expected] ?? issue.expected;
    case "invalid_value": {
      const values = issue.values.filter((value) => value !== "");
      return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
    }
    case "too_small":
      return `at least ${issue.minimum}`;
    case "too_big":
      return `at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Keys the schema does not know, each with the nearest one it does. */
function* unknownKeys(value: unknown, schema: z.core.$ZodType, prefix: string): Generator<Problem> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    yield* unknownKeys(value, schema.unwrap(), prefix);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      yield* unknownKeys(item, schema.element, `${prefix}${i}.`);
    }
  } else if (schema instanceof z.ZodRecord && isTree(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield* unknownKeys(item, schema.valueType, `${prefix}${key}.`);
    }
  } else if (schema instanceof z.ZodObject && isTree(value)) {
    for (const [key, item] of Object.entries(value)) {
      const known = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
      if (known !== undefined) yield* unknownKeys(item, known, `${prefix}${key}.`);
      else yield unknownKey(`${prefix}${key}`, key, Object.keys(schema.shape));
    }
  }
}

function unknownKey(path: string, key: string, known: string[]): Problem {
  const near = nearest(key, known);
  const suggestion = near === undefined ? undefined : path.slice(0, -key.length) + near;
  return {
    path,
    message: `unknown key "${path}"` +
      (suggestion === undefined ? " is ignored" : ` is ignored; did you mean "${suggestion}"?`),
    fix: `Remove it: hermes config unset ${path}`,
  };
}
