/** Plugins that push, through a host: in the chat, in a run, and with an inbox. */
import assert from "node:assert/strict";
import { Host } from "../../src/host/host.ts";
import { startFakeModel } from "../support/fake_model_server.ts";
import { runHermes, tempHome } from "../support/hermes.ts";
import { withJob } from "../support/run_job.ts";
import { openScreen } from "../support/screen.ts";
import { manifest, PluginBench } from "./_bench.ts";
import { MemoryInbox, registering, until } from "./_push.ts";

async function writePlugin(home: string, files: Record<string, string>): Promise<void> {
  const folder = `${home}/.hermes/plugins/demo`;
  await Deno.mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  const enabled = await runHermes({ home, args: ["plugins", "enable", "demo"] });
  assert.equal(enabled.code, 0, enabled.stderr);
}

Deno.test("in the chat a plugin that watches begins a turn, and the chat shows it", async () => {
  await using home = await tempHome();
  await writePlugin(home.path, {
    "plugin.yaml": manifest("demo", { sessions: ["wake"], background: ["services"] }),
    "mod.ts": registering(`
      let told: (text: string) => void;
      const news = new Promise<string>((resolve) => told = resolve);
      ctx.registerCommand({ name: "ring", description: "x", run: (text: string) => told(text) });
      let sessionId: string;
      ctx.registerHook("on_session_start", (payload: any) => { sessionId = payload.sessionId; });
      ctx.registerService({ name: "bell", async run({ ready }: any) {
        ready();
        const text = await news;
        await ctx.wake({ sessionId, text });
      } });`),
  });
  await using model = startFakeModel({ replies: [{ text: "I heard the bell" }] });
  const args = ["--base-url", model.url, "--model", "fake-model"];
  await using screen = await openScreen(home.path, args);
  await screen.shows(/\/help\n[\s\S]*> /);
  await screen.type("/plugins\r");
  await screen.shows(/✓ demo v1\.0\.0 \(0 tools, 1 hooks; service bell running\)/);
  await screen.type("/ring dinner\r");
  await screen.shows(/I heard the bell/);
  const [request] = model.requests;
  assert.match(JSON.stringify(request!.body.messages), /Message from the plugin demo.*dinner/);
  await screen.type("/quit\r");
  assert.equal(await screen.exitCode(), 0);
});

Deno.test("hermes run talks to a model of a plugin, and starts no service for it", async () => {
  await withJob([], async (job) => {
    await writePlugin(job.home, {
      "plugin.yaml": manifest("demo", { providers: ["acme"], background: ["services"] }),
      "mod.ts": registering(`
        ctx.registerService({ name: "bell", async run() { ctx.log("the service runs"); } });
        ctx.registerProvider({
          name: "acme",
          models: [{ id: "echo", contextTokens: 100000 }],
          async *stream({ model, messages }: any) {
            const text = model + " heard: " + messages.at(-1).content[0].text;
            yield { type: "text_delta", text };
            yield { type: "end", message: {
              role: "assistant", content: [{ type: "text", text }], stopReason: "end" } };
          },
        });`),
    });
    const run = (...args: string[]) => job.hermes(["run", "--verbose", ...args]);
    const outcome = await run("--model", "acme/echo", "hello there");
    assert.deepEqual([outcome.code, outcome.stdout], [0, "echo heard: hello there\n"]);
    assert.doesNotMatch(outcome.stderr, /the service runs/);
    const unknown = await run("--provider", "acme", "--model", "other", "hello");
    assert.equal(unknown.code, 1, unknown.stderr);
    assert.match(unknown.stderr, /acme \(plugin demo\) has no model "other"\n +It has: echo/);
  });
});

Deno.test("a host hands messages of plugins to its inbox while a session that stays is open", async () => {
  await using bench = await PluginBench.create();
  await bench.user("demo", {
    "plugin.yaml": manifest("demo", { platforms: ["pigeon"], background: ["services"] }),
    "mod.ts": registering(`
      ctx.registerPlatform({ name: "pigeon", send: async () => ({ id: "1" }) });
      ctx.registerService({ name: "loft", async run({ signal }: any) {
        await ctx.deliver({ platform: "pigeon", id: "1", chat: "c", user: "u", text: "coo" });
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      } });`),
  });
  await bench.agree("demo");
  const inbox = new MemoryInbox();
  const host = new Host({
    settings: await bench.settings({ enabled: ["demo"] }),
    cwd: bench.project,
    processEnv: { HOME: bench.root },
    inbox,
  });
  const open = (surface: string) =>
    host.open({ surface, storage: "none", model: { provider: "offline" } });
  const run = await open("run");
  assert.equal(run.plugins!.background, undefined);
  const chat = await open("chat");
  await until(() => inbox.stored.length === 1, "the message");
  assert.equal(inbox.stored[0]!.text, "coo");
  assert.equal(chat.plugins!.background!.platforms[0]!.name, "pigeon");
  await host.close();
  assert.equal(chat.plugins!.background!.services[0]!.state, "stopped");
});
