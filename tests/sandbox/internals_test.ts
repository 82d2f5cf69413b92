/** The internals under Node's modules, as foreign code looks for them in each kind of child. */
import { deepEqual, equal, match } from "node:assert/strict";
import { builtinModules } from "node:module";
import type { ChildMode } from "../../src/sandbox/child/contract.ts";
import { BUILTIN_MODULES, CHANGED_EXPORTS } from "../../src/sandbox/walls/internals_data.ts";
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { linuxTest } from "../support/linux.ts";
import { firstFrame, startGuest } from "./_guest.ts";
import { request, SANDBOX } from "./_sandbox.ts";

const MODES: readonly ChildMode[] = ["deno", "reexec"];

/** Ways to the internals, each an expression that is true when it leads there. */
const WAYS: Readonly<Record<string, string>> = {
  "the global": `typeof process.binding === "function"`,
  "a computed global": `typeof globalThis["pro" + "cess"]["bind" + "ing"] === "function"`,
  "the getter of the global":
    `typeof Object.getOwnPropertyDescriptor(globalThis, "process")?.get?.()?.binding === "function"`,
  "the default export": `typeof (await import("node:process")).default.binding === "function"`,
  "a named export": `"binding" in await import("node:process")`,
  "a loaded library": `typeof (await import("node:process")).dlopen === "function"`,
  "the module's loader": `!!(await import("node:module")).default._load("internal/test/binding")`,
  "the loader as a named export": `!!(await import("node:module"))._load("internal/test/binding")`,
  "a required internal module": `
    !!(await import("node:module")).createRequire("file:///a.js")("internal/test/binding")`,
  "a loader that is told where a name leads": `
    await (async () => {
      const { Module, createRequire } = await import("node:module");
      Module._resolveFilename = () => "internal/test/binding";
      return !!createRequire("file:///a.js")("./b.js").internalBinding;
    })()`,
  "a loader hook": `
    await (async () => {
      const { registerHooks, createRequire } = await import("node:module");
      registerHooks({ resolve: () => ({ url: "node:internal/test/binding", shortCircuit: true }) });
      return !!createRequire("file:///a.js")("./b.js").internalBinding;
    })()`,
  "a required process": `
    typeof (await import("node:module")).createRequire("file:///a.js")("process").binding ===
      "function"`,
  "a handle on a number": `
    await (async () => {
      const net = await import("node:net");
      return new net.Socket({ fd: 5 }) !== undefined;
    })()`,
  "the constructor of a handle": `
    await (async () => {
      const { createServer } = await import("node:net");
      const { Pipe } = (await import("node:module")).createRequire("file:///a.js")("net");
      const server = createServer();
      server.on("error", () => {});
      server.listen({ path: "\\0hermes-internals" });
      const handle = server._handle ?? undefined;
      return handle !== undefined && new handle.constructor(0).open(5) === 0;
    })()`,
  "a datagram handle": `
    await (async () => {
      const socket = (await import("node:dgram")).createSocket("udp4");
      const state = Object.getOwnPropertySymbols(socket).map((key) => socket[key])
        .find((value) => value?.handle);
      return state !== undefined && state.handle.open(5) === 0;
    })()`,
};

/** Tries every way and says which led somewhere, as an expression. */
const TRY_ALL = `await (async () => {
  const ways = { ${
  Object.entries(WAYS).map(([name, way]) => `${JSON.stringify(name)}: async () => ${way}`).join(
    ",\n",
  )
} };
  const found = [];
  for (const [name, way] of Object.entries(ways)) {
    try { if (await way()) found.push(name); } catch { /* it does not lead there */ }
  }
  return found;
})()`;

/** Follows every property from the built-in modules and looks for the raw way to a binding. */
const CRAWL = `await (async () => {
  const names = ${JSON.stringify(BUILTIN_MODULES)};
  const seen = new Set();
  const found = [];
  const waiting = [];
  for (const name of names) {
    try { waiting.push([name, await import("node:" + name)]); } catch { /* refused */ }
  }
  waiting.push(["globalThis", globalThis]);
  while (waiting.length > 0) {
    const [path, value] = waiting.pop();
    if (Object(value) !== value || seen.has(value)) continue;
    seen.add(value);
    if (typeof value === "function" && /^(internalBinding|binding|_?linkedBinding)$/.test(value.name)) found.push(path);
    let keys = [];
    try { keys = Reflect.ownKeys(value); } catch { /* refused */ }
    for (const key of keys) {
      try {
        const one = Object.getOwnPropertyDescriptor(value, key);
        const inner = "value" in one ? one.value : undefined;
        waiting.push([path + "." + String(key), inner]);
      } catch { /* refused */ }
    }
    try { waiting.push([path + ".__proto__", Object.getPrototypeOf(value)]); } catch { /* refused */ }
  }
  return [seen.size > 2000, found];
})()`;

async function runScript(code: string, mode: ChildMode, hidden = true): Promise<string> {
  const sandbox = new SandboxRunner({ ...SANDBOX, mode, without: hidden ? [] : ["internals"] });
  try {
    const { output, errors } = await sandbox.run(request(code, { language: "javascript" }));
    return `${output}${errors}`.trim();
  } finally {
    await sandbox.close();
  }
}

for (const mode of MODES) {
  linuxTest(`a script finds no internals of the runtime (${mode})`, async () => {
    equal(await runScript(`console.log(JSON.stringify(${TRY_ALL}))`, mode), "[]");
  });

  linuxTest(`no property leads a script to a binding (${mode})`, async () => {
    match(await runScript(`console.log(JSON.stringify(${CRAWL}))`, mode), /^\[true,\[\]\]/);
  });

  linuxTest(`a plugin finds no internals of the runtime (${mode})`, async (tempDir) => {
    const child = await startGuest(`send(${TRY_ALL})`, { tempDir, mode });
    try {
      deepEqual(await firstFrame(child), []);
    } finally {
      await child.kill();
    }
  });
}

linuxTest("the ways lead to the internals where nothing hides them", async () => {
  const found = JSON.parse(
    await runScript(`console.log(JSON.stringify(${TRY_ALL}))`, "deno", false),
  );
  for (const name of ["the global", "the default export", "a required internal module"]) {
    equal(found.includes(name), true, name);
  }
});

for (const mode of MODES) {
  linuxTest(`a script uses Node's modules as ever (${mode})`, async () => {
    const code = `import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
const fs = await import("node:" + "fs");
const { createRequire } = await import("node:" + "module");
const { default: own, nextTick } = await import("node:" + "process");
const require = createRequire("file:///script.js");
await new Promise((resolve) => nextTick(resolve));
process.stdout.write("written\\n");
console.log(typeof fs.existsSync, fs.default.existsSync === fs.existsSync, own === process);
console.log(createHash("sha1").update("a").digest("hex").slice(0, 6));
console.log(new EventEmitter() instanceof require("node:events"), require("node:path").join("a", "b"));`;
    equal(await runScript(code, mode), "written\nfunction true true\n86f7e4\ntrue a/b");
  });
}

Deno.test("the wrapped modules are the runtime's built-in modules with their exports", async () => {
  const own = builtinModules.map((name) => name.replace(/^node:/, ""));
  deepEqual([...BUILTIN_MODULES].sort(), own.sort());
  for (const [name, list] of Object.entries(CHANGED_EXPORTS)) {
    const names = Object.keys(await import(`node:${name}`)).filter((one) => one !== "default");
    deepEqual(list.split(",").sort(), names.sort(), name);
  }
});
