/** Routes, platforms, model providers, secrets and certificates of plugins, in real processes. */
import assert from "node:assert/strict";
import type { PluginBackground } from "../../src/protocol/plugin.ts";
import { manifest, PluginBench } from "./_bench.ts";
import { createSession, registering, withServed } from "./_push.ts";

/** Hermes' HTTP ingress, as a server surface has it. */
async function withIngress(
  background: PluginBackground,
  body: (base: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    return background.handle(request);
  });
  try {
    await body(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

Deno.test("a plugin answers requests of the one HTTP ingress, byte for byte", async () => {
  const code = `
    ctx.registerRoute({ path: "/hook", methods: ["POST"], async handler(request: Request) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      return Response.json({
        url: request.url,
        signature: request.headers.get("x-signature"),
        cookie: request.headers.get("cookie"),
        bytes: [...bytes],
      }, { status: 202, headers: { "set-cookie": "a=b", location: "https://evil.test/" } });
    } });
    ctx.registerRoute({ path: "/all/*", methods: ["GET"], handler: (request: Request) =>
      new Response("<script>1</script>" + new URL(request.url).pathname,
        { headers: { "content-type": "text/html" } }) });
    ctx.registerRoute({ path: "/bad", methods: ["GET"], handler: () => "no response" });
    ctx.registerRoute({ path: "/worse", methods: ["GET"], handler: () => { throw new Error("secret"); } });`;
  const permissions = { routes: ["/hook", "/all/*", "/bad", "/worse"] };
  await withServed({ permissions, code }, async ({ background, bench }) => {
    await withIngress(background, async (base) => {
      const hooked = await fetch(`${base}/plugins/demo/hook?a=1`, {
        method: "POST",
        headers: { "x-signature": "v0=1", cookie: "session=1" },
        body: new Uint8Array([0, 255, 10]),
      });
      assert.equal(hooked.status, 202);
      assert.equal(hooked.headers.get("set-cookie"), null);
      assert.equal(hooked.headers.get("location"), null);
      assert.deepEqual(await hooked.json(), {
        url: "http://hermes/hook?a=1",
        signature: "v0=1",
        cookie: null,
        bytes: [0, 255, 10],
      });
      const page = await fetch(`${base}/plugins/demo/all/x/y`);
      assert.equal(await page.text(), "<script>1</script>/all/x/y");
      assert.match(page.headers.get("content-security-policy")!, /^sandbox/);
      const status = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(`${base}${path}`, init);
        return [response.status, (await response.text()).trim()];
      };
      assert.deepEqual(await status("/plugins/demo/hook"), [
        405,
        "this method is not answered here",
      ]);
      assert.equal((await status("/plugins/demo/other"))[0], 404);
      assert.equal((await status("/plugins/demo/all/../hook", { method: "POST" }))[0], 202);
      assert.equal((await status("/plugins/other/hook"))[0], 404);
      assert.equal((await status("/plugins/demo"))[0], 404);
      assert.deepEqual(await status("/plugins/demo/bad"), [502, "the plugin failed"]);
      assert.deepEqual(await status("/plugins/demo/worse"), [502, "the plugin failed"]);
      assert.match(bench.logs.join("\n"), /demo: \/worse failed: secret/);
      const large = new Uint8Array(1024 * 1024 + 1);
      const refused = await status("/plugins/demo/hook", { method: "POST", body: large });
      assert.equal(refused[0], 413);
    });
  });
});

/** The first answer with another status than this one. */
async function other(get: () => Promise<(number | string)[]>, status: number) {
  const end = performance.now() + 20_000;
  let answer = await get();
  while (answer[0] === status && performance.now() < end) answer = await get();
  return answer;
}

Deno.test("a plugin that answers no request, or is gone, keeps nobody waiting for long", async () => {
  const code = `
    const route = (path: string, handler: any) =>
      ctx.registerRoute({ path, methods: ["GET"], handler });
    route("/hang", () => new Promise(() => {}));
    route("/leave", () => Deno.exit(0));
    route("/fine", () => new Response("fine"));`;
  const permissions = { routes: ["/hang", "/leave", "/fine"] };
  const intervals = { firstPauseMs: 60_000, longestPauseMs: 60_000 };
  await withServed({ permissions, code, intervals }, async ({ background, bench }) => {
    await withIngress(background, async (base) => {
      const get = async (path: string, signal?: AbortSignal) => {
        const response = await fetch(`${base}/plugins/demo/${path}`, signal ? { signal } : {});
        return [response.status, (await response.text()).trim()];
      };
      assert.deepEqual(await get("fine"), [200, "fine"]);
      const abort = new AbortController();
      const hanging = Array.from({ length: 32 }, () => get("hang", abort.signal));
      // The others may still be on their way.
      assert.deepEqual(await other(() => get("fine"), 200), [503, "too many requests at once"]);
      abort.abort();
      await Promise.allSettled(hanging);
      assert.deepEqual(await other(() => get("fine"), 503), [200, "fine"]);
      assert.deepEqual(await get("leave"), [502, "the plugin failed"]);
      assert.deepEqual(await get("fine"), [503, "the plugin is not running"]);
      assert.match(bench.reports[0]!, /^Plugin demo: its process ended\. It starts again in/);
    });
  });
});

Deno.test("a client that sends its request byte by byte is not waited for", async () => {
  const code = `
    ctx.registerRoute({ path: "/hook", methods: ["POST"], handler: () => new Response("fine") });`;
  const intervals = { requestMs: 100 };
  await withServed({ permissions: { routes: ["/hook"] }, code, intervals }, async (served) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const first = writer.write(new Uint8Array(1));
    const url = "http://hermes/plugins/demo/hook";
    const slow = new Request(url, { method: "POST", body: readable });
    const answer = await served.background.handle(slow);
    await first;
    assert.deepEqual([answer.status, await answer.text()], [
      408,
      "the request did not come in time\n",
    ]);
    // The request was given up, not only its answer.
    await assert.rejects(writer.write(new Uint8Array(1)));
    const whole = new Request(url, { method: "POST", body: "x" });
    assert.equal(await (await served.background.handle(whole)).text(), "fine");
  });
});

Deno.test("messages are sent through the platform a plugin brings", async () => {
  const code = `
    const sent: unknown[] = [];
    ctx.registerPlatform({
      name: "pigeon",
      maxChars: 20,
      format: "markdown",
      send: async (message: any) => {
        if (message.chat === "gone") throw new Error("no such chat");
        sent.push(message);
        return message.chat === "odd" ? {} : { id: "p" + sent.length };
      },
      edit: async (message: any) => { sent.push(message); },
    });
    tool("sent", () => ({ sent }));`;
  await withServed({ permissions: { platforms: ["pigeon"] }, code }, async (served) => {
    const [pigeon] = served.background.platforms;
    const { signal } = new AbortController();
    const { name, maxChars, format, canEdit, canShowTyping, plugin } = pigeon!;
    assert.deepEqual([name, maxChars, format, canEdit, canShowTyping, plugin], [
      "pigeon",
      20,
      "markdown",
      true,
      false,
      "demo",
    ]);
    const message = { chat: "c1", text: "hello", key: "k1" };
    assert.deepEqual(await pigeon!.send(message, signal), { id: "p1" });
    await pigeon!.edit({ ...message, text: "hello!", id: "p1" }, signal);
    assert.deepEqual((await served.bench.call("sent")).sent, [
      message,
      { ...message, text: "hello!", id: "p1" },
    ]);
    const says = (work: Promise<unknown>, text: RegExp) => assert.rejects(work, { message: text });
    await says(
      pigeon!.send({ ...message, chat: "gone" }, signal),
      /pigeon .* failed: no such chat/,
    );
    await says(pigeon!.send({ ...message, chat: "odd" }, signal), /did not say which id/);
    await says(pigeon!.send({ ...message, text: "x".repeat(21) }, signal), /at most 20 characters/);
    await says(pigeon!.showTyping({ chat: "c1" }, signal), /pigeon cannot show/);
  });
});

Deno.test("a session talks to a model that a plugin provides", async () => {
  await using bench = await PluginBench.create();
  const host = await bench.load({
    "plugin.yaml": manifest("demo", { providers: ["acme"] }),
    "mod.ts": registering(`
      ctx.registerProvider({
        name: "acme",
        models: [{ id: "echo", contextTokens: 1000 }, { id: "broken", contextTokens: 1000 }],
        async *stream({ model, messages }: any, { signal }: any) {
          const said = messages.at(-1).content[0].text;
          if (model === "broken") return;
          if (said === "wait") await new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)));
          yield { type: "text_delta", text: said };
          yield { type: "end", message: {
            role: "assistant", content: [{ type: "text", text: said }], stopReason: "end",
            provider: "openai", model: "gpt", usage: { inputTokens: 3, outputTokens: 2 } } };
        },
      });`),
  });
  const [acme] = await host.providers();
  assert.throws(() => acme!.open("nothing"), { message: /acme .* has no model "nothing"/ });
  const session = createSession(acme!.open("echo"));
  session.submit({ op: "input", content: [{ type: "text", text: "hello there" }] });
  await session.idle;
  const answer = session.snapshot().transcript.at(-1);
  assert.ok(answer?.role === "assistant");
  assert.deepEqual(answer.content, [{ type: "text", text: "hello there" }]);
  // A plugin answers in its own name only.
  assert.deepEqual([answer.provider, answer.model], ["acme", "echo"]);
  assert.equal(session.usage.inputTokens, 3);
  session.submit({ op: "input", content: [{ type: "text", text: "wait" }] });
  session.submit({ op: "interrupt" });
  await session.idle;
  await session.end("done");
  const { signal } = new AbortController();
  const request = {
    system: "",
    tools: [],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "x" }] }],
  };
  const [failure] = await Array.fromAsync(acme!.open("broken").stream(request, signal));
  assert.ok(failure?.type === "failure");
  assert.equal(failure.failure.message, "acme failed: its answer stopped in the middle");
});

Deno.test("secrets come over the socket and are in no environment", async () => {
  const code = `tool("look", () => ({
    pid: Deno.pid,
    secret: ctx.secret("BOT_TOKEN"),
    plain: Deno.env.get("PLAIN"),
    other: ctx.secret("PLAIN") ?? "none",
    missing: ctx.secret("UNSET_TOKEN") ?? "none",
  }));
  ctx.registerTimer({ name: "t", everyMs: 60000, run() {} });`;
  await withServed({
    permissions: {
      secrets: ["BOT_TOKEN", "UNSET_TOKEN"],
      env: ["PLAIN"],
      background: ["timers"],
    },
    head: "requires_env: [BOT_TOKEN]\n",
    code,
    options: { env: { BOT_TOKEN: "12345:abc", PLAIN: "seen" } },
  }, async ({ bench }) => {
    const { pid, ...seen } = await bench.call("look");
    assert.deepEqual(seen, { secret: "12345:abc", plain: "seen", other: "none", missing: "none" });
    if (Deno.build.os !== "linux") return console.log("environments are shown on Linux only");
    const environ = await Deno.readTextFile(`/proc/${pid}/environ`);
    assert.ok(environ.includes("PLAIN=seen"));
    assert.ok(!environ.includes("12345:abc"), "the secret is in the environment");
  });
});

Deno.test("a plugin with a secret it needs is not loaded without", async () => {
  await using bench = await PluginBench.create();
  await bench.load({
    "plugin.yaml": manifest("demo", { secrets: ["BOT_TOKEN"] }) + "requires_env: [BOT_TOKEN]\n",
    "mod.ts": registering(""),
  });
  assert.deepEqual(bench.reports, ["Plugin demo disabled (missing: BOT_TOKEN)"]);
});

Deno.test("with node_shim packages for Node load without the permissions they ask for", async () => {
  await using bench = await PluginBench.create();
  const code = `import os from "node:os";
import process from "node:process";
const atStart = [os.hostname(), process.env.NODE_ENV ?? "unset", os.release()];
export function register(ctx: any) {
  ctx.registerTool({ name: "seen", description: "x", schema: { type: "object" },
    handler: () => ({ atStart, plain: process.env.PLAIN, directory: (globalThis as any).__dirname }) });
}
`;
  const files = (head: string) => ({
    "plugin.yaml": manifest("demo", { env: ["PLAIN"] }) + head,
    "mod.ts": code,
  });
  await bench.load(files(""), { env: { PLAIN: "seen" } });
  assert.match(bench.reports[0]!, /permissions\.(sys|env) of its manifest does not name/);
  await bench.load(files("node_shim: true\n"), { env: { PLAIN: "seen" } });
  assert.deepEqual(await bench.call("seen"), {
    atStart: ["localhost", "unset", ""],
    plain: "seen",
    directory: "/",
  });
});

/** A certificate for this machine, signed by an authority of its own; false where none can be made. */
async function makeCertificates(folder: string): Promise<boolean> {
  const make = async (name: string, ...more: string[]) => {
    const fixed = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    const files = ["-keyout", `${folder}/${name}.key`, "-out", `${folder}/${name}.pem`];
    const args = [...fixed.split(" "), ...files, "-subj", `/CN=${name}`, ...more];
    const command = new Deno.Command("openssl", { args, stdout: "null", stderr: "null" });
    return (await command.output().catch(() => ({ success: false }))).success;
  };
  const signed = ["-CA", `${folder}/authority.pem`, "-CAkey", `${folder}/authority.key`];
  const leaf = ["basicConstraints=critical,CA:FALSE", "subjectAltName=IP:127.0.0.1"];
  return await make("authority") &&
    await make("server", ...signed, ...leaf.flatMap((one) => ["-addext", one]));
}

Deno.test("a private authority is trusted by configuration, not by a variable", async () => {
  await using bench = await PluginBench.create();
  if (!await makeCertificates(bench.root)) {
    return console.log("there is no openssl here that makes certificates");
  }
  const server = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    cert: await Deno.readTextFile(`${bench.root}/server.pem`),
    key: await Deno.readTextFile(`${bench.root}/server.key`),
    onListen() {},
  }, () => new Response("inside"));
  const { port } = server.addr as Deno.NetAddr;
  await bench.user("demo", {
    "plugin.yaml": manifest("demo", { net: [`127.0.0.1:${port}`] }),
    "mod.ts": registering(`tool("get", async () => {
      using client = Deno.createHttpClient({ caCerts: [...ctx.caCerts] });
      const response = await fetch("https://127.0.0.1:${port}/", { client });
      return { text: await response.text() };
    });`),
  });
  try {
    const open = (entry: unknown) => bench.open({ enabled: ["demo"], entries: { demo: entry } });
    const without = await open({});
    assert.match(String((await bench.call("get")).error), /fetch failed/);
    await without.close();
    await open({ ca_file: `${bench.root}/authority.pem` });
    assert.deepEqual(await bench.call("get"), { text: "inside" });
  } finally {
    await server.shutdown();
  }
});

Deno.test("a ca_file that holds no certificate is named", async () => {
  await using bench = await PluginBench.create();
  const folder = await bench.write("certs", { "none.pem": "nothing" });
  const open = (file: string) =>
    bench.load(registering(""), { entries: { demo: { ca_file: file } } });
  await open(`${folder}/none.pem`);
  assert.match(bench.reports[0]!, /its ca_file .*none\.pem holds no certificate/);
  await open(`${folder}/absent.pem`);
  assert.match(bench.reports[1]!, /its ca_file .*absent\.pem cannot be read/);
});
