/**
 * A plugin's modules as text: which others each imports, and the plain JavaScript that its
 * process loads from files. Runs in hermes, before anything of the plugin does.
 */
import type { Node, Program } from "../deps/acorn.ts";
import {
  applyEdits,
  isStringLiteral,
  parseModule,
  ScriptSyntaxError,
  walkTree,
} from "../sandbox/child/module_source.ts";
import type { TypeStripper } from "../sandbox/script/type_stripper.ts";
import { didYouMean } from "../util/nearest.ts";
import { dirname, relativePath } from "../util/path.ts";
import { PluginProblem, reasonOf } from "./problem.ts";
import { encodePath, fileUrl, shortName } from "./source.ts";

/** One `import` of another file, by its URL. */
export interface ImportSite {
  /** Where the quoted specifier stands in the code. */
  start: number;
  end: number;
  /** The URL it means; absent for `hermes/plugin`. */
  url?: string;
  /** Imported as JSON or text rather than as code. */
  isData: boolean;
}

export interface ScannedModule {
  /** JavaScript. */
  code: string;
  program: Program;
  imports: ImportSite[];
}

/** The name plugins import the façade by, and where its file is put beside theirs. */
const API_NAME = "hermes/plugin";
export const API_FILE = "/.hermes/plugin.js";
/** What the façade exports beside types. */
const API_VALUES = ["HOOK_NAMES", "PluginRecorder", "ToolError", "defineTool", "testPlugin"];

/** @throws {PluginProblem} when the module cannot be read or imports what a plugin cannot have. */
export async function scanModule(
  { url, bytes }: { url: string; bytes: Uint8Array<ArrayBuffer> },
  stripper: TypeStripper,
): Promise<ScannedModule> {
  const name = shortName(url);
  const source = decode(bytes, name);
  try {
    const isPlain = /\.m?js$/.test(new URL(url).pathname);
    const code = isPlain ? source : await stripper.strip(source, name);
    const program = await parseModule(code, name);
    return { code, program, imports: [...importSites(program, url)] };
  } catch (error) {
    // The parser goes as deep as the code does.
    if (error instanceof RangeError) throw new PluginProblem(`${name} is nested too deeply`);
    if (!(error instanceof ScriptSyntaxError)) throw error;
    throw new PluginProblem(reasonOf(error));
  }
}

function decode(bytes: Uint8Array<ArrayBuffer>, name: string): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    text = "\0";
  }
  // No code has this character; WebAssembly and text of two bytes a letter have it at once.
  if (text.includes("\0")) {
    throw new PluginProblem(`${name} is not UTF-8 text, so it is no module`);
  }
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) {
    throw new PluginProblem(`${name} is a web page, not a module: use the address of the raw file`);
  }
  return text;
}

function* importSites(program: Program, url: string): Generator<ImportSite> {
  for (const node of walkTree(program)) {
    const { source } = node as { source?: unknown };
    if (!isStringLiteral(source)) continue;
    const { start, end, value } = source;
    if (value === API_NAME) {
      requireValues(node, shortName(url));
      yield { start, end, isData: false };
    } else if (!value.startsWith("node:")) {
      yield { start, end, url: resolveImport(value, url), isData: importsData(node) };
    }
  }
}

function resolveImport(specifier: string, from: string): string {
  const url = /^(\.{0,2}\/|https?:)/.test(specifier) ? URL.parse(specifier, from) : null;
  if (url !== null) {
    url.hash = "";
    // A file's name can be written in more than one way.
    return url.protocol === "file:" ? fileUrl(shortName(url.href)) : url.href;
  }
  throw new PluginProblem(
    `${shortName(from)} imports "${specifier}": a plugin imports only "${API_NAME}", node: ` +
      `modules and files by their address`,
  );
}

interface Named {
  name?: string;
  value?: unknown;
}

/** A type imported as a value would only fail later, with an unclear message. */
function requireValues(node: Node, file: string): void {
  const { specifiers = [] } = node as { specifiers?: { imported?: Named }[] };
  for (const { imported } of specifiers) {
    const name = String(imported?.name ?? imported?.value ?? "");
    if (imported === undefined || API_VALUES.includes(name)) continue;
    throw new PluginProblem(
      `${file}: "${API_NAME}" has no value "${name}".${didYouMean(name, API_VALUES)} ` +
        `A type is imported with: import type { ${name} }`,
    );
  }
}

function importsData(node: Node): boolean {
  const { attributes = [], options } = node as {
    attributes?: { value: { value?: unknown } }[];
    options?: unknown;
  };
  return attributes.some(({ value }) => value.value === "json" || value.value === "text") ||
    Boolean(options);
}

/** Names may be longer in an address than in a folder; a piece of one is never `..`. */
const LONG_NAME = /[^/]{200}(?=[^/])/g;

/** Where a file goes below the plugin's folder of prepared modules. */
export function preparedPath(url: string, isModule: boolean): string {
  const { protocol, host, pathname, search } = new URL(url);
  const path = protocol === "file:"
    ? decodeURIComponent(pathname)
    : `/${host}${pathname}${encodeURIComponent(search)}`.replaceAll(LONG_NAME, "$&/~");
  return isModule ? `${path}.js` : path;
}

/** The code of a module with every import pointing at the prepared file. */
export function linkModule(
  { code, imports }: ScannedModule,
  { from, finalUrl }: { from: string; finalUrl: (url: string) => string },
): string {
  const folder = dirname(preparedPath(from, true));
  return applyEdits(
    code,
    imports.map(({ start, end, url, isData }) => {
      const target = url === undefined ? API_FILE : preparedPath(finalUrl(url), !isData);
      const relative = relativePath(folder, target);
      const specifier = relative.startsWith("../") ? relative : `./${relative}`;
      return { start, end, text: JSON.stringify(encodePath(specifier)) };
    }),
  );
}
