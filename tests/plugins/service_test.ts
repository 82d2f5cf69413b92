/** Services and timers of plugins: kept running, watched, and started again, in real processes. */
import assert from "node:assert/strict";
import type { PluginBackground } from "../../src/protocol/plugin.ts";
import { manifest, PluginBench } from "./_bench.ts";
import { HASTE, registering, until, withServed } from "./_push.ts";

const SERVICES = { background: ["services"] } as const;

function state({ services }: PluginBackground, name = "watch"): string {
  return services.find((service) => service.name === name)!.state;
}

/** Counts its starts in a file: a process that was started again knows of those before. */
const COUNTING = `
  const file = ctx.dataDir + "/starts";
  const count = () => {
    let starts = 1;
    try { starts += Number(Deno.readTextFileSync(file)); } catch { /* the first one */ }
    Deno.writeTextFileSync(file, String(starts));
    return starts;
  };
  const forever = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  tool("pid", () => ({ pid: Deno.pid }));
`;

Deno.test("a service starts with hermes, says that it works, and ends when it is asked to", async () => {
  await using bench = await PluginBench.create();
  const host = await bench.load({
    "plugin.yaml": manifest("demo", SERVICES),
    "mod.ts": registering(`${COUNTING}
      ctx.registerService({ name: "watch", async run({ signal, ready }: any) {
        count();
        ready();
        await forever(signal);
        Deno.writeTextFileSync(ctx.dataDir + "/tidy", "yes");
      } });`),
  });
  const background = await host.serve({ intervals: HASTE });
  assert.ok(background);
  await until(() => state(background) === "running", "the service runs");
  const [status] = host.statuses;
  assert.deepEqual(status!.services, [{
    plugin: "demo",
    name: "watch",
    state: "running",
    restarts: 0,
  }]);
  await host.close();
  assert.equal(state(background), "stopped");
  const kept = `${bench.hermes}/plugin-data/demo`;
  assert.equal(await Deno.readTextFile(`${kept}/tidy`), "yes");
  assert.equal(await Deno.readTextFile(`${kept}/starts`), "1");
  assert.deepEqual(bench.reports, []);
});

Deno.test("a service that throws is started again after a pause, and one that returns is done", async () => {
  const code = `${COUNTING}
    ctx.registerService({ name: "watch", async run({ signal, ready }: any) {
      if (count() < 3) throw new Error("the line is dead");
      ready();
      await forever(signal);
    } });
    ctx.registerService({ name: "once", async run() {} });`;
  await withServed({ permissions: SERVICES, code }, async ({ bench, background }) => {
    await until(() => state(background) === "running", "the third start");
    await until(() => state(background, "once") === "ended", "the other ends");
    const { restarts } = background.services.find(({ name }) => name === "watch")!;
    assert.equal(restarts, 2);
    assert.equal(bench.reports.length, 1, bench.reports.join("\n"));
    assert.match(
      bench.reports[0]!,
      /^Plugin demo: service watch failed: the line is dead\. It starts again in 0\.\d s$/,
    );
    assert.match(bench.logs.join("\n"), /service watch failed/);
  });
});

Deno.test("a service whose process dies is started again, and no other plugin notices", async () => {
  await using bench = await PluginBench.create();
  const dying = `${COUNTING}
    ctx.registerService({ name: "watch", async run({ signal, ready }: any) {
      if (count() === 1) Deno.exit(3);
      ready();
      await forever(signal);
    } });`;
  const steady = `${COUNTING.replaceAll('"pid"', '"steady_pid"')}
    ctx.registerService({ name: "steady", async run({ signal, ready }: any) {
      ready();
      await forever(signal);
    } });`;
  for (const [id, code] of [["dying", dying], ["steady", steady]] as const) {
    await bench.user(id, { "plugin.yaml": manifest(id, SERVICES), "mod.ts": registering(code) });
  }
  const host = await bench.open({ enabled: ["dying", "steady"] });
  const background = await host.serve({ intervals: HASTE });
  await until(() => state(background!, "steady") === "running", "the steady one runs");
  const { pid } = await bench.call("steady_pid");
  await until(() => state(background!) === "running", "the second start");
  assert.deepEqual(await bench.call("steady_pid"), { pid });
  assert.match(
    bench.reports[0]!,
    /^Plugin dying: its process ended\. It starts again in 0\.\d s$/,
  );
  assert.equal(bench.reports.length, 1);
  // Its tools work again, too.
  assert.equal(typeof (await bench.call("pid")).pid, "number");
});

Deno.test("a service that loops for ever is found, ended and started again", async () => {
  const code = `${COUNTING}
    ctx.registerService({ name: "watch", async run({ signal, ready }: any) {
      ready();
      if (count() === 1) while (true);
      await forever(signal);
    } });`;
  const intervals = { healthTimeoutMs: 200 };
  await withServed({ permissions: SERVICES, code, intervals }, async ({ bench, background }) => {
    await until(() => bench.reports.length > 0, "the loop is named");
    assert.match(bench.reports[0]!, /^Plugin demo: it went on after its time was up and does not/);
    await until(() => state(background) === "running", "it runs again");
    // On a busy machine a healthy one may be taken for a looping one, too.
    assert.ok(background.services[0]!.restarts >= 1);
  });
});

Deno.test("a service that says it is not well is started again, the process stays", async () => {
  const code = `${COUNTING}
    let starts = 0;
    ctx.registerService({
      name: "watch",
      async run({ signal, ready }: any) { starts++; ready(); await forever(signal); },
      health: () => starts > 1 || "no word from the server",
    });`;
  await withServed({ permissions: SERVICES, code }, async ({ bench, background }) => {
    await until(() => background.services[0]!.restarts === 1, "it is started again");
    await until(() => state(background) === "running", "it runs again");
    const { pid } = await bench.call("pid");
    assert.match(bench.reports[0]!, /service watch failed: no word from the server\./);
    assert.deepEqual(await bench.call("pid"), { pid });
  });
});

Deno.test("a service that is not well and does not end takes its process with it", async () => {
  const code = `${COUNTING}
    const starts = count();
    ctx.registerService({
      name: "watch",
      async run({ signal, ready }: any) {
        ready();
        await (starts === 1 ? new Promise(() => {}) : forever(signal));
      },
      health: () => starts > 1,
    });`;
  const intervals = { stopGraceMs: 50 };
  await withServed({ permissions: SERVICES, code, intervals }, async ({ bench, background }) => {
    await until(() => bench.reports.length > 0, "it is named");
    assert.match(bench.reports[0]!, /^Plugin demo: service watch does not end: it is not well\./);
    await until(() => state(background) === "running", "it runs again");
  });
});

Deno.test("a timer is asked at every interval, and goes on after a failure", async () => {
  const code = `
    let runs = 0;
    ctx.registerTimer({ name: "tick", everyMs: 1000, run() {
      Deno.writeTextFileSync(ctx.dataDir + "/runs", String(++runs));
      if (runs === 1) throw new Error("not yet");
    } });`;
  const permissions = { background: ["timers"] };
  await withServed({ permissions, code }, async ({ bench }) => {
    const file = `${bench.hermes}/plugin-data/demo/runs`;
    await until(() => bench.reports.length > 0, "the first run");
    assert.deepEqual(bench.reports, ["Plugin demo: timer tick failed: not yet"]);
    await until(() => Number(Deno.readTextFileSync(file)) >= 2, "the second run");
    assert.equal(bench.reports.length, 1);
  });
});

Deno.test("what a manifest does not declare is left out in one line each", async () => {
  await using bench = await PluginBench.create();
  const host = await bench.load(registering(`
    ctx.registerService({ name: "watch", async run() {} });
    ctx.registerTimer({ name: "tick", everyMs: 5000, run() {} });
    ctx.registerRoute({ path: "/hook", handler: () => new Response("") });
    ctx.registerPlatform({ name: "pigeon", send: async () => ({ id: "1" }) });
    ctx.registerProvider({ name: "acme", models: [{ id: "m", contextTokens: 1 }], stream() {} });
  `));
  const lines = [
    ["service", "watch", "background: [services]"],
    ["timer", "tick", "background: [timers]"],
    ["route", "/hook", "routes: [/hook]"],
    ["platform", "pigeon", "platforms: [pigeon]"],
    ["provider", "acme", "providers: [acme]"],
  ].map(([what, name, key]) =>
    `Plugin demo: ${what} "${name}" is left out: its manifest does not declare permissions.${key}`
  );
  assert.deepEqual(bench.reports, lines);
  assert.equal(await host.serve(), undefined);
  assert.deepEqual(await host.providers(), []);
});

Deno.test("a process that stays on has no total of CPU time, and larger files", async () => {
  const code = `${COUNTING} ctx.registerTimer({ name: "tick", everyMs: 60_000, run() {} });`;
  await withServed({ permissions: { background: ["timers"] }, code }, async ({ bench }) => {
    const { pid } = await bench.call("pid");
    if (Deno.build.os !== "linux") return console.log("limits are set on Linux only");
    const limits = await Deno.readTextFile(`/proc/${pid}/limits`);
    const soft = (name: string) => Number(new RegExp(`^${name} +(\\d+)`, "m").exec(limits)?.[1]);
    assert.ok(soft("Max cpu time") > 300 * 24 * 3600, limits);
    assert.equal(soft("Max file size"), 1024 ** 3, limits);
  });
});
