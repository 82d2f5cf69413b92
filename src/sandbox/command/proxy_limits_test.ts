import { equal, match } from "node:assert/strict";
import { FakeTime } from "../../../tests/support/fake_time.ts";
import {
  openTunnel,
  passwordLine,
  RawServer,
  receive,
  receiveAll,
  receiveUntil,
  say,
  sendText,
  startTestProxy,
} from "../../../tests/support/proxy_world.ts";
import type { ForwardProxy } from "./forward_proxy.ts";

/** A server that reads and says nothing. */
function silent(): RawServer {
  return new RawServer(async (connection) => void await receiveAll(connection));
}

/** Connections are told by other tasks; this waits for them and for no clock. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((done) => setImmediateTask(done));
}

function setImmediateTask(done: (value: unknown) => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    port2.close();
    done(undefined);
  };
  port2.postMessage(0);
}

async function connect(proxy: ForwardProxy): Promise<Deno.TcpConn> {
  const before = proxy.connections;
  const client = await Deno.connect({ port: proxy.port });
  await until(() => proxy.connections > before);
  return client;
}

Deno.test("startForwardProxy() answers a head that never ends with 408, however slowly it drips", async () => {
  using time = new FakeTime();
  const { proxy } = startTestProxy("allowed.test");
  await using _ = proxy;
  using client = await connect(proxy);
  for (const part of ["GET http://allowed.test/ HTTP/1.1\r\n", "A: b\r\n", "C: d\r\n"]) {
    await sendText(client, part);
    await time.tick(3000);
  }
  equal(proxy.connections, 1);
  await time.tick(2000);
  match(await receiveAll(client), /^HTTP\/1\.1 408 hermes: no whole request arrived in time\r\n/);
  await until(() => proxy.connections === 0);
  equal(time.waiting, 0);
});

Deno.test("startForwardProxy() gives up on a name server that does not answer", async () => {
  using time = new FakeTime();
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.resolve = () => {
    internet.asked.push("");
    return new Promise(() => {});
  };
  using client = await connect(proxy);
  await sendText(client, `CONNECT allowed.test:443 HTTP/1.1\r\n${passwordLine(proxy)}\r\n`);
  await until(() => internet.asked.length > 0);
  await time.tick(31_000);
  match(await receiveAll(client), /^HTTP\/1\.1 504 hermes: allowed\.test:443 did not answer in/);
  await until(() => proxy.connections === 0);
});

Deno.test("startForwardProxy() closes a tunnel through which nothing moves", async () => {
  using time = new FakeTime();
  await using server = silent();
  const limits = { idleTimeoutMs: 10_000 };
  const { proxy } = startTestProxy(`allowed.test:${server.port}`, { limits });
  await using _ = proxy;
  using client = await openTunnel(proxy, `allowed.test:${server.port}`);
  await time.tick(9000);
  equal(proxy.connections, 1);
  await time.tick(2000);
  equal(await receive(client).catch(() => ""), "");
  await until(() => proxy.connections === 0);
});

Deno.test("startForwardProxy() closes a tunnel whose receiver stopped reading", async () => {
  using time = new FakeTime();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  await using server = new RawServer(async () => await over);
  const limits = { idleTimeoutMs: 10_000 };
  const { proxy } = startTestProxy(`allowed.test:${server.port}`, { limits });
  await using _ = proxy;
  using client = await openTunnel(proxy, `allowed.test:${server.port}`);
  let isBroken = false;
  const flood = (async () => {
    const block = new Uint8Array(1 << 20);
    for (let i = 0; i < 256; i++) await client.write(block);
  })().catch(() => {
    isBroken = true;
  });
  // Bytes that still fill the kernel's buffers move the deadline; then nothing does.
  while (proxy.connections > 0) await time.tick(1000);
  await flood;
  equal(isBroken, true);
  end();
});

Deno.test("close() does not wait for a receiver that stopped reading", async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  await using server = new RawServer(async () => await over);
  const { proxy } = startTestProxy(`allowed.test:${server.port}`);
  using client = await openTunnel(proxy, `allowed.test:${server.port}`);
  let written = 0;
  const flood = (async () => {
    const block = new Uint8Array(1 << 20);
    for (; written < 256; written++) await client.write(block);
  })().catch(() => {});
  for (let before = -1; before !== written;) {
    before = written;
    await new Promise((done) => setTimeout(done, 20));
  }
  await proxy.close();
  await flood;
  end();
});

Deno.test("startForwardProxy() refuses a head beyond its limit, ended or not", async () => {
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  const start = `GET http://allowed.test/ HTTP/1.1\r\n${passwordLine(proxy)}`;
  match(await say(proxy, `${start}A: ${"x".repeat(40_000)}`), /^HTTP\/1\.1 431 /);
  match(await say(proxy, `${start}A: ${"x".repeat(40_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /);
  match(await say(proxy, `${start}${"A: b\r\n".repeat(200)}\r\n`), /^HTTP\/1\.1 431 /);
  equal(internet.asked.length, 0);
});

Deno.test("startForwardProxy() turns clients away beyond its number and takes new ones afterwards", async () => {
  await using server = silent();
  const { proxy } = startTestProxy(`allowed.test:${server.port}`, { limits: { connections: 3 } });
  await using _ = proxy;
  const target = `allowed.test:${server.port}`;
  const clients = [];
  for (let i = 0; i < 3; i++) clients.push(await openTunnel(proxy, target));
  using refused = await Deno.connect({ port: proxy.port });
  match(await receiveUntil(refused, "\r\n\r\n"), /^HTTP\/1\.1 503 hermes: too many connections/);
  for (const client of clients) client.close();
  await until(() => proxy.connections === 0);
  (await openTunnel(proxy, target)).close();
});

Deno.test("startForwardProxy() closes a client that reads an error and never leaves", async () => {
  using time = new FakeTime();
  const { proxy } = startTestProxy("allowed.test");
  await using _ = proxy;
  using client = await connect(proxy);
  await sendText(client, "nonsense\r\n\r\n");
  match(await receiveAll(client), /^HTTP\/1\.1 400 /);
  await time.tick(3000);
  await until(() => proxy.connections === 0);
});
