import assert from "node:assert/strict";
import type { ToolSpec } from "../src/protocol/tool.ts";
import { readModule, toolProblems } from "./check_effects.ts";

const VIEW = { line: () => "", expanded: () => [] };

function approval(): ReturnType<NonNullable<ToolSpec["approval"]>> {
  return { asks: [], plan: undefined };
}

/** Effects of some code, by line. */
function effects(code: string): string[] {
  return readModule("tools/x.ts", code).uses.map(({ effect, line }) => `${line} ${effect}`);
}

Deno.test("readModule() finds what executes, spawns, writes and sends, however it is reached", () => {
  const cases: [code: string, effect: string][] = [
    ["await ctx.env.exec(command)", "execute"],
    ["const { env } = ctx; await env.spawn(command)", "spawn"],
    ["class A { #ctx; f() { this.#ctx.env.writeFile(path, bytes) } }", "write"],
    ["await ctx.env['remove'](path)", "write"],
    ["const { rename } = ctx.env", "write"],
    ["const run = ctx.env.exec; run('x')", "execute"],
    ["await ctx.services.processes.start(env, command)", "spawn"],
    ["await managed.process.write(data)", "execute"],
    ["await ctx.services.sandbox.run(request)", "execute"],
    ["await ctx.callTool('terminal', {})", "execute"],
    ["await ctx.fetch(url)", "send"],
    ["const { fetch } = ctx", "send"],
    ["await fetch(url)", "send"],
    ["import { spawn } from 'node:child_process'", "execute"],
    ["await import('node:net')", "send"],
  ];
  for (const [code, effect] of cases) {
    assert.deepEqual(effects(`\n${code};`), [`2 ${effect}`], code);
  }
});

Deno.test("readModule() leaves alone what only looks like it", () => {
  const harmless = [
    "/x/.exec(text)",
    "PATTERN.exec(text)",
    "await ctx.env.readFile(path)",
    "const env: { exec(x: string): void } | undefined = undefined",
    "map.remove(1)",
    "const { result, fetch } = page(query)",
    "import type { Environment } from '../src/protocol/environment.ts'",
  ];
  for (const code of harmless) assert.deepEqual(effects(code), [], code);
});

Deno.test("toolProblems() fails a tool that acts and declares nothing", () => {
  const { uses } = readModule(
    "tools/_save.ts",
    "\n\nexport const save = (c) => c.env.writeFile(p, b);",
  );
  assert.deepEqual(toolProblems({ name: "x", view: VIEW }, uses), [
    'tools/_save.ts:3: the tool x has the effect "write" here and does not declare it: c.env.writeFile',
  ]);
  assert.deepEqual(toolProblems({ name: "x", view: VIEW, effects: ["write"] }, uses), [
    "tools/x.ts: has effects and declares no approval",
  ]);
  const whole = { name: "x", view: VIEW, effects: ["write"], approval } as const;
  assert.deepEqual(toolProblems(whole, uses), []);
});

Deno.test("toolProblems() fails effects that are only claimed, and a tool without a view", () => {
  assert.deepEqual(toolProblems({ name: "x", effects: ["send"], approval }, []), [
    'tools/x.ts: declares the effect "send" and has none of it',
    "tools/x.ts: has no view: how is its result shown?",
  ]);
});
