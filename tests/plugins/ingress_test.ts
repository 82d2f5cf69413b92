/** The host's one HTTP ingress with a real plugin behind it, as a person sets it up. */
import assert from "node:assert/strict";
import { Host } from "../../src/host/host.ts";
import { manifest, PluginBench } from "./_bench.ts";
import { registering } from "./_push.ts";

const ROUTE = registering(`
  ctx.registerRoute({ path: "/hook", methods: ["POST"], handler: async (request: Request) =>
    new Response("heard " + await request.text()) });`);

/** A host with the plugin, and what it tells the person; `port` as in the settings. */
async function withHost(
  port: number,
  body: (host: Host, lines: string[]) => Promise<void>,
): Promise<void> {
  await using bench = await PluginBench.create();
  await bench.user("demo", {
    "plugin.yaml": manifest("demo", { routes: ["/hook"] }),
    "mod.ts": ROUTE,
  });
  await bench.agree("demo");
  const settings = await bench.settings({ enabled: ["demo"] });
  settings.config.plugins.http_port = port;
  const host = new Host({ settings, cwd: bench.project, processEnv: { HOME: bench.root } });
  try {
    await body(host, []);
  } finally {
    await host.close();
  }
}

async function open(host: Host, surface: string, lines: string[] = []) {
  const spec = { surface, storage: "none", model: { provider: "offline" } } as const;
  return (await host.open(spec, { tell: (line) => lines.push(line) })).session;
}

/** A port that was free a moment ago: the system gives it to nobody else so soon. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}

async function post(port: number, text: string): Promise<string> {
  const url = `http://127.0.0.1:${port}/plugins/demo/hook`;
  try {
    return await (await fetch(url, { method: "POST", body: text })).text();
  } catch {
    return "nobody listens";
  }
}

Deno.test("a request reaches a plugin while a session that stays is open, and not before or after", async () => {
  const port = freePort();
  await withHost(port, async (host) => {
    const run = await open(host, "run");
    assert.equal(await post(port, "x"), "nobody listens");
    const [one, two] = [await open(host, "chat"), await open(host, "chat")];
    assert.equal(await post(port, "the bell"), "heard the bell");
    await one.end("done");
    assert.equal(await post(port, "again"), "heard again");
    await Promise.all([two.end("done"), run.end("done")]);
    assert.equal(await post(port, "x"), "nobody listens");
    const three = await open(host, "chat");
    assert.equal(await post(port, "once more"), "heard once more");
    await three.end("done");
  });
});

Deno.test("nobody listens unless a port is set, and the person is told how; a taken one is named", async () => {
  await withHost(0, async (host, lines) => {
    await open(host, "chat", lines);
    assert.deepEqual(lines, [
      "nothing reaches /plugins/demo/hook: hermes listens nowhere. To listen on this machine: " +
      "hermes config set plugins.http_port 8650",
    ]);
  });
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr as Deno.NetAddr;
  await withHost(port, async (host, lines) => {
    await open(host, "chat", lines);
    assert.equal(lines.length, 1);
    assert.match(
      lines[0]!,
      new RegExp(`^plugins get no HTTP requests: port ${port} cannot be used`),
    );
  });
});

Deno.test("the same route of a second directory is named, and answered by the first", async () => {
  const port = freePort();
  await withHost(port, async (host, lines) => {
    const one = await open(host, "chat");
    const cwd = await Deno.makeTempDir();
    try {
      const spec = { surface: "chat", storage: "none", model: { provider: "offline" } } as const;
      const { session } = await host.open({ ...spec, cwd }, { tell: (line) => lines.push(line) });
      assert.deepEqual(lines, [
        "/plugins/demo/hook reaches the plugin of that name in another directory while it is in use",
      ]);
      await one.end("done");
      assert.equal(await post(port, "the other"), "heard the other");
      await session.end("done");
    } finally {
      await Deno.remove(cwd, { recursive: true });
    }
  });
});
