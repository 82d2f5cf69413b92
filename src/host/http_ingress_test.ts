import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { PluginBackground } from "../protocol/plugin.ts";
import { HttpIngress } from "./http_ingress.ts";

/** Plugins that answer these paths. */
function answering(routes: string[], handle: (request: Request) => Response | Promise<Response>) {
  const background: PluginBackground = {
    platforms: [],
    services: [],
    routes,
    handle: (request) => Promise.resolve(handle(request)),
    close: () => Promise.resolve(),
  };
  return background;
}

async function get(url: string, init: RequestInit = {}): Promise<[number, string]> {
  const response = await fetch(url, init);
  return [response.status, (await response.text()).trim()];
}

Deno.test("mount() hands requests to whoever answers the path, until the last one leaves", async () => {
  const ingress = new HttpIngress({ port: 0 });
  equal(ingress.address, undefined);
  const a = answering(["/plugins/a/hook"], (request) => new Response(`a ${request.method}`));
  const b = answering(
    ["/plugins/b/all/*"],
    (request) => new Response(new URL(request.url).pathname),
  );
  await ingress.mount(a);
  await ingress.mount(b);
  const base = ingress.address!;
  ok(base.startsWith("http://127.0.0.1:"), base);
  deepEqual(await get(`${base}/plugins/a/hook`, { method: "POST" }), [200, "a POST"]);
  deepEqual(await get(`${base}/plugins/b/all/x`), [200, "/plugins/b/all/x"]);
  for (const path of ["/", "/plugins/a/hook/more", "/plugins/b/all", "/plugins/c/hook"]) {
    deepEqual(await get(`${base}${path}`), [404, "there is no such path"]);
  }
  await ingress.unmount(a);
  equal((await get(`${base}/plugins/a/hook`))[0], 404);
  equal((await get(`${base}/plugins/b/all/x`))[0], 200);
  await ingress.unmount(b);
  equal(ingress.address, undefined);
  await fetch(base).then(() => ok(false, "it still listens"), () => {});
  // Others may come later.
  await ingress.mount(a);
  deepEqual(await get(`${ingress.address}/plugins/a/hook`), [200, "a GET"]);
  await ingress.unmount(a);
});

Deno.test("unmount() waits for no request that hangs, and a page of another site gets no answer", async () => {
  const ingress = new HttpIngress({ port: 0 });
  const arrived = Promise.withResolvers<void>();
  const hangs = answering(["/plugins/a/*"], async ({ url }) => {
    if (url.endsWith("/fine")) return new Response("fine");
    arrived.resolve();
    return await new Promise<Response>(() => {});
  });
  await ingress.mount(hangs);
  const base = `${ingress.address}/plugins/a`;
  const from = (site: string, mode: string) => ({ "sec-fetch-site": site, "sec-fetch-mode": mode });
  const status = async (headers: HeadersInit, method = "GET") =>
    (await get(`${base}/fine`, { headers, method }))[0];
  equal(await status({}, "POST"), 200);
  equal(await status(from("none", "navigate")), 200);
  equal(await status(from("cross-site", "navigate")), 200);
  equal(await status(from("cross-site", "no-cors")), 403);
  equal(await status(from("cross-site", "navigate"), "POST"), 403);
  equal(await status(from("same-site", "cors")), 403);
  const framed = { ...from("cross-site", "navigate"), "sec-fetch-dest": "iframe" };
  equal(await status(framed), 403);
  const hanging = fetch(`${base}/hang`).then((response) => response.status, () => "cut");
  await arrived.promise;
  await ingress.unmount(hangs);
  equal(await hanging, "cut");
});

Deno.test("more requests than may be under way are refused at once", async () => {
  const ingress = new HttpIngress({ port: 0 });
  const release = Promise.withResolvers<void>();
  let running = 0;
  const full = Promise.withResolvers<void>();
  const slow = answering(["/plugins/a/*"], async () => {
    if (++running === 128) full.resolve();
    await release.promise;
    return new Response("done");
  });
  await ingress.mount(slow);
  const url = `${ingress.address}/plugins/a/x`;
  const all = Array.from({ length: 128 }, () => get(url));
  await full.promise;
  deepEqual(await get(url), [503, "too many requests at once"]);
  release.resolve();
  deepEqual(new Set((await Promise.all(all)).map(([status]) => status)), new Set([200]));
  deepEqual(await get(url), [200, "done"]);
  await ingress.unmount(slow);
});

Deno.test("mount() says that the port is taken", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const ingress = new HttpIngress({ port: (taken.addr as Deno.NetAddr).port });
  const one = answering(["/plugins/a/*"], () => new Response("x"));
  await rejects(ingress.mount(one), Deno.errors.AddrInUse);
  await ingress.unmount(one);
});

/** The status line of what is answered to these bytes: `fetch` sends neither names nor paths as they are. */
async function rawStatus(ingress: HttpIngress, lines: string[]): Promise<string> {
  const { hostname, port } = new URL(ingress.address!);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const text = [...lines, "connection: close", "", ""].join("\r\n");
  await connection.write(new TextEncoder().encode(text));
  const answer = await new Response(connection.readable).text();
  return answer.split("\r\n", 1)[0]!;
}

Deno.test("a page whose name points at this machine gets no answer, and a name that is none neither", async () => {
  const ingress = new HttpIngress({ port: 0, hosts: ["hooks.example.org"] });
  let answered = 0;
  const one = answering(["/plugins/a/*", "/plugins/b/hook"], () => {
    answered++;
    return new Response("x");
  });
  await ingress.mount(one);
  const get = (host: string, more: string[] = [], path = "/plugins/b/hook") =>
    rawStatus(ingress, [`GET ${path} HTTP/1.1`, `host: ${host}`, ...more]);
  const { port } = new URL(ingress.address!);
  const own = [`127.0.0.1:${port}`, `localhost:${port}`, "LOCALHOST", "[::1]", "hooks.example.org"];
  for (const host of own) equal(await get(host), "HTTP/1.1 200 OK", host);
  equal(await get("localhost", ["origin: http://localhost"]), "HTTP/1.1 200 OK");
  equal(answered, own.length + 1);
  const sameOrigin = ["sec-fetch-site: same-origin", `origin: http://evil.example:${port}`];
  for (const host of [`evil.example:${port}`, "127.0.0.1.evil.example", "127.0.0.1@evil.example"]) {
    equal(await get(host), "HTTP/1.1 421 Misdirected Request", host);
    equal(await get(host, sameOrigin), "HTTP/1.1 421 Misdirected Request", host);
  }
  for (const host of ["%%%", "a b", "[::1", "x:99999999"]) {
    equal(await get(host), "HTTP/1.1 400 Bad Request", host);
  }
  for (const origin of ["null", "http://evil.example", "http://127.0.0.1:1"]) {
    equal(await get("localhost", [`origin: ${origin}`]), "HTTP/1.1 403 Forbidden", origin);
  }
  for (const path of ["/a/../b/hook", "/a/%2e%2E/b/hook", "/a/..\\b\\hook", "/a/./x", "/a/.."]) {
    equal(await get("localhost", [], `/plugins${path}`), "HTTP/1.1 400 Bad Request", path);
  }
  equal(answered, own.length + 1);
  await ingress.unmount(one);
});

Deno.test("mount() right after the last one left waits until the port is free", async () => {
  using found = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = found.addr as Deno.NetAddr;
  found.close();
  const ingress = new HttpIngress({ port });
  const [a, b] = ["a", "b"].map((name) =>
    answering([`/plugins/${name}/*`], () => new Response(name))
  );
  await ingress.mount(a!);
  const leaving = ingress.unmount(a!);
  await ingress.mount(b!);
  await leaving;
  deepEqual(await get(`http://127.0.0.1:${port}/plugins/b/x`), [200, "b"]);
  await ingress.unmount(b!);
});
