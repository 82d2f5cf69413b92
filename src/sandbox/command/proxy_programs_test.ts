import { deepEqual, equal, match } from "node:assert/strict";
import { FETCHING_PROGRAMS } from "../../../tests/support/proxy_programs_data.ts";
import { startTestProxy } from "../../../tests/support/proxy_world.ts";
import { which } from "../../util/which.ts";
import type { ForwardProxy } from "./forward_proxy.ts";
import { proxyVariables } from "./proxy_env.ts";

/** What the server has, by path. `HOST` becomes the scheme and host that were asked. */
const PAGES: Record<string, string> = {
  "/plain": "hello from allowed.test",
  "/repo.git/info/refs": "0123456789012345678901234567890123456789\trefs/heads/main\n",
  "/repo.git/HEAD": "ref: refs/heads/main\n",
  "/simple/demo/": '<a href="demo-1.0-py3-none-any.whl" data-requires-python="&lt;3">demo</a>',
  "/npm/demo":
    '{"name":"demo","dist-tags":{"latest":"1.2.3"},"versions":{"1.2.3":{"name":"demo","version":"1.2.3"}}}',
  "/go/example.org/demo/@v/list": "v1.0.0\n",
  "/go/example.org/demo/@v/v1.0.0.info": '{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}',
  "/go/example.org/demo/@v/v1.0.0.mod": "module example.org/demo\n",
  "/cargo/config.json": '{"dl":"HOST/dl","api":"HOST"}',
  "/api/v1/crates":
    '{"crates":[{"name":"demo","max_version":"1.0.0","description":"x"}],"meta":{"total":1}}',
  "/mod.ts": 'console.log("a module of allowed.test");',
};

interface World extends AsyncDisposable {
  readonly proxy: ForwardProxy;
  readonly home: string;
  /** Paths that arrived, with their scheme. */
  readonly seen: string[];
}

/** Makes an authority that programs of the test trust, and its certificate for `allowed.test`. */
function certificates(home: string): string {
  const make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
  return `cd "${home}" && ${make} -subj /CN=authority -addext basicConstraints=critical,CA:TRUE ` +
    `-keyout ca.key -out ca.pem && ${make} -CA ca.pem -CAkey ca.key -subj /CN=allowed.test ` +
    `-addext basicConstraints=CA:FALSE -addext subjectAltName=DNS:allowed.test ` +
    `-keyout key.pem -out cert.pem`;
}

/** Servers for both schemes at `allowed.test`, behind a proxy that lists it alone. */
async function startWorld(): Promise<World> {
  const home = await Deno.makeTempDir({ prefix: "hermes-proxy-" });
  const made = await run(certificates(home), {});
  equal(made.code, 0, made.output);
  const seen: string[] = [];
  const serve = (request: Request): Response => {
    const url = new URL(request.url);
    seen.push(request.url);
    const page = PAGES[url.pathname]?.replaceAll("HOST", `${url.protocol}//allowed.test`);
    const type = url.pathname.startsWith("/simple") ? "text/html" : "text/plain";
    const headers = { "content-type": url.pathname.endsWith(".ts") ? "text/typescript" : type };
    return new Response(page ?? "no such page", {
      status: page === undefined ? 404 : 200,
      headers,
    });
  };
  const base = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const plain = Deno.serve(base, serve);
  const [cert, key] = await Promise.all([
    Deno.readTextFile(`${home}/cert.pem`),
    Deno.readTextFile(`${home}/key.pem`),
  ]);
  const tls = Deno.serve({ ...base, cert, key }, serve);
  const { proxy, internet } = startTestProxy("allowed.test");
  internet.ports.set(80, plain.addr.port).set(443, tls.addr.port);
  return {
    proxy,
    home,
    seen,
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await Promise.all([plain.shutdown(), tls.shutdown()]);
      await Deno.remove(home, { recursive: true });
    },
  };
}

async function run(
  command: string,
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const child = new Deno.Command("sh", {
    args: ["-c", command],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stdout, stderr } = await child.output();
  return { code, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

function environment({ proxy, home }: World, base: string): Record<string, string> {
  const real = Deno.env.get("HOME") ?? "/";
  return {
    HOME: home,
    BASE: base,
    CA: `${home}/ca.pem`,
    // Where version managers keep the programs themselves.
    PYENV_ROOT: `${real}/.pyenv`,
    RUSTUP_HOME: `${real}/.rustup`,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GOCACHE: `${home}/gocache`,
    ...proxyVariables(proxy),
  };
}

async function isHere(...programs: string[]): Promise<boolean> {
  for (const program of programs) {
    const path = await which(program, Deno.env.get("PATH"));
    if (path === undefined) {
      console.log(`NOT TESTED HERE: ${program} is not installed`);
      return false;
    }
  }
  return true;
}

for (const { name, command, prints, shows } of FETCHING_PROGRAMS) {
  Deno.test(`proxyVariables() lead ${name} through the proxy, for http and https, to listed hosts alone`, async () => {
    if (!await isHere("openssl", name === "pip" ? "python3" : name)) return;
    await using world = await startWorld();
    for (const scheme of ["http", "https"]) {
      const { output } = await run(command, environment(world, `${scheme}://allowed.test`));
      match(output, prints);
      equal(world.seen.every((page) => page.startsWith(`${scheme}://allowed.test/`)), true);
      equal(world.seen.length > 0, true, `${name} over ${scheme}`);
      world.seen.length = 0;
    }
    deepEqual(world.proxy.refusals(), []);
    const refused = await run(command, environment(world, "https://evil.test"));
    match(refused.output, shows);
    equal(refused.code === 0, false);
    const [first] = world.proxy.takeRefusals().refusals;
    deepEqual([first?.host, first?.port], ["evil.test", 443]);
    deepEqual(world.seen, []);
  });
}

Deno.test("proxyVariables() lead Node through the proxy from the version on that reads them", async () => {
  if (!await isHere("openssl", "node")) return;
  await using world = await startWorld();
  const env = environment(world, "http://allowed.test");
  const version = (await run("node -p process.versions.node", env)).output.trim();
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const reads = major >= 24 || (major === 22 && minor >= 21);
  const { output } = await run(
    `node -e 'fetch(process.env.BASE + "/plain").then((r) => r.text()).then(console.log)'`,
    env,
  );
  if (!reads) console.log(`NOT TESTED HERE: Node ${version} does not read proxy variables`);
  match(output, reads ? /^hello from allowed\.test$/m : /fetch failed/);
  equal(world.seen.length, reads ? 1 : 0);
});

Deno.test("proxyVariables() send loopback through the proxy too, which says that it is not listed", async () => {
  if (!await isHere("openssl", "curl", "python3")) return;
  await using world = await startWorld();
  const env = environment(world, "");
  const fetches = [
    "curl -sS --max-time 20 http://localhost:1/",
    "curl -sS --max-time 20 http://127.0.0.1:2/",
    `python3 -c "import urllib.request; urllib.request.urlopen('http://localhost:3/', timeout=20)"`,
  ];
  const outputs = await Promise.all(fetches.map((command) => run(command, env)));
  for (const { output } of outputs) match(output, /is not on the list of --network/);
  deepEqual(
    world.proxy.refusals().map(({ host, port }) => `${host}:${port}`).toSorted(),
    ["127.0.0.1:2", "localhost:1", "localhost:3"],
  );
});
