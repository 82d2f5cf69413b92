import assert from "node:assert/strict";
import { Bench, FixedGate, parsed } from "../../tests/registry/support.ts";
import { createApprovalGate } from "../approval/gate.ts";
import { createTempEnvironment } from "../../tests/support/memory_environment.ts";
import { ToolError } from "../protocol/error.ts";
import type { ApprovalAsk, ToolEffect, ToolSpec } from "../protocol/tool.ts";

const ACTION = { subject: "do it", rule: "r", description: "does it", allowAlways: false };

/** A bench with one tool that needs these yeses and counts its runs. */
function benchWith(asks: ApprovalAsk[]) {
  const ran: unknown[] = [];
  const bench = new Bench().add({
    name: "t",
    approval: () => ({ asks, plan: "judged" }),
    handler: (_, __, approved) => {
      ran.push(approved.plan);
      return { by: approved.outcomes.map(({ by }) => by) };
    },
  });
  return { bench, ran };
}

Deno.test("dispatch asks for what a tool declares, in order, before its handler", async () => {
  const { bench, ran } = benchWith([{ command: "rm x", place: { cwd: "/a" } }, { action: ACTION }]);
  const gate = new FixedGate({ answer: "once", by: "person" });
  const result = await bench.dispatcher({ gate }).run("t");
  assert.deepEqual(parsed(result), { by: ["person", "person"] });
  assert.deepEqual(ran, ["judged"]);
  assert.deepEqual(gate.requests.map(({ tool, subject }) => [tool, subject]), [
    ["t", "rm x"],
    ["t", "do it"],
  ]);
  assert.equal(gate.contexts[0]!.cwd, "/a");
  assert.equal(gate.contexts[1]!.cwd, "/project/dir");
});

Deno.test("dispatch runs no handler after a no, and asks nothing further", async () => {
  const { bench, ran } = benchWith([{ command: "rm x" }, { action: ACTION }]);
  const gate = new FixedGate({ answer: "deny", by: "person", reason: "not today" });
  const { message } = await bench.dispatcher({ gate }).run("t");
  assert.deepEqual([message.content, message.isError], ['{"error":"not today"}', true]);
  assert.equal(gate.requests.length, 1);
  assert.deepEqual(ran, []);
});

Deno.test("dispatch gives the model the tool's own words after a no", async () => {
  const { bench } = benchWith([{
    action: ACTION,
    denied: ({ by }) => ({
      content: { status: "blocked", error: `no, says ${by}` },
      isError: true,
    }),
  }]);
  const gate = new FixedGate({ answer: "deny", by: "policy" });
  const result = await bench.dispatcher({ gate }).run("t");
  assert.deepEqual(parsed(result), { status: "blocked", error: "no, says policy" });
});

Deno.test("approval() may refuse a call or end it with a result", async () => {
  let runs = 0;
  const handler = () => `${++runs}`;
  const bench = new Bench()
    .add({
      name: "refuses",
      approval: () => {
        throw new ToolError("never", { hint: "x" });
      },
      handler,
    })
    .add({ name: "ends", approval: () => ({ result: { content: "ended" } }), handler });
  const dispatcher = bench.dispatcher();
  assert.deepEqual(parsed(await dispatcher.run("refuses")), { error: "never", hint: "x" });
  assert.equal((await dispatcher.run("ends")).message.content, "ended");
  assert.equal(runs, 0);
});

Deno.test("dispatch runs no handler when the call was given up while it was judged", async () => {
  const abort = new AbortController();
  let runs = 0;
  const bench = new Bench().add({
    name: "t",
    approval: () => {
      abort.abort();
      return { asks: [], plan: undefined };
    },
    handler: () => `${++runs}`,
  });
  const result = await bench.dispatcher().run("t", {}, { signal: abort.signal });
  assert.match(String(parsed(result).error), /Cancelled/);
  assert.equal(runs, 0);
});

/** A tool that tries everything and tells what was refused. */
function trying(
  effects: ToolEffect[],
): Pick<ToolSpec, "name" | "effects" | "approval" | "handler"> {
  return {
    name: `t_${effects.join("_") || "none"}`,
    effects,
    approval: () => ({ asks: [], plan: undefined }),
    async handler(_, ctx) {
      const tries: [ToolEffect, () => Promise<unknown>][] = [
        ["execute", () => ctx.env.exec("true")],
        ["spawn", async () => await (await ctx.env.spawn("true")).exited],
        ["write", () => ctx.env.writeFile(ctx.env.resolve("f"), new Uint8Array())],
        ["write", () => ctx.env.rename(ctx.env.resolve("f"), ctx.env.resolve("g"))],
        ["write", () => ctx.env.remove(ctx.env.resolve("g"))],
        ["send", () => ctx.fetch("http://127.0.0.1:1/")],
      ];
      const refused = new Set<string>();
      for (const [effect, run] of tries) {
        await run().catch((error) => {
          if (/does not declare/.test(error.message)) refused.add(effect);
        });
      }
      return {
        content: { refused: [...refused], there: await ctx.env.stat(ctx.env.cwd()) !== undefined },
      };
    },
  };
}

Deno.test("dispatch refuses every effect that a tool does not declare, and looking stays free", async () => {
  await using environment = await createTempEnvironment();
  const cases: [ToolEffect[], ToolEffect[]][] = [
    [[], ["execute", "spawn", "write", "send"]],
    [["execute"], ["spawn", "write", "send"]],
    [["write", "send"], ["execute", "spawn"]],
    [["execute", "spawn", "write", "send"], []],
  ];
  for (const [declared, refused] of cases) {
    const tool = trying(declared);
    const bench = new Bench().add(tool);
    const result = await bench.dispatcher({ environment }).run(tool.name);
    assert.deepEqual(parsed(result), { refused, there: true }, declared.join());
  }
});

Deno.test("register() rejects a tool with effects and no approval", () => {
  const { registry } = new Bench();
  const tool = { name: "t", toolset: "x", description: "", schema: {} };
  const handler = () => ({ content: "" });
  assert.equal(registry.register({ ...tool, handler, effects: ["send"] }), false);
  assert.match(
    registry.problems[0]!,
    /"t" is rejected: it declares effects \(send\) and no approval/,
  );
  assert.equal(registry.register({ ...tool, handler, effects: [] }), true);
});

Deno.test("dispatch judges every call by declared effects where the mode wants that", async () => {
  const ran: string[] = [];
  const bench = new Bench();
  const approval = () => ({ asks: [], plan: undefined });
  const effects: Record<string, readonly ToolEffect[] | undefined> = {
    reads: [],
    executes: ["execute"],
    writes: ["write"],
    sends: ["send"],
    silent: undefined,
  };
  for (const [name, declared] of Object.entries(effects)) {
    const own = declared === undefined ? {} : { effects: declared, approval };
    bench.add({ name, ...own, handler: () => `${ran.push(name)}` });
  }
  const gate = createApprovalGate({ sessionId: "s", policy: "plan" });
  const dispatcher = bench.dispatcher({ gate });
  for (const name of bench.tools) await dispatcher.run(name);
  assert.deepEqual(ran.splice(0), ["reads", "executes"]);
  gate.policy = "ask-all";
  const waiting = [];
  for (const name of bench.tools) {
    const { needsApproval } = await dispatcher.run(name);
    if (needsApproval) waiting.push(name);
  }
  assert.deepEqual([ran.splice(0), waiting], [["reads", "executes"], [
    "writes",
    "sends",
    "silent",
  ]]);
  gate.policy = "never";
  for (const name of bench.tools) await dispatcher.run(name);
  assert.deepEqual(ran, bench.tools);
});
