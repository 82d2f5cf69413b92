/**
 * What a plugin says about itself, read without running any of it: `plugin.yaml`, or
 * `export const manifest = {…}` as a literal. Loads YAML and zod; the result is cached.
 */
import type { Node, Program } from "../deps/acorn.ts";
import { getPath } from "../config/tree.ts";
import { load, YAMLException } from "../deps/js_yaml.ts";
import { z } from "../deps/zod.ts";
import {
  BACKGROUND_KINDS,
  HOOK_RIGHTS,
  NO_PERMISSIONS,
  type PluginManifest,
  SESSION_RIGHTS,
} from "../protocol/plugin.ts";
import { didYouMean } from "../util/nearest.ts";
import { PluginProblem } from "./problem.ts";

export const PLUGIN_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const HOST =
  /^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;
const VARIABLE = /^(?!(LD|DYLD|DENO|NODE)_|PATH$)[A-Za-z_][A-Za-z0-9_]*$/;
const PROGRAM = /^[A-Za-z0-9][\w.+-]*$|^\/[^,\s\p{Cc}\p{Bidi_Control}]+$/u;
const PATH = /^[^,*?\p{Cc}\p{Bidi_Control}]+$/u;
const SETTING = /^[A-Za-z0-9_-]{1,64}$/;
const VISIBLE = /^[^\p{Cc}\p{Bidi_Control}]*$/u;
const PART_NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const ROUTE = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]{1,64}){1,8}(?:\/\*)?$/;
const KINDS = [
  "net",
  "read",
  "write",
  "env",
  "run",
  "hooks",
  "secrets",
  "sessions",
  "platforms",
  "providers",
  "routes",
  "background",
] as const;
const PROVIDES = [
  "tools",
  "hooks",
  "commands",
  "skills",
  "services",
  "timers",
  "platforms",
  "providers",
  "routes",
] as const;

function list(pattern: RegExp, what: string) {
  const item = z.string().regex(pattern, `is no ${what}`);
  return z.array(item).nullish().transform((value) => value ?? []);
}

/** Names out of a table; what is none of them is named with those there are. */
const rights = z.array(z.string()).nullish().transform((value) => value ?? []);

const variable = z.string().regex(VARIABLE, "is no variable a plugin may have");

/** A line people read before they say yes: nothing in it may hide or move what stands around it. */
const line = z.union([z.string(), z.number()], "must be text")
  .transform((value) => String(value).replaceAll(/\s+/g, " ").trim())
  .pipe(z.string().min(1).max(500).regex(VISIBLE, "has characters that cannot be shown"));

const ManifestSchema = z.looseObject({
  name: z.string().regex(PLUGIN_NAME, "must be up to 64 of a-z, 0-9, - and _"),
  version: line,
  description: line,
  author: z.union([line, z.looseObject({ name: line }).transform((author) => author.name)])
    .optional(),
  provides: z.record(z.string(), z.unknown()).nullish()
    .transform((kinds) => PROVIDES.filter((kind) => kinds?.[kind])),
  requires_env: z.array(
    z.union([variable, z.looseObject({ name: variable }).transform((one) => one.name)]),
  ).nullish().transform((value) => value ?? []),
  permissions: z.looseObject({
    net: list(HOST, "host: write api.example.com or api.example.com:443"),
    read: list(PATH, "path"),
    write: list(PATH, "path"),
    env: list(VARIABLE, "variable a plugin may have"),
    run: list(PROGRAM, "program"),
    hooks: rights,
    secrets: list(VARIABLE, "variable a plugin may have"),
    sessions: rights,
    platforms: list(PART_NAME, "name of a platform"),
    providers: list(PART_NAME, "name of a provider"),
    routes: list(ROUTE, "path: write /hook, or /hooks/* for everything below"),
    background: rights,
  }).nullish(),
  node_shim: z.boolean().optional(),
  config: z.record(
    z.string().regex(SETTING, "is no name of a setting"),
    z.looseObject({
      type: z.enum(["string", "number", "boolean", "list"]),
      description: line.optional(),
      required: z.boolean().optional(),
      default: z.unknown().optional(),
    }),
  ).nullish(),
});

/** Kinds of values, in words. */
const WANTED: Readonly<Record<string, string>> = {
  array: "a list: [a, b]",
  boolean: "true or false",
  object: "a mapping",
  record: "a mapping",
  string: "text",
};

/** @throws {PluginProblem} when the manifest cannot be used: says which key and why. */
export function checkManifest(value: unknown, file: string): PluginManifest {
  const result = ManifestSchema.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const { path } = issue!;
    const { message } = issue!.code === "invalid_key" ? issue!.issues[0]! : issue!;
    const key = path.join(".");
    if (key === "") throw new PluginProblem(`${file} holds no keys: it begins with name: …`);
    const isMissing = getPath(value, key) === undefined;
    const wanted = issue!.code === "invalid_type" ? WANTED[issue!.expected] : undefined;
    const wrong = wanted === undefined ? message : `must be ${wanted}`;
    throw new PluginProblem(`${file}: ${key} ${isMissing ? "is missing" : wrong}`);
  }
  const { name, version, description, author, permissions, config } = result.data;
  const odd = Object.keys(permissions ?? {}).find((kind) => !KINDS.includes(kind as "net"));
  if (odd !== undefined) {
    throw new PluginProblem(
      `${file}: permissions.${odd} is nothing a plugin can have.${didYouMean(odd, KINDS)} ` +
        `There are: ${KINDS.join(", ")}.`,
    );
  }
  const named = <T extends string>(
    kind: "hooks" | "sessions" | "background",
    known: readonly T[],
  ) => requireKnown(permissions?.[kind] ?? [], { kind, known, file });
  const tables = {
    hooks: named("hooks", HOOK_RIGHTS),
    sessions: named("sessions", SESSION_RIGHTS),
    background: named("background", BACKGROUND_KINDS),
  };
  return {
    name,
    version,
    description,
    ...(author === undefined ? {} : { author }),
    provides: result.data.provides,
    requiresEnv: result.data.requires_env,
    permissions: { ...NO_PERMISSIONS, ...permissions, ...tables },
    config: config ?? {},
    ...(result.data.node_shim ? { nodeShim: true } : {}),
  };
}

function requireKnown<T extends string>(
  names: readonly string[],
  { kind, known, file }: { kind: string; known: readonly T[]; file: string },
): T[] {
  const odd = names.find((name) => !known.includes(name as T));
  if (odd === undefined) return names as T[];
  throw new PluginProblem(
    `${file}: permissions.${kind} names "${odd}", which does not exist.` +
      `${didYouMean(odd, known)} There are: ${known.join(", ")}.`,
  );
}

/** @throws {PluginProblem} when the text is no YAML or no manifest. */
export function readYamlManifest(text: string, file: string): PluginManifest {
  let value: unknown;
  try {
    // Aliases make a mountain of a molehill, and a manifest needs none.
    value = load(text, { maxAliases: 0 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new PluginProblem(`${file} is not YAML: ${error.message.split("\n")[0]}`);
  }
  return checkManifest(value, file);
}

/** The manifest a module exports as a literal; undefined when it exports none. */
export function readModuleManifest(program: Program, file: string): PluginManifest | undefined {
  for (const statement of program.body) {
    const { declaration } = statement as { declaration?: Node | null };
    const { declarations = [] } = (declaration ?? {}) as { declarations?: Declarator[] };
    const found = statement.type === "ExportNamedDeclaration" &&
      declarations.find(({ id }) => id.name === "manifest");
    if (found) return checkManifest(literalValue(found.init, file), file);
  }
  return undefined;
}

interface Declarator {
  id: { name?: string };
  init: Literalish | null;
}

interface Literalish {
  type: string;
  value?: unknown;
  operator?: string;
  argument?: Literalish;
  elements?: (Literalish | null)[];
  properties?: { type: string; computed?: boolean; key: Key; value: Literalish }[];
  quasis?: { value: { cooked: string } }[];
}

interface Key {
  type: string;
  name?: string;
  value?: unknown;
}

/** The value of a literal expression: nothing is run to know it. */
function literalValue(node: Literalish | null, file: string): unknown {
  if (node === null) throw notLiteral(file);
  if (node.type === "Literal") return node.value;
  if (node.type === "UnaryExpression" && node.operator === "-") {
    return -Number(literalValue(node.argument!, file));
  }
  if (node.type === "TemplateLiteral" && node.quasis?.length === 1) {
    return node.quasis[0]!.value.cooked;
  }
  if (node.type === "ArrayExpression") {
    return node.elements!.map((element) => literalValue(element, file));
  }
  if (node.type === "ObjectExpression") {
    return Object.fromEntries(node.properties!.map((property) => {
      if (property.type !== "Property" || property.computed) throw notLiteral(file);
      return [String(property.key.name ?? property.key.value), literalValue(property.value, file)];
    }));
  }
  throw notLiteral(file);
}

function notLiteral(file: string): PluginProblem {
  return new PluginProblem(
    `${file}: "export const manifest" must be a plain literal: it is read before the plugin runs`,
  );
}
