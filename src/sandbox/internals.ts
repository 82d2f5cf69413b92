/**
 * Takes the internals under Node's modules out of a child's reach: `process.binding`, the modules
 * named `internal/…`, and handles that adopt a descriptor by its number. Loading Node's modules only
 * to change them would take 30 ms of every script, so that happens when foreign code asks for the
 * first of them: the global `process` is a getter, and an import map leads every `node:` import
 * through a module that calls `HIDE_KEY` first. Runs in the child.
 */
import { BUILTIN_MODULES, CHANGED_EXPORTS, PURE_BUILTINS } from "./internals_data.ts";

/** What a wrapped built-in module calls before foreign code sees it. */
const HIDE_KEY = "hermes.hide_internals";

/** The parts of Node's `process` that are changed. */
interface NodeProcess {
  binding(name: string): Record<string, unknown>;
  getBuiltinModule(name: string): NodeModuleLoader;
}

interface NodeModuleLoader {
  _load(id: string, ...rest: unknown[]): unknown;
}

/** Hides the internals of this realm for a child with an import map, at the first use of Node's modules. */
export function hideInternalsAtUse(): void {
  const original = Object.getOwnPropertyDescriptor(globalThis, "process")!;
  let hidden: NodeProcess | undefined;
  const hide = () => {
    if (hidden !== undefined) return;
    hidden = original.get!.call(globalThis) as NodeProcess;
    stripInternals(hidden);
  };
  const key = Symbol.for(HIDE_KEY);
  Object.defineProperty(globalThis, key, { value: hide, enumerable: false });
  Object.defineProperty(globalThis, "process", {
    get() {
      hide();
      return original.get!.call(globalThis);
    },
    set: original.set!,
    enumerable: true,
    configurable: true,
  });
}

/** Hides the internals of a realm without an import map, where Node's modules are loaded already. */
export function hideInternalsNow(): void {
  stripInternals((globalThis as unknown as { process: NodeProcess }).process);
}

/** Where loader hooks lead an import, for a realm without an import map: exports as they are now. */
export function changedModules(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(CHANGED_EXPORTS).map((
      [name, names],
    ) => [`node:${name}`, dataUrl("text/javascript", changedCode(name, names))]),
  );
}

/** Takes the internals away from Node's own objects. Works from its own text alone. */
export function stripInternals(process: NodeProcess): void {
  const forbid = (what: string) => () => {
    throw new TypeError(`${what} is not available here`);
  };
  const Module = process.getBuiltinModule("module");
  const load = Module._load;
  const guarded = function (this: unknown, id: string, ...rest: unknown[]): unknown {
    const name = `${id}`.replace(/^node:/, "");
    if (name.startsWith("internal/")) forbid(name)();
    return load.call(this, name === id ? name : `node:${name}`, ...rest);
  };
  const fixed = { writable: false, configurable: false };
  Object.defineProperty(Module, "_load", { value: guarded, ...fixed });
  // Whoever says where a name leads could lead it to an internal module.
  Object.defineProperty(Module, "_resolveFilename", fixed);
  for (const name of ["registerHooks", "register"]) {
    Object.defineProperty(Module, name, { value: forbid(name), ...fixed });
  }
  for (const [binding, name] of [["pipe_wrap", "Pipe"], ["tcp_wrap", "TCP"], ["udp_wrap", "UDP"]]) {
    const { prototype } = process.binding(binding!)[name!] as { prototype: object };
    const { value: open } = Object.getOwnPropertyDescriptor(prototype, "open")!;
    const standardOnly = function (this: unknown, descriptor: unknown): unknown {
      if (descriptor !== 0 && descriptor !== 1 && descriptor !== 2) forbid(`${name}.open`)();
      return open.call(this, descriptor);
    };
    Object.defineProperty(prototype, "open", { value: standardOnly, ...fixed });
  }
  const gone = ["binding", "_linkedBinding", "dlopen", "_kill", "_debugProcess", "_debugEnd"];
  for (const name of [...gone, "_getActiveHandles", "_getActiveRequests"]) {
    Reflect.deleteProperty(process, name);
  }
}

/** The import map of a child, as the value of `--import-map`. */
export function internalsImportMap(): string {
  return importMap ??= makeImportMap();
}

let importMap: string | undefined;

function makeImportMap(): string {
  const imports: Record<string, string> = {};
  const scopes: Record<string, Record<string, string>> = {};
  for (const name of BUILTIN_MODULES.filter((one) => !PURE_BUILTINS.includes(one))) {
    const specifier = `node:${name}`;
    const wrapper = dataUrl("text/javascript", wrapperCode(name));
    imports[specifier] = wrapper;
    imports[name] = wrapper;
    scopes[wrapper] = { [specifier]: specifier };
  }
  return dataUrl("application/json", JSON.stringify({ imports, scopes }));
}

/** A module like the built-in one, evaluated when the internals are hidden. */
function wrapperCode(name: string): string {
  const hide = `globalThis[Symbol.for("${HIDE_KEY}")]();`;
  const names = CHANGED_EXPORTS[name];
  return names === undefined
    ? `${hide}export*from"node:${name}";export{default}from"node:${name}"`
    : hide + changedCode(name, names);
}

/** Imports are evaluated first, so the names are taken when the rest has run. */
function changedCode(name: string, names: string): string {
  return `export const{${names}}=all;export default all;import all from"node:${name}"`;
}

function dataUrl(type: string, text: string): string {
  return `data:${type};base64,${btoa(text)}`;
}
