import assert from "node:assert/strict";
import { type PluginContext, testPlugin } from "./plugin_api.ts";

Deno.test("testPlugin() keeps what is registered and what is pushed", async () => {
  const plugin = await testPlugin((ctx: PluginContext) => {
    ctx.registerTool({
      name: "watch",
      description: "x",
      schema: { type: "object" },
      async handler(_, { sessionId }) {
        const token = ctx.secret("TOKEN") ?? "none";
        return { ...await ctx.wake({ sessionId, text: token }) };
      },
    });
    ctx.registerService({ name: "link", run: () => Promise.resolve() });
    ctx.registerTimer({ name: "tick", everyMs: 1_000, run() {} });
    ctx.registerRoute({ path: "/hook", handler: () => new Response("ok") });
    ctx.registerPlatform({ name: "pigeon", send: () => Promise.resolve({ id: "1" }) });
  }, { secrets: { TOKEN: "abc" } });
  assert.deepEqual(await plugin.call("watch"), { status: "accepted" });
  assert.deepEqual(plugin.pushed, [{
    kind: "wake",
    request: { sessionId: "test", text: "abc" },
  }]);
  const tables = [plugin.services, plugin.timers, plugin.routes, plugin.platforms];
  assert.deepEqual(tables.map((table) => [...table.keys()]), [
    ["link"],
    ["tick"],
    ["/hook"],
    ["pigeon"],
  ]);
});

Deno.test("registering something twice or without its code is named", async () => {
  const failing = async (register: (ctx: PluginContext) => void, says: RegExp) =>
    await assert.rejects(testPlugin(register), { message: says });
  const timer = { name: "t", everyMs: 1_000, run() {} };
  await failing((ctx) => {
    ctx.registerTimer(timer);
    ctx.registerTimer(timer);
  }, /^timer "t" is registered twice$/);
  await failing((ctx) => ctx.registerService({ name: "s" } as never), /needs a name and run/);
  await failing((ctx) => ctx.registerRoute({ path: "/x" } as never), /needs a path and a handler/);
  await failing((ctx) => ctx.registerPlatform({} as never), /needs a name and send/);
  await failing((ctx) => ctx.registerProvider({ name: "p" } as never), /needs a name, models/);
});
