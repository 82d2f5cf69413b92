/**
 * Takes the internals under Node's modules out of a child's reach: `process.binding`, the modules
 * named `internal/…`, handles that adopt a descriptor by its number, and realms that would begin
 * with all of it. Loading Node's modules only to change them would take 30 ms of every script, so
 * that happens when foreign code asks for the first of them. What runs after foreign code uses
 * nothing of the realm that such code may have replaced. Runs in the child.
 */
import {
  BUILTIN_MODULES,
  CHANGED_EXPORTS,
  LOADS_PROCESS,
  PURE_BUILTINS,
  UNLISTED_MODULES,
} from "./internals_data.ts";

/**
 * What wrapped modules call: without a value before foreign code sees them, with one to close it. A
 * global name, because it is found without anything that foreign code can replace.
 */
const GUARD = "__hermes_guard";

/** The parts of Node's `process` that are changed. */
interface NodeProcess {
  binding(name: string): Record<string, unknown>;
  getBuiltinModule(name: string): NodeModuleLoader;
}

interface NodeModuleLoader {
  _load(id: string, ...rest: unknown[]): unknown;
  _resolveFilename: unknown;
}

type Strip = (process: NodeProcess) => void;

/** Hides the internals of this realm for a child with an import map, at the first use of Node's modules. */
export function hideInternalsAtUse(): void {
  const { apply, defineProperty, preventExtensions } = Reflect;
  const { get, set } = Object.getOwnPropertyDescriptor(globalThis, "process")!;
  const strip = makeStrip();
  let hidden = false;
  const hide = () => {
    if (hidden) return;
    strip(apply(get!, globalThis, []) as NodeProcess);
    // Only now: a failure on the way must not leave a process that counts as changed.
    hidden = true;
  };
  // A setter there would be handed what the runtime assigns while it loads Node's modules.
  for (const prototype of [Object.prototype, Function.prototype]) preventExtensions(prototype);
  const guard = (closed?: object) => closed === undefined ? hide() : void preventExtensions(closed);
  defineProperty(globalThis, GUARD, { value: guard });
  defineProperty(globalThis, "process", {
    get() {
      hide();
      return apply(get!, globalThis, []);
    },
    set: set!,
    enumerable: true,
    configurable: true,
  });
}

/** Hides the internals of a realm without an import map, where Node's modules are loaded already. */
export function hideInternalsNow(): void {
  makeStrip()((globalThis as unknown as { process: NodeProcess }).process);
}

/** Where loader hooks lead an import, for a realm without an import map: exports as they are now. */
export function changedModules(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(CHANGED_EXPORTS).map((
      [name, names],
    ) => [`node:${name}`, dataUrl("text/javascript", changedCode(name, names))]),
  );
}

/**
 * Makes what takes the internals away from Node's own objects. Works from its own text alone, and
 * keeps what it needs from the realm as it is now.
 */
export function makeStrip(): Strip {
  const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
  const { slice } = String.prototype;
  const Refused = TypeError;
  const forbid = (what: string) =>
    function (): never {
      throw new Refused(`${what} is not available here`);
    };
  const begins = (text: string, head: string) => apply(slice, text, [0, head.length]) === head;
  const fix = (object: object, name: string, value: unknown) => {
    const fixed = { value, writable: false, configurable: false };
    if (!defineProperty(object, name, fixed)) forbid(name)();
  };

  const guardLoader = (Module: NodeModuleLoader) => {
    const load = Module._load;
    fix(Module, "_load", function (this: unknown, id: unknown, ...rest: unknown[]): unknown {
      const text = `${id}`;
      const name: string = begins(text, "node:") ? apply(slice, text, [5]) : text;
      if (begins(name, "internal/")) forbid(name)();
      return apply(load, this, [name === id ? name : `node:${name}`, rest[0], rest[1]]);
    });
    // Whoever says where a name leads could lead it to an internal module.
    fix(Module, "_resolveFilename", Module._resolveFilename);
    fix(Module, "registerHooks", forbid("registerHooks"));
    fix(Module, "register", forbid("register"));
  };
  const guardHandle = ({ prototype }: { prototype: object }) => {
    const { value: open } = getOwnPropertyDescriptor(prototype, "open")!;
    fix(prototype, "open", function (this: unknown, descriptor: unknown): unknown {
      if (descriptor !== 0 && descriptor !== 1 && descriptor !== 2) forbid("open")();
      return apply(open, this, [descriptor]);
    });
  };
  const gone = ["binding", "_linkedBinding", "dlopen", "_kill", "_debugProcess", "_debugEnd"];
  const handles = ["_getActiveHandles", "_getActiveRequests"];

  return (process) => {
    guardLoader(process.getBuiltinModule("module"));
    guardHandle(process.binding("pipe_wrap")["Pipe"] as { prototype: object });
    guardHandle(process.binding("tcp_wrap")["TCP"] as { prototype: object });
    guardHandle(process.binding("udp_wrap")["UDP"] as { prototype: object });
    // The realm of a worker begins with everything that is taken away here.
    fix(process.getBuiltinModule("worker_threads"), "Worker", forbid("Worker"));
    for (let i = 0; i < gone.length; i++) {
      if (!deleteProperty(process, gone[i]!)) forbid(gone[i]!)();
    }
    for (let i = 0; i < handles.length; i++) {
      if (!deleteProperty(process, handles[i]!)) forbid(handles[i]!)();
    }
  };
}

/** The import map of a child, as the value of `--import-map`. */
export function internalsImportMap(): string {
  return importMap ??= makeImportMap();
}

let importMap: string | undefined;

function makeImportMap(): string {
  const imports: Record<string, string> = {};
  const scopes: Record<string, Record<string, string>> = {};
  for (const name of [...BUILTIN_MODULES, ...UNLISTED_MODULES]) {
    const code = wrapperCode(name);
    if (code === undefined) continue;
    const specifier = `node:${name}`;
    const wrapper = dataUrl("text/javascript", code);
    imports[specifier] = wrapper;
    imports[name] = wrapper;
    scopes[wrapper] = { [specifier]: specifier };
  }
  return dataUrl("application/json", JSON.stringify({ imports, scopes }));
}

/** A module like the built-in one, evaluated when the internals are hidden; undefined where that is not needed. */
function wrapperCode(name: string): string | undefined {
  const all = `export*from"node:${name}";export{default}from"node:${name}";`;
  if (name === "events") {
    // Node's `process` is one of these, and a setter there would be handed what it is assigned.
    return `${all}import{EventEmitter}from"node:events";${GUARD}(EventEmitter.prototype)`;
  }
  if (PURE_BUILTINS.includes(name) && !LOADS_PROCESS.includes(name)) return undefined;
  // Imports are evaluated in their order, so this one comes before the module itself is loaded.
  const hide = `import"data:text/javascript,${GUARD}()";`;
  const names = CHANGED_EXPORTS[name];
  return hide + (names === undefined ? all : changedCode(name, names));
}

/** Names of the exports of a changed module, as they are when the internals are hidden. */
function changedCode(name: string, names: string): string {
  return `import all from"node:${name}";export const{${names}}=all;export default all`;
}

function dataUrl(type: string, text: string): string {
  return `data:${type};base64,${btoa(text)}`;
}
