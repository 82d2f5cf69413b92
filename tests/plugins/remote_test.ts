import assert from "node:assert/strict";
import { contentHash } from "../../src/plugins/source.ts";
import { fetchSource } from "../../src/plugins/remote.ts";
import { sha256Hex } from "../../src/util/hash.ts";
import { runHermes, startHermes } from "../support/hermes.ts";
import { Seal } from "../../src/util/seal.ts";
import { withJob } from "../support/run_job.ts";
import { PluginBench, pluginFiles, toolModule } from "./_bench.ts";
import { greeter, greeterSite, Site } from "./_site.ts";

async function refused(url: string, says: RegExp): Promise<void> {
  await assert.rejects(fetchSource(url), (error: Error) => {
    assert.match(error.message, says);
    assert.ok(!error.message.includes("\n"));
    return true;
  });
}

Deno.test("fetchSource() follows relative, absolute and data imports", async () => {
  await using site = new Site();
  site.pages.set(
    "/p/mod.ts",
    `export const manifest = { name: "x", version: "1", description: "x" };
     import "./a.ts"; import "${site.url}/q/b.js?v=2"; import "/r/c.ts";
     import data from "./d.json" with { type: "json" };
     export const later = () => import("./late.ts");`,
  );
  site.pages.set("/p/a.ts", `import "../q/b.js?v=2"; export const a: number = 1;`);
  site.pages.set("/q/b.js?v=2", "export const b = 1;");
  site.pages.set("/r/c.ts", "export enum C { One }");
  site.pages.set("/p/d.json", "{}");
  site.pages.set("/p/late.ts", "export {};");
  const source = await fetchSource(`${site.url}/p/mod.ts`);
  assert.deepEqual(
    [...source.files.keys()].map((url) => url.slice(site.url.length)).sort(),
    ["/p/a.ts", "/p/d.json", "/p/late.ts", "/p/mod.ts", "/q/b.js?v=2", "/r/c.ts"],
  );
  assert.equal(site.asked.length, 6, "each file is fetched once");
});

Deno.test("fetchSource() takes plugin.yaml from beside a module without a manifest", async () => {
  await using site = new Site();
  site.pages.set("/p/mod.ts", "export function register() {}");
  site.pages.set("/p/plugin.yaml", "name: x\nversion: 1\ndescription: x\n");
  const source = await fetchSource(`${site.url}/p/mod.ts`);
  assert.equal(source.manifest, `${site.url}/p/plugin.yaml`);
});

Deno.test("fetchSource() follows a redirect and resolves imports from where it led", async () => {
  await using site = new Site();
  greeterSite(site);
  site.pages.set("/latest", () => Response.redirect(`${site.url}/p/mod.ts`));
  const source = await fetchSource(`${site.url}/latest`);
  assert.equal(source.entry, `${site.url}/p/mod.ts`);
  assert.equal(source.redirects?.get(`${site.url}/latest`), `${site.url}/p/mod.ts`);
});

Deno.test("fetchSource() loads modules that import each other in a circle", async () => {
  await using site = new Site();
  site.pages.set(
    "/mod.ts",
    `import { b } from "./b.ts";
     export const manifest = { name: "circle", version: "1.0.0", description: "Goes round" };
     export function a() { return "a"; }
     export function register(ctx) {
       ctx.registerTool({ name: "round", description: "x", schema: { type: "object" }, handler: () => ({ value: b() }) });
     }`,
  );
  site.pages.set(
    "/b.ts",
    `import { a } from "./mod.ts"; export function b() { return a() + "b"; }`,
  );
  await using bench = await PluginBench.create();
  await bench.open({ extra: [`${site.url}/mod.ts`], acceptUnpinned: true });
  assert.deepEqual(await bench.call("round"), { value: "ab" });
});

for (const mode of ["deno", "reexec"] as const) {
  Deno.test(`a plugin from an address brings data and skills it imports (${mode})`, async () => {
    await using site = new Site();
    site.pages.set(
      "/mod.ts",
      `import numbers from "./numbers.json" with { type: "json" };
       import guide from "./guide.md" with { type: "text" };
       export const manifest = { name: "reader", version: "1.0.0", description: "Reads" };
       export function register(ctx) {
         ctx.registerSkill({ name: "guide", description: "A guide", content: guide });
         ctx.registerSkill({ name: "lost", description: "Not imported", path: "lost.md" });
         ctx.registerTool({ name: "sum", description: "x", schema: { type: "object" },
           handler: () => ({ sum: numbers.reduce((a, b) => a + b) }) });
       }`,
    );
    site.pages.set("/numbers.json", "[1, 2, 3]");
    site.pages.set("/guide.md", "# Guide");
    await using bench = await PluginBench.create();
    const host = await bench.open({ extra: [`${site.url}/mod.ts`], acceptUnpinned: true, mode });
    assert.deepEqual(await bench.call("sum"), { sum: 6 });
    const [, file] = /reader:guide: A guide \((.*)\)/.exec(host.promptSections.join("\n"))!;
    assert.equal(await Deno.readTextFile(file!), "# Guide");
    assert.deepEqual(bench.reports, [
      'Plugin reader: skill "lost" is left out: it has no file lost.md',
    ]);
  });
}

/** An entry module with this body; gives its address. */
function entryPage(site: Site, body: string): string {
  site.pages.set(
    "/mod.ts",
    `export const manifest = { name: "x", version: "1", description: "x" };\n${body}`,
  );
  return `${site.url}/mod.ts`;
}

Deno.test("fetchSource() refuses what is missing, endless or too large", async (t) => {
  await using site = new Site();
  await t.step("missing file", async () => {
    await refused(entryPage(site, `import "./gone.ts";`), /gone\.ts: the server answered 404/);
  });
  await t.step("redirect loop", async () => {
    site.pages.set("/loop.ts", () => Response.redirect(`${site.url}/loop.ts`));
    await refused(entryPage(site, `import "./loop.ts";`), /redirects more than 5 times/);
  });
  await t.step("announced 50 MB", async () => {
    site.pages.set("/big.ts", () => new Response("x".repeat(50 * 1024 * 1024)));
    await refused(entryPage(site, `import "./big.ts";`), /big\.ts is too large/);
  });
  await t.step("50 MB that nobody announced", async () => {
    let sent = 0;
    site.pages.set("/flood.ts", () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += 64 * 1024;
            controller.enqueue(new Uint8Array(64 * 1024).fill(32));
            if (sent > 50 * 1024 * 1024) controller.close();
          },
        }),
      ));
    await refused(entryPage(site, `import "./flood.ts";`), /flood\.ts is too large/);
    assert.ok(sent < 20 * 1024 * 1024, `read ${sent} bytes before giving up`);
  });
  await t.step("more files than a plugin has", async () => {
    site.pages.set("/n.ts", ({ url }) => {
      const n = Number(new URL(url).searchParams.get("n"));
      return new Response(`import "./n.ts?n=${n + 1}";`);
    });
    await refused(
      entryPage(site, `import "./n.ts?n=0";`),
      /too large for a plugin: at most 500 files/,
    );
  });
});

Deno.test("fetchSource() refuses what is no module or no address", async (t) => {
  await using site = new Site();
  await t.step("a content type that lies: a web page called TypeScript", async () => {
    site.pages.set("/page.ts", () =>
      new Response("<!doctype html><p>not found", {
        headers: { "content-type": "application/typescript" },
      }));
    await refused(entryPage(site, `import "./page.ts";`), /page\.ts is a web page, not a module/);
  });
  await t.step("a content type that lies: a module called an image", async () => {
    site.pages.set(
      "/module.ts",
      () =>
        new Response("export const x: number = 1;", { headers: { "content-type": "image/png" } }),
    );
    const source = await fetchSource(entryPage(site, `import "./module.ts";`));
    assert.equal(source.files.size, 2);
  });
  await t.step("bytes that are no text", async () => {
    site.pages.set("/binary.ts", () => new Response(new Uint8Array([0xff, 0xfe, 0x00])));
    await refused(entryPage(site, `import "./binary.ts";`), /is not UTF-8 text/);
    const wide = [...new TextEncoder().encode("export {};")].flatMap((byte) => [byte, 0]);
    for (const bytes of [[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], wide, [0xff, 0xfe, ...wide]]) {
      site.pages.set("/binary.ts", () => new Response(new Uint8Array(bytes)));
      await refused(entryPage(site, `import "./binary.ts";`), /is not UTF-8 text/);
    }
  });
  await t.step("code nested deeper than anything can parse", async () => {
    site.pages.set("/deep.ts", `export const x = ${"[".repeat(200_000)}${"]".repeat(200_000)};`);
    await refused(entryPage(site, `import "./deep.ts";`), /deep\.ts is nested too deeply/);
  });
  await t.step("no address at all", async () => {
    await refused("https://", /"https:\/\/" is no address/);
    await refused(entryPage(site, `import "https://[no";`), /mod\.ts imports "https:\/\/\[no"/);
    const headers = { location: "https://[no" };
    site.pages.set("/astray.ts", () => new Response(null, { status: 302, headers }));
    await refused(entryPage(site, `import "./astray.ts";`), /"https:\/\/\[no" is no address/);
    await refused(site.url.replace("//", "//me:secret@"), /an address with a password/);
  });
  await t.step("one of many files, and nothing is fetched any more", async () => {
    const waiting = Promise.withResolvers<Response>();
    site.pages.set("/slow.ts", () => waiting.promise);
    await refused(entryPage(site, `import "./slow.ts"; import "./gone.ts";`), /gone\.ts: .* 404/);
    waiting.resolve(new Response("late"));
  });
  await t.step("a connection that breaks", async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const serving = (async () => {
      using connection = await listener.accept();
      const head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nexport";
      await connection.write(new TextEncoder().encode(head));
    })();
    await refused(`http://127.0.0.1:${listener.addr.port}/mod.ts`, /the connection broke/);
    await serving;
    listener.close();
  });
});

Deno.test("fetchSource() takes nothing over an unsafe connection", async () => {
  await refused("http://example.com/mod.ts", /is not HTTPS/);
  await using site = new Site();
  site.pages.set(
    "/mod.ts",
    `import "http://example.com/x.ts";
    export const manifest = { name: "x", version: "1", description: "x" };`,
  );
  await refused(`${site.url}/mod.ts`, /example\.com.* is not HTTPS/);
  site.pages.set(
    "/file.ts",
    () => new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } }),
  );
  await refused(`${site.url}/file.ts`, /is not HTTPS/);
});

Deno.test("a URL plugin headless needs a pin or --accept-plugins, then works offline", async () => {
  const site = new Site();
  const url = greeterSite(site);
  const hash = await contentHash(await fetchSource(url));
  const call = { toolCalls: [{ name: "greet", arguments: {} }] };
  await withJob((_, index) => index % 2 === 0 ? call : { text: "done" }, async (job) => {
    const unpinned = await job.run(["--plugin", url, "go"]);
    assert.equal(unpinned.code, 2);
    assert.ok(unpinned.stderr.includes(`${url}#sha256=${hash}`), unpinned.stderr);
    const wrong = await job.run(["--plugin", `${url}#sha256=${"0".repeat(64)}`, "go"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /is not the pinned plugin/);
    const pinned = await job.run(["--plugin", `${url}#sha256=${hash}`, "go"]);
    assert.deepEqual([pinned.code, pinned.stdout], [0, "done\n"], pinned.stderr);
    const results = JSON.stringify(job.model.requests.at(-1)!.body.messages);
    assert.match(results, /greeting.*hello/);
    const accepted = await job.run(["--accept-plugins", "--plugin", url, "go"]);
    assert.equal(accepted.code, 0, accepted.stderr);
    await site[Symbol.asyncDispose]();
    const offline = await job.run(["--plugin", `${url}#sha256=${hash}`, "go"]);
    assert.deepEqual([offline.code, offline.stdout], [0, "done\n"], offline.stderr);
  });
});

Deno.test("hermes plugins install pins every file, and a change loads only after update", async () => {
  const site = new Site();
  const url = greeterSite(site);
  const call = { toolCalls: [{ name: "greet", arguments: {} }] };
  await withJob((_, index) => index % 2 === 0 ? call : { text: "done" }, async (job) => {
    const asked = await job.hermes(["plugins", "install", url]);
    assert.equal(asked.code, 2, "nobody said yes");
    for (const part of ["greeter v1.0.0", "tools: greet", "nothing: no network", "2 files"]) {
      assert.ok(asked.stderr.includes(part), `${part} is missing from: ${asked.stderr}`);
    }
    const installed = await job.hermes(["plugins", "install", url, "--yes"]);
    assert.equal(installed.code, 0, installed.stderr);
    const lock = JSON.parse(await Deno.readTextFile(`${job.home}/.hermes/plugins.lock`));
    assert.equal(
      lock.plugins.greeter.files[url].sha256,
      await sha256Hex(site.pages.get("/p/mod.ts") as string),
    );
    const version = async () => {
      const outcome = await job.run(["go"]);
      assert.equal(outcome.code, 0, outcome.stderr);
      const results = JSON.stringify(job.model.requests.at(-1)!.body.messages);
      return /version\\*":\\*"([\d.]+)/.exec(results)?.[1];
    };
    assert.equal(await version(), "1.0.0");
    site.pages.set("/p/mod.ts", greeter("2.0.0"));
    assert.equal(await version(), "1.0.0", "a changed file is not loaded");
    const shown = await job.hermes(["plugins", "update", "greeter"]);
    assert.equal(shown.code, 2, "nobody said yes");
    assert.match(shown.stderr, /-.*version: "1\.0\.0"/);
    assert.match(shown.stderr, /\+.*version: "2\.0\.0"/);
    assert.equal(await version(), "1.0.0");
    assert.equal((await job.hermes(["plugins", "update", "--yes"])).code, 0);
    assert.equal(await version(), "2.0.0");
    await site[Symbol.asyncDispose]();
    assert.equal(await version(), "2.0.0", "works without a network");
    await spoil(job.home, await sha256Hex(greeter("2.0.0")));
    const spoilt = await job.run(["go"]);
    assert.match(spoilt.stderr, /greeter disabled \(.*mod\.ts is not what was pinned/);
    const audit = await job.hermes(["plugins", "audit"]);
    assert.equal(audit.code, 1);
    assert.match(audit.stdout, /✗ greeter/);
    const removed = await job.hermes(["plugins", "remove", "greeter", "--yes"]);
    assert.equal(removed.code, 0, removed.stderr);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${job.home}/.hermes/plugins.lock`)), {
      seals: {},
      plugins: {},
    });
  });
});

Deno.test("what was granted to a name is not granted to another plugin of that name", async () => {
  await using site = new Site();
  const url = greeterSite(site);
  const tool = "handler: () => ({ pid: Deno.pid })";
  site.pages.set("/p/mod.ts", greeter().replace(/handler: .*\}\) \}\)/, `${tool} })`));
  const grants = { entries: { greeter: { trust: "full", allow_tool_override: true } } };
  await using bench = await PluginBench.create();
  await bench.open({ ...grants, extra: [url], acceptUnpinned: true });
  assert.notEqual((await bench.call("greet")).pid, Deno.pid, "it ran inside hermes");
  // A folder named for the run is not the one in the home that was trusted, either.
  const files = pluginFiles("greeter", toolModule("pid", "return { pid: Deno.pid }"));
  const elsewhere = await bench.write("elsewhere", files);
  await bench.user("greeter", "export function register() {}");
  const host = await bench.open({ ...grants, enabled: ["greeter"], extra: [elsewhere] });
  assert.notEqual((await bench.call("pid")).pid, Deno.pid, "it ran inside hermes");
  await host.close();
  await withJob([], async (job) => {
    assert.equal((await job.hermes(["plugins", "install", url, "--yes"])).code, 0);
    const key = "plugins.entries.greeter.trust";
    assert.equal((await job.hermes(["config", "set", key, "full"])).code, 0);
    const again = await job.hermes(["plugins", "install", url]);
    assert.match(again.stderr, /do everything: it runs inside hermes without walls/);
    assert.equal((await job.hermes(["plugins", "remove", "greeter", "--yes"])).code, 0);
    const config = await Deno.readTextFile(`${job.home}/.hermes/config.yaml`);
    assert.ok(!config.includes("full"), config);
  });
});

Deno.test("hermes plugins update hides nothing, and goes on when one of many fails", async () => {
  await using site = new Site();
  const url = greeterSite(site);
  site.pages.set(
    "/other.ts",
    `export const manifest = { name: "a-other", version: "1.0.0",
    description: "x" }; export function register() {}`,
  );
  await withJob([], async (job) => {
    for (const place of [url, `${site.url}/other.ts`]) {
      const { code, stderr } = await job.hermes(["plugins", "install", place, "--yes"]);
      assert.equal(code, 0, stderr);
    }
    site.pages.delete("/other.ts");
    site.pages.set("/p/lib/words.ts", `export const greeting = "evil"; // \x1b[1A\x1b[2K\u202e\n`);
    const { code, stdout, stderr } = await job.hermes(["plugins", "update", "--yes"]);
    assert.equal(code, 1);
    assert.match(stderr, /hermes: a-other: cannot fetch .* answered 404/);
    assert.match(stdout, /greeter is updated/);
    assert.match(stderr, /^\+export const greeting = "evil"; \/\/ \\u001b\[1A\\u001b\[2K\\u202e$/m);
  });
});

Deno.test("a new version says last what it may do more, and where it comes from now", async () => {
  await using site = new Site();
  const version = (number: number, permissions: string) =>
    site.pages.set(
      `/v${number}/mod.ts`,
      `export const manifest = { name: "grower", version: "${number}.0.0", description: "x",
        permissions: ${permissions}, requires_env: ["ONE_KEY"] };
      export function register() {}`,
    );
  const lead = (number: number) =>
    site.pages.set("/latest", () => Response.redirect(`${site.url}/v${number}/mod.ts`));
  version(1, `{ net: ["a.example"], read: ["./docs"] }`);
  lead(1);
  await withJob([], async (job) => {
    const place = `${site.url}/latest`;
    const installed = await job.hermes(["plugins", "install", place, "--yes"]);
    assert.equal(installed.code, 0, installed.stderr);
    assert.ok(!installed.stderr.includes("before"), installed.stderr);
    assert.ok(installed.stderr.includes(`  The address leads to ${site.url}/v1/mod.ts\n`));
    version(2, `{ net: ["a.example", "evil.example"], env: ["ONE_KEY", "OTHER_KEY"] }`);
    lead(2);
    const told = `  It comes from ${site.url}/v2/mod.ts now, no longer from ${site.url}/v1/mod.ts
  ! MORE THAN BEFORE, it may also:
    connect to: evil.example
    see the variables: OTHER_KEY
  Less than before, it may no longer:
    read: ./docs
`;
    for (const args of [["update"], ["install", place]]) {
      const { code, stderr } = await job.hermes(["plugins", ...args]);
      assert.equal(code, 2, stderr);
      assert.ok(stderr.includes(`--- ${site.url}/v1/mod.ts\n+++ ${site.url}/v2/mod.ts`), stderr);
      assert.ok(stderr.includes(`${told}hermes: nobody is here to say yes`), stderr);
    }
    await Deno.remove(`${job.home}/.hermes/cache/plugins/files`, { recursive: true });
    const { stderr } = await job.hermes(["plugins", "update", "--yes"]);
    assert.match(stderr, /What is installed cannot be compared: .* is missing from the cache/);
    assert.match(stderr, /^\+export const manifest/m, "then everything is shown");
    version(3, `{ net: ["a.example", "evil.example"], env: ["ONE_KEY", "OTHER_KEY"] }`);
    lead(3);
    const same = await job.hermes(["plugins", "update", "--yes"]);
    assert.match(same.stderr, /It asks for the same permissions as before\.\n$/);
  });
});

Deno.test("two plugins installed at once are both installed", async () => {
  await using site = new Site();
  const names = ["one", "two", "three", "four"];
  for (const name of names) {
    site.pages.set(
      `/${name}.ts`,
      `export const manifest = { name: "${name}", version: "1.0.0",
      description: "x" }; export function register() {}`,
    );
  }
  await withJob([], async (job) => {
    await Promise.all(names.map(async (name) => {
      const args = ["plugins", "install", `${site.url}/${name}.ts`, "--yes"];
      const { code, stderr } = await job.hermes(args);
      assert.equal(code, 0, stderr);
    }));
    const { stdout } = await job.hermes(["plugins", "audit"]);
    for (const name of names) assert.match(stdout, new RegExp(`^✓ ${name} `, "m"));
  });
});

Deno.test("an install that is killed leaves nothing half done", async () => {
  await using site = new Site();
  const url = greeterSite(site);
  const asked = Promise.withResolvers<void>();
  const late = Promise.withResolvers<Response>();
  const words = site.pages.get("/p/lib/words.ts") as string;
  site.pages.set("/p/lib/words.ts", () => {
    asked.resolve();
    return late.promise;
  });
  await withJob([], async (job) => {
    const child = startHermes({ home: job.home, args: ["plugins", "install", url, "--yes"] });
    await asked.promise;
    child.kill("SIGKILL");
    await child.output();
    late.resolve(new Response("too late"));
    const listed = await job.hermes(["plugins", "list"]);
    assert.equal(listed.code, 0, listed.stderr);
    assert.ok(!listed.stdout.includes("greeter"), listed.stdout);
    site.pages.set("/p/lib/words.ts", words);
    const again = await job.hermes(["plugins", "install", url, "--yes"]);
    assert.equal(again.code, 0, again.stderr);
    assert.match((await job.hermes(["plugins", "audit"])).stdout, /^✓ greeter/);
  });
});

async function spoil(home: string, sha256: string): Promise<void> {
  await Deno.writeTextFile(`${home}/.hermes/cache/plugins/files/${sha256}`, "export {}");
}

Deno.test("hermes plugins install says in one line why not", async () => {
  await using site = new Site();
  greeterSite(site);
  const home = await Deno.makeTempDir({ prefix: "hermes-test-" });
  try {
    for (
      const [place, says] of [
        [`${site.url}/nowhere.ts`, /answered 404/],
        [
          "http://127.0.0.1:1/mod.ts",
          /cannot fetch http:\/\/127\.0\.0\.1:1\/mod\.ts: no connection/,
        ],
        ["ftp://example.com/mod.ts", /is no address/],
        [
          `${site.url}/p/lib/words.ts`,
          /words\.ts has no "export const manifest", and cannot fetch .*plugin\.yaml: .* 404/,
        ],
      ] as const
    ) {
      const { code, stderr } = await runHermes({ home, args: ["plugins", "install", place] });
      assert.notEqual(code, 0);
      assert.match(stderr, says);
      assert.ok(!/at .*\.ts:\d/.test(stderr), stderr);
    }
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("what plugins.lock says without a seal is not loaded until somebody agrees again", async (t) => {
  await using site = new Site();
  const url = greeterSite(site);
  site.pages.set(
    "/evil/mod.ts",
    `export const manifest = { name: "greeter", version: "1.0.0",
    description: "x", permissions: { run: ["sh"] } };
    export function register(ctx) { ctx.log("evil runs"); }`,
  );
  await withJob(() => ({ text: "done" }), async (job) => {
    const file = `${job.home}/.hermes/plugins.lock`;
    assert.equal((await job.hermes(["plugins", "install", url, "--yes"])).code, 0);
    const good = JSON.parse(await Deno.readTextFile(file));
    const { greeter } = good.plugins;
    const guessed = new Seal(`${job.home}/guessed.key`);
    const text = JSON.stringify(["greeter", greeter]);
    const forged: Record<string, unknown> = {
      "of an older hermes": { plugins: good.plugins },
      "of a guessed key": {
        plugins: good.plugins,
        seals: { greeter: await guessed.sign("plugins.lock default", text) },
      },
      "changed under its seal": {
        ...good,
        plugins: { greeter: { ...greeter, url: `${site.url}/evil/mod.ts` } },
      },
    };
    for (const [what, content] of Object.entries(forged)) {
      await t.step(what, async () => {
        await Deno.writeTextFile(file, JSON.stringify(content));
        const { code, stderr } = await job.run(["go"]);
        assert.equal(code, 0, stderr);
        assert.match(
          stderr,
          /Plugin greeter disabled \(its record in plugins\.lock has no seal of this hermes\. .*hermes plugins update greeter/,
        );
      });
    }
    // The last one names another address: what is there is shown as new, and asked about.
    const asked = await job.hermes(["plugins", "update", "greeter"]);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /start: sh[\s\S]*has no seal of this hermes: look at it as new/);
    // A single run from an address believes no such record either.
    const single = await job.run(["--plugin", `${site.url}/evil/mod.ts`, "go"]);
    assert.equal(single.code, 2);
    assert.match(single.stderr, /is not pinned/);
    await Deno.writeTextFile(file, JSON.stringify({ plugins: good.plugins }));
    assert.equal((await job.hermes(["plugins", "update", "greeter", "--yes"])).code, 0);
    assert.doesNotMatch((await job.run(["go"])).stderr, /disabled/, "agreed to again");
  });
});
