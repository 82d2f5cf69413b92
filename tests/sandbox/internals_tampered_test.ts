/** Foreign code that changes the realm before, or while, the internals are taken away. */
import { equal, match } from "node:assert/strict";
import type { ChildMode } from "../../src/sandbox/child/contract.ts";
import { internalsImportMap } from "../../src/sandbox/walls/internals.ts";
import { UNLISTED_MODULES } from "../../src/sandbox/walls/internals_data.ts";
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { linuxTest } from "../support/linux.ts";
import { firstFrame, startGuest } from "./_guest.ts";
import { request, SANDBOX } from "./_sandbox.ts";

const MODES: readonly ChildMode[] = ["deno", "reexec"];

/** Looks for the internals in every usual place; `list` takes what was found. */
const LOOK = `
const look = async (list) => {
  const said = async (name, way) => { try { if (await way()) list.push(name); } catch { /* refused */ } };
  await said("global", () => typeof process.binding === "function");
  await said("import", async () => typeof (await import("node:process")).default.binding === "function");
  await said("loader", () => process.getBuiltinModule("module")._load("internal/test/binding").internalBinding);
  await said("handle", async () => {
    const { Server } = await import("node:net");
    const server = new Server().on("error", () => {});
    try { server.listen("/nowhere/socket"); } catch { /* it may have a handle nevertheless */ }
    return new server._handle.constructor(0).open(5) === 0;
  });
};`;

/** Ways to change the realm before its first use of Node's modules. Each runs in a child of its own. */
const TAMPERED: Readonly<Record<string, string>> = {
  "names of symbols": `
    const own = Symbol("own");
    globalThis[own] = () => {};
    Symbol.for = () => own;
    Symbol.keyFor = () => "own";
    await look(found);`,
  "how functions are called": `
    const { apply, construct } = Reflect;
    const { call } = Function.prototype;
    const used = [];
    Reflect.apply = function (target, self, list) { used.push(target); return apply(target, self, list); };
    for (const name of ["call", "apply", "bind"]) {
      const original = Function.prototype[name];
      Function.prototype[name] = function (...list) { used.push(this); return apply(original, this, list); };
    }
    try { process; process.getBuiltinModule("module")._load("fs"); } catch { /* refused */ }
    try { new (await import("node:net")).Socket({ fd: 7 }); } catch { /* refused */ }
    for (const one of used) {
      try { if (typeof apply(one, globalThis, []).binding === "function") found.push("getter"); } catch { /* another one */ }
      try { if (apply(one, process.getBuiltinModule("module"), ["internal/test/binding"]).internalBinding) found.push("loader"); } catch { /* another one */ }
    }
    await look(found);`,
  "how properties are changed": `
    Reflect.deleteProperty = Reflect.defineProperty = Reflect.preventExtensions = () => true;
    Object.defineProperty = Object.preventExtensions = Object.freeze = (object) => object;
    Object.getOwnPropertyDescriptor = Reflect.getOwnPropertyDescriptor = () => ({});
    await look(found);`,
  "lists and texts": `
    await look(found);
    Array.prototype[Symbol.iterator] = function* () {};
    String.prototype.startsWith = String.prototype.endsWith = () => false;
    String.prototype.replace = String.prototype.slice = String.prototype.substring = () => "fs";
    RegExp.prototype.test = () => false;
    RegExp.prototype.exec = () => null;
    await look(found);`,
  "setters on prototypes": `
    const { EventEmitter } = await import("node:events");
    const { defineProperty, getPrototypeOf } = Object;
    for (const target of [Object.prototype, Function.prototype, EventEmitter.prototype]) {
      for (const name of ["binding", "dlopen", "_kill", "_load", "registerHooks", "_linkedBinding"]) {
        try {
          defineProperty(target, name, { configurable: true, set(value) {
            if (typeof value === "function") found.push(name);
            defineProperty(this, name, { __proto__: null, value, configurable: true, writable: true });
          } });
        } catch { /* refused */ }
      }
    }
    // Each of these may load Node's own objects.
    try { Buffer(1); } catch { /* refused */ }
    try { await import("node:crypto"); } catch { /* refused */ }
    try { process.getBuiltinModule("module"); } catch { /* refused */ }
    await look(found);`,
  "a first use that fails": `
    for (const name of ["get", "set", "value"]) {
      try { Object.prototype[name] = () => {}; } catch { /* refused */ }
      try { process; } catch { /* it may fail */ }
      delete Object.prototype[name];
    }
    const { getPrototypeOf } = Object;
    Object.getPrototypeOf = Error.prototype.toString = () => { throw new Error("no"); };
    try { process; } catch { /* it may fail */ }
    Object.getPrototypeOf = getPrototypeOf;
    await look(found);`,
  "the global that hides": `
    for (const key of Reflect.ownKeys(globalThis)) {
      if (!/hermes/.test(String(key))) continue;
      try { delete globalThis[key]; } catch { /* refused */ }
      try { Object.defineProperty(globalThis, key, { value: () => {} }); } catch { /* refused */ }
      try { globalThis[key] = () => {}; } catch { /* refused */ }
    }
    await look(found);`,
  "names that only an address parser reads": `
    for (const name of ["node:module ", "node:mod\\tule", "node:\\nmodule", "node:process ", "node:worker_threads\\t"]) {
      try {
        const module = await import(name);
        if (typeof module.dlopen === "function") found.push(name);
        if (/NodeWorker/.test(String(module.Worker))) found.push(name);
        module.registerHooks({});
        found.push(name);
      } catch { /* refused */ }
    }
    await look(found);`,
};

/** Runs each way in a child of its own and tells what it found. */
function programs(report: (found: string) => string): [string, string][] {
  return Object.entries(TAMPERED).map(([name, code]) => [
    name,
    `${LOOK}
const found = [];
const { stringify } = JSON;
try { ${code} } catch { /* the realm is beyond use */ }
${report("stringify(found)")}`,
  ]);
}

for (const mode of MODES) {
  linuxTest(`a changed realm does not bring the internals back to a script (${mode})`, async () => {
    const sandbox = new SandboxRunner({ ...SANDBOX, mode });
    try {
      for (const [name, code] of programs((found) => `console.log(${found})`)) {
        const run = await sandbox.run(request(code, { language: "javascript" }));
        equal(run.output, "[]\n", `${name}: ${run.errors}`);
      }
    } finally {
      await sandbox.close();
    }
  });

  linuxTest(`nor to a plugin (${mode})`, async (tempDir) => {
    for (const [name, code] of programs((found) => `send(${found})`)) {
      const child = await startGuest(code, { tempDir, mode });
      try {
        equal(await firstFrame(child), "[]", name);
      } finally {
        await child.kill();
      }
    }
  });

  linuxTest(`a script starts no realm that has the internals (${mode})`, async () => {
    const sandbox = new SandboxRunner({ ...SANDBOX, mode });
    const code = `
      const said = [];
      for (const get of [
        async () => (await import("node:worker_threads")).Worker,
        async () => (await import("node:worker_threads")).default.Worker,
        () => process.getBuiltinModule("worker_threads").Worker,
        async () => (await import("node:module")).createRequire("file:///a.js")("node:worker_threads").Worker,
      ]) {
        try { new (await get())("1", { eval: true }); said.push("started"); }
        catch (error) { said.push(error.message); }
      }
      console.log(said.join("\\n"));`;
    try {
      const { output } = await sandbox.run(request(code, { language: "javascript" }));
      match(output, /^(Worker is not available here\n){4}$/);
    } finally {
      await sandbox.close();
    }
  });
}

Deno.test("internalsImportMap() leads modules past the guard that Node does not list", () => {
  const map = JSON.parse(atob(internalsImportMap().split(",")[1]!));
  for (const name of UNLISTED_MODULES) match(map.imports[`node:${name}`], /^data:/, name);
  // The kernel limits an argument's length.
  equal(internalsImportMap().length < 100_000, true);
});
