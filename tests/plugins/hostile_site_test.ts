/** A web server that means harm, or just serves what nobody expects. */
import assert from "node:assert/strict";
import { connectionProblem, fetchSource, parseAddress } from "../../src/plugins/remote.ts";
import { openSnapshot } from "../../src/plugins/snapshot.ts";
import { walkTree } from "../../src/sandbox/child/module_source.ts";
import { Seal } from "../../src/util/seal.ts";
import { runHermes, tempHome } from "../support/hermes.ts";
import { PluginBench } from "./_bench.ts";
import { Site } from "./_site.ts";

const MANIFEST = `export const manifest = { name: "x", version: "1.0.0", description: "x" };\n`;
// deno-lint-ignore no-control-regex -- what must not reach a terminal
const UNSEEN = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/** An entry module that imports these, on a site with these pages; gives its address. */
function entry(site: Site, body: string, pages: Record<string, string> = {}): string {
  site.pages.set("/mod.ts", MANIFEST + body);
  for (const [path, text] of Object.entries(pages)) site.pages.set(path, text);
  return `${site.url}/mod.ts`;
}

async function fetchAndPrepare(address: string): Promise<string[]> {
  const source = await fetchSource(address);
  const cache = await Deno.makeTempDir({ prefix: "hermes-test-" });
  try {
    await openSnapshot(source, { dir: cache, seal: new Seal(`${cache}/key`) });
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
  return [...source.files.keys()].map((url) => new URL(url).pathname).sort();
}

async function refusal(address: string): Promise<string> {
  try {
    await fetchAndPrepare(address);
  } catch (error) {
    assert.equal((error as Error).name, "PluginProblem");
    return (error as Error).message;
  }
  return assert.fail("nothing was refused");
}

Deno.test("fetchSource() waits for no server that dawdles", async (t) => {
  const dripping = Promise.withResolvers<void>();
  await using site = new Site();
  let sent = 0;
  site.pages.set("/drip.ts", () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          if (sent++ > 0) {
            await Promise.race([
              dripping.promise,
              new Promise((r) => setTimeout(r, 5)),
            ]);
          }
          controller.enqueue(new Uint8Array([32]));
        },
      }),
    ));
  await t.step("one file, byte by byte", async () => {
    await assert.rejects(
      fetchSource(entry(site, `import "./drip.ts";`), { fileMs: 100, totalMs: 60_000 }),
      { message: /drip\.ts: the server is too slow/ },
    );
  });
  await t.step("one file after the other", async () => {
    site.pages.set("/next.ts", async ({ url }) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return new Response(`import "./next.ts?${Number(new URL(url).search.slice(1)) + 1}";`);
    });
    await assert.rejects(
      fetchSource(entry(site, `import "./next.ts?1";`), { fileMs: 60_000, totalMs: 200 }),
      { message: /next\.ts\?\d+: (no answer in time|the server is too slow)/ },
    );
    assert.ok(site.asked.length < 50, "it was given up long before all files were there");
  });
  dripping.resolve();
});

Deno.test("fetchSource() shows nothing raw and nothing endless of what it refuses", async () => {
  await using site = new Site();
  const long = "a".repeat(100_000);
  for (
    const [body, yaml] of [
      [`import "\\x1b[2Jfoo\\u202e\\x9b";`],
      [`import "${long}";`],
      [`import "https://example.com/${long}";`],
      ["", `permissions: {"\\e[2J\\e]0;x\\anet": [a]}`],
      ["", `config: {"\\e[2J": {type: string}}`],
      ["", `config: {a: {type: string, description: "\\e[31mred"}}`],
      ["", `"\\e[2J`],
    ]
  ) {
    const address = entry(site, body!);
    if (yaml !== undefined) {
      site.pages.set("/mod.ts", "export function register() {}");
      site.pages.set("/plugin.yaml", `name: x\nversion: 1\ndescription: x\n${yaml}\n`);
    }
    const message = await refusal(address);
    assert.doesNotMatch(message, UNSEEN);
    assert.ok(message.length <= 500, `${message.length} characters`);
  }
});

Deno.test("a manifest's aliases do not become a mountain", async () => {
  await using site = new Site();
  const rows = Array.from(
    { length: 9 },
    (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(", ")}]`,
  );
  site.pages.set("/mod.ts", "export function register() {}");
  for (
    const bomb of [
      `l0: &l0 [a]\n${rows.join("\n")}\nconfig: {a: {type: list, default: *l9}}`,
      "config: {a: {type: list, default: &a [*a]}}",
    ]
  ) {
    site.pages.set("/plugin.yaml", `name: x\nversion: 1\ndescription: x\n${bomb}\n`);
    assert.match(await refusal(`${site.url}/mod.ts`), /plugin\.yaml is not YAML: aliases/);
  }
});

Deno.test("a file that is read as text and run as a module is both", async () => {
  await using site = new Site();
  const both = `import "./both.js"; import text from "./both.js" with { type: "text" };`;
  const pages = { "/both.js": `import "./more.ts"; export {};`, "/more.ts": "export {};" };
  for (
    const body of [
      both,
      both.split("; ").reverse().join("; "),
      `import text from "./both.js" with { type: "text" }; import "./later.ts";`,
    ]
  ) {
    const address = entry(site, `${body};`, { ...pages, "/later.ts": `import "./both.js";` });
    assert.ok((await fetchAndPrepare(address)).includes("/more.ts"), body);
  }
});

Deno.test("names that only look alike stay apart, long ones and odd ones are kept", async () => {
  await using site = new Site();
  const names = [
    "./a.ts",
    "./a.ts.js",
    "./a",
    "./a/b.js",
    "./A.ts",
    "./a.ts?v=1",
    "./a.ts%3Fv=1",
    "./a.ts?v=%2e%2e%2f",
    `./${"x".repeat(200)}..`,
    `./long.ts?${"y".repeat(700)}`,
    "./%ff%zz.ts",
    "./sp ace'\"$&.ts",
    "//127.0.0.1:PORT/a.ts",
  ].map((name) => name.replace("PORT", new URL(site.url).port));
  const body = names.map((name, i) => `import { id as i${i} } from ${JSON.stringify(name)};`).join(
    "\n",
  );
  site.pages.set(
    "/mod.ts",
    `${MANIFEST}${body}
    export function register(ctx) {
      ctx.registerTool({ name: "ids", description: "x", schema: { type: "object" },
        handler: () => ({ ids: [${names.map((_, i) => `i${i}`).join(", ")}] }) });
    }`,
  );
  const serve = ({ url }: Request) => new Response(`export const id = ${JSON.stringify(url)};`);
  for (const name of names) {
    const { pathname, search } = new URL(name, `${site.url}/`);
    site.pages.set(pathname + search, serve);
  }
  await using bench = await PluginBench.create();
  await bench.open({ extra: [`${site.url}/mod.ts`], acceptUnpinned: true });
  const { ids } = await bench.call("ids") as { ids: string[] };
  assert.deepEqual(
    ids,
    names.map((name) => new URL(name, `${site.url}/`).href),
  );
});

Deno.test("what cannot be kept beside another file is refused in one line", async () => {
  await using site = new Site();
  const text = `with { type: "text" }`;
  const address = entry(
    site,
    `import a from "./a" ${text}; import b from "./a/b" ${text};`,
    { "/a": "a", "/a/b": "b" },
  );
  assert.match(await refusal(address), /cannot be kept beside .*: rename one/);
  assert.match(
    await refusal(entry(site, `import "./${"x".repeat(1000)}.ts";`)),
    /is longer than 1000 characters/,
  );
});

Deno.test("a fragment neither makes another file nor another plugin", async () => {
  await using site = new Site();
  site.pages.set("/b.ts", "export {};");
  site.pages.set(
    "/a.ts",
    () => new Response(null, { status: 302, headers: { location: "/b.ts#part" } }),
  );
  const address = entry(site, `import "./a.ts"; import "./b.ts"; import "./b.ts#two";`);
  assert.deepEqual(await fetchAndPrepare(`${address}#x`), ["/b.ts", "/mod.ts"]);
});

Deno.test("walkTree() goes as deep as any code does", () => {
  let tree: { type: string; inner?: unknown[] } = { type: "Leaf" };
  for (let depth = 0; depth < 100_000; depth++) tree = { type: "Node", inner: [tree] };
  const types = [...walkTree(tree as unknown as Parameters<typeof walkTree>[0])].map(
    ({ type }) => type as string,
  );
  assert.deepEqual([types.length, types[0], types.at(-1)], [100_001, "Node", "Leaf"]);
});

Deno.test("connectionProblem() tells a bad certificate and a wrong name from a server that is down", () => {
  const says = (cause: string) =>
    connectionProblem(new TypeError("fetch failed", { cause: new Error(cause) }));
  const start = "error sending request for url (https://a.test/): client error (Connect): ";
  assert.match(says(`${start}invalid peer certificate: UnknownIssuer`), /certificate is not valid/);
  assert.match(says(`${start}dns error: failed to lookup address information`), /no such host/);
  assert.equal(says(`${start}tcp connect error: Connection refused`), "no connection");
  assert.equal(connectionProblem(new TypeError("Requests to port 1 are blocked")), "no connection");
});

Deno.test("parseAddress() gives the form that is shown, kept and compared", () => {
  const url = (place: string) => parseAddress(place).url;
  assert.equal(url("HTTPS://Example.COM:443/a/../mod.ts"), "https://example.com/mod.ts");
  assert.equal(url("https://\u0430pple.com/mod.ts"), "https://xn--pple-43d.com/mod.ts");
  assert.equal(url("https://a.test/\x1b[2J\u202emod.ts"), "https://a.test/%1B[2J%E2%80%AEmod.ts");
  const digits = "0123456789ABCDEF".repeat(4);
  assert.equal(parseAddress(`https://a.test/#SHA256=${digits}`).pin, digits.toLowerCase());
});

Deno.test("parseAddress() refuses a pin that is none, and tells no password", () => {
  const digits = "0".repeat(64);
  for (
    const pin of ["sha256-" + digits, "sha512=" + digits, "sha256=", `sha256=${digits}0`, "part"]
  ) {
    assert.throws(() => parseAddress(`https://a.test/mod.ts#${pin}`), {
      message: /https:\/\/a\.test\/mod\.ts is not pinned by what follows it/,
    });
  }
  for (
    const place of ["https://me:secret@a.test/", "https://me:secret@[no/", "http://secret@x/#1"]
  ) {
    assert.throws(() => parseAddress(place), (error: Error) => !error.message.includes("secret"));
  }
});

Deno.test("a password in an address is neither shown nor kept", async () => {
  await using home = await tempHome();
  await using site = new Site();
  const place = `${entry(site, "export function register() {}")}`.replace("//", "//me:s3cr3t@");
  for (
    const args of [
      ["plugins", "install", place, "--yes"],
      ["run", "--accept-plugins", "--plugin", place, "go"],
      ["run", "--plugin", `${place}#sha256=12`, "go"],
    ]
  ) {
    const { code, stdout, stderr } = await runHermes({ home: home.path, args });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /an address with a password cannot be kept/);
    assert.ok(!(stdout + stderr).includes("s3cr3t"), stderr);
  }
  assert.deepEqual(site.asked, []);
});
