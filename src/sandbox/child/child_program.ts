/**
 * The module a child begins with. In a bundle it is a file beside the others. From source it is
 * translated here and written into the child's private directory: a child has no cache that could
 * keep a translation, because what one child leaves in a cache another would run.
 */
import { dirname, joinPath } from "../../util/path.ts";

export type ProgramName = "main" | "child_main" | "strip_main";

export interface ChildProgram {
  /** What the runtime is told to run. */
  url: string;
  /** What the child must be able to read for it. */
  path: string;
}

/** The modules behind each name, from the root of the source. `main` loads the second one lazily. */
const ENTRIES: Readonly<Record<ProgramName, readonly string[]>> = {
  main: ["main.ts", "src/sandbox/child/child_main.ts"],
  "child_main": ["src/sandbox/child/child_main.ts"],
  "strip_main": ["src/sandbox/child/strip_main.ts"],
};

const ROOT = new URL("../../../", import.meta.url);
const STATIC_IMPORT = /^(?:import|export)\b[^"';]*?"(\.{1,2}\/[^"]+\.ts)"/gm;
const RELATIVE_MODULE = /"(\.{1,2}\/[^"]+)\.ts"/g;

/** True where the program is TypeScript, which the runtime would have to translate. */
function isSource(): boolean {
  return import.meta.url.endsWith("/src/sandbox/child/child_program.ts");
}

/** Makes the program ready; `directory` is the child's own and takes the translation. */
export async function childProgram(name: ProgramName, directory: string): Promise<ChildProgram> {
  if (!isSource()) return bundled(name);
  const folder = joinPath(directory, "program");
  writeModules(folder, await translate(name));
  const main = joinPath(folder, ENTRIES[name][0]!.replace(/\.ts$/, ".js"));
  return { url: main, path: folder };
}

/** Synchronous: some small calls are done sooner than a thread starts. */
function writeModules(folder: string, modules: ReadonlyMap<string, string>): void {
  for (const [path, code] of modules) {
    const target = joinPath(folder, path.replace(/\.ts$/, ".js"));
    Deno.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    Deno.writeTextFileSync(target, code, { mode: 0o600 });
  }
}

/** A re-executed hermes reads its chunks from the folder, other children are one file. */
function bundled(name: ProgramName): ChildProgram {
  const url = name === "main" ? Deno.mainModule : new URL(`./${name}.js`, Deno.mainModule).href;
  const path = decodeURIComponent(new URL(url).pathname);
  return { url, path: name === "main" ? dirname(path) : path };
}

/** JavaScript of modules by path below the root: the source does not change while hermes runs. */
const translations = new Map<ProgramName, Promise<Map<string, string>>>();

function translate(name: ProgramName): Promise<Map<string, string>> {
  const known = translations.get(name);
  if (known !== undefined) return known;
  const made = translateGraph(ENTRIES[name]);
  translations.set(name, made);
  return made;
}

async function translateGraph(entries: readonly string[]): Promise<Map<string, string>> {
  const { stripTypeScriptTypes } = await import("node:module");
  const modules = new Map<string, string>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (modules.has(path)) continue;
    const url = new URL(path, ROOT);
    const code = stripTypeScriptTypes(await Deno.readTextFile(url));
    modules.set(path, code.replaceAll(RELATIVE_MODULE, '"$1.js"'));
    for (const [, specifier] of code.matchAll(STATIC_IMPORT)) {
      waiting.push(new URL(specifier!, url).href.slice(ROOT.href.length));
    }
  }
  return modules;
}
