import { deepEqual, equal, ok, throws } from "node:assert/strict";
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
  ingress.mount(a);
  ingress.mount(b);
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
  ingress.mount(a);
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
  ingress.mount(hangs);
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
  ingress.mount(slow);
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
  throws(() => ingress.mount(one), Deno.errors.AddrInUse);
  await ingress.unmount(one);
});
