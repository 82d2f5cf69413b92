import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import {
  LoopbackInternet,
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
import { startForwardProxy } from "./forward_proxy.ts";
import { parseHostList, parseHostRule } from "./host_list.ts";
import type { Refusal } from "./refusals.ts";

/** Answers every request with its own text. */
function mirror(): RawServer {
  return new RawServer(async (connection) => {
    const head = await receiveUntil(connection, "\r\n\r\n");
    const body = head.slice(0, head.indexOf("\r\n\r\n"));
    await sendText(connection, `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await receiveAll(connection);
  });
}

/** Sends back what comes, and its end. */
function echo(): RawServer {
  return new RawServer(async (connection) => {
    for (let part = await receive(connection); part !== ""; part = await receive(connection)) {
      await sendText(connection, part);
    }
    await connection.closeWrite();
  });
}

Deno.test("startForwardProxy() passes on a plain request with its path alone and without the password", async () => {
  await using server = mirror();
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.ports.set(80, server.port);
  const answer = await say(
    proxy,
    `GET http://Allowed.test/a?b=c HTTP/1.1\r\nHost: allowed.test:80\r\nX-Own: 1\r\n` +
      `Connection: keep-alive, X-Hop\r\nX-Hop: 2\r\nUpgrade: h2c\r\n${passwordLine(proxy)}\r\n`,
  );
  const [head, body] = answer.split("\r\n\r\n");
  match(head!, /^HTTP\/1\.1 200 OK\r\n/);
  match(head!, /\r\nConnection: close$/);
  equal(body, "GET /a?b=c HTTP/1.1\r\nHost: allowed.test\r\nX-Own: 1\r\nConnection: close");
  deepEqual(internet.connected, ["127.0.0.1 80"]);
});

Deno.test("startForwardProxy() passes on a body by length and chunks written anew", async () => {
  const bodies: string[] = [];
  await using server = new RawServer(async (connection) => {
    const head = await receiveUntil(connection, "\r\n\r\n");
    const end = head.includes("chunked") ? "0\r\n\r\n" : "the end";
    const text = head.includes(end) ? head : head + await receiveUntil(connection, end);
    bodies.push(text.slice(text.indexOf("\r\n\r\n") + 4));
    await sendText(connection, "HTTP/1.1 204 No Content\r\n\r\n");
  });
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.ports.set(80, server.port);
  const start = `POST http://allowed.test/ HTTP/1.1\r\n${passwordLine(proxy)}`;
  await say(proxy, `${start}Content-Length: 13\r\n\r\nuntil the endGET http://evil.test/ HTTP/1.1`);
  await say(
    proxy,
    `${start}Transfer-Encoding: chunked\r\n\r\n5;name="x"\r\nhello\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n`,
  );
  deepEqual(bodies, ["until the end", "5\r\nhello\r\na\r\n0123456789\r\n0\r\n\r\n"]);
});

Deno.test("startForwardProxy() passes on interim answers before the body", async () => {
  await using server = new RawServer(async (connection) => {
    await receiveUntil(connection, "\r\n\r\n");
    await sendText(connection, "HTTP/1.1 100 Continue\r\n\r\n");
    await receiveUntil(connection, "body");
    await sendText(connection, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\ndone");
  });
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.ports.set(80, server.port);
  using client = await Deno.connect({ port: proxy.port });
  await sendText(
    client,
    `PUT http://allowed.test/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n${
      passwordLine(proxy)
    }\r\n`,
  );
  equal(await receiveUntil(client, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  await sendText(client, "body");
  equal(await receiveAll(client), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ndone");
});

Deno.test("startForwardProxy() shows the answer of a server that stopped reading the body", async () => {
  const { promise: deaf, resolve: goDeaf } = Promise.withResolvers<void>();
  await using server = new RawServer(async (connection) => {
    await receiveUntil(connection, "\r\n\r\n");
    await deaf;
    await sendText(connection, "HTTP/1.1 413 Too large\r\nContent-Length: 2\r\n\r\nno");
    await receiveAll(connection);
  });
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.ports.set(80, server.port);
  const connect = internet.connect.bind(internet);
  internet.connect = async (address, how) => {
    const connection = await connect(address, how);
    const write = connection.write.bind(connection);
    let isHead = true;
    connection.write = (bytes) => {
      if (!isHead) {
        goDeaf();
        return Promise.reject(new Deno.errors.BrokenPipe());
      }
      isHead = false;
      return write(bytes);
    };
    return connection;
  };
  using client = await Deno.connect({ port: proxy.port });
  await sendText(
    client,
    `PUT http://allowed.test/ HTTP/1.1\r\nContent-Length: 400000\r\n${passwordLine(proxy)}\r\npart`,
  );
  match(await receiveAll(client), /^HTTP\/1\.1 413 Too large\r\n[^]*no$/);
});

Deno.test("startForwardProxy() opens a tunnel in which one side may end first", async () => {
  await using server = new RawServer(async (connection) => {
    const all = await receiveAll(connection);
    await sendText(connection, `got ${all.length}`);
  });
  const { proxy } = startTestProxy(`allowed.test:${server.port}`);
  await using _ = proxy;
  using client = await openTunnel(proxy, `allowed.test:${server.port}`);
  await sendText(client, "x".repeat(100_000));
  await client.closeWrite();
  equal(await receiveAll(client), "got 100000");
});

Deno.test("startForwardProxy() lets the server speak first in a tunnel", async () => {
  await using server = new RawServer(async (connection) => {
    await sendText(connection, "SSH-2.0-test\r\n");
    await receiveAll(connection);
  });
  const { proxy } = startTestProxy(`allowed.test:${server.port}`);
  await using _ = proxy;
  using client = await openTunnel(proxy, `allowed.test:${server.port}`);
  equal(await receiveUntil(client, "\r\n"), "SSH-2.0-test\r\n");
});

Deno.test("startForwardProxy() keeps bytes that came with the head of CONNECT", async () => {
  await using server = echo();
  const { proxy } = startTestProxy(`allowed.test:${server.port}`);
  await using _ = proxy;
  using client = await Deno.connect({ port: proxy.port });
  const head = `CONNECT allowed.test:${server.port} HTTP/1.1\r\n${passwordLine(proxy)}\r\n`;
  await sendText(client, `${head}early`);
  await client.closeWrite();
  equal((await receiveAll(client)).split("\r\n\r\n")[1], "early");
});

Deno.test("startForwardProxy() holds a fast sender back while the receiver does not read", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using server = new RawServer(async (connection) => {
    await released;
    let total = 0;
    const buffer = new Uint8Array(1 << 20);
    for (let got = await connection.read(buffer); got !== null;) {
      total += got;
      got = await connection.read(buffer);
    }
    await sendText(connection, String(total));
  });
  const { proxy } = startTestProxy(`allowed.test:${server.port}`);
  await using _ = proxy;
  using client = await openTunnel(proxy, `allowed.test:${server.port}`);
  const block = new Uint8Array(1 << 20);
  const wanted = 64;
  let sent = 0;
  const sending = (async () => {
    for (; sent < wanted; sent++) {
      for (let at = 0; at < block.length;) at += await client.write(block.subarray(at));
    }
    await client.closeWrite();
  })();
  // The sender stops when the kernel's buffers are full; a proxy that kept everything would not.
  for (let before = -1; before !== sent;) {
    before = sent;
    await new Promise((done) => setTimeout(done, 50));
  }
  equal(sent < wanted, true, `${sent} MiB were taken from the sender`);
  release();
  await sending;
  equal(await receiveAll(client), String(wanted << 20));
});

Deno.test("startForwardProxy() needs the password of the session", async () => {
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  const wrong = [
    "",
    `Proxy-Authorization: Basic ${btoa("hermes:wrong")}\r\n`,
    `Proxy-Authorization: Basic ${btoa(`hermes:${proxy.password}x`)}\r\n`,
    `Proxy-Authorization: Bearer ${proxy.password}\r\n`,
    `Authorization: Basic ${btoa(`hermes:${proxy.password}`)}\r\n`,
    `Proxy-Authorization:\r\n`,
  ];
  for (const line of wrong) {
    const answer = await say(proxy, `CONNECT allowed.test:443 HTTP/1.1\r\n${line}\r\n`);
    match(answer, /^HTTP\/1\.1 407 [^]*\r\nProxy-Authenticate: Basic realm="hermes"\r\n/);
  }
  deepEqual([internet.asked, proxy.refusals()], [[], []]);
});

Deno.test("startForwardProxy() names a host that is not on the list, in the answer and afterwards", async () => {
  const told: Refusal[] = [];
  const { proxy, internet } = startTestProxy("allowed.test", {
    onRefused: (refusal) => told.push(refusal),
  });
  await using _ = proxy;
  const line = passwordLine(proxy);
  const message =
    "hermes: the host evil.test is not on the list of --network (to allow it, add evil.test)";
  for (let i = 0; i < 2; i++) {
    const answer = await say(proxy, `CONNECT evil.test:443 HTTP/1.1\r\n${line}\r\n`);
    equal(answer.split("\r\n")[0], `HTTP/1.1 403 ${message}`);
    equal(answer.split("\r\n\r\n")[1], `${message}\n`);
  }
  match(
    await say(proxy, `GET http://allowed.test:8080/ HTTP/1.1\r\n${line}\r\n`),
    /403 hermes: port 8080 of the host allowed\.test is not .*add allowed\.test:8080\)/,
  );
  deepEqual(proxy.refusals().map(({ host, port, count }) => [host, port, count]), [
    ["evil.test", 443, 2],
    ["allowed.test", 8080, 1],
  ]);
  deepEqual(told.map(({ count }) => count), [1, 2, 1]);
  equal(proxy.takeRefusals().refusals.length, 2);
  deepEqual(proxy.takeRefusals(), { refusals: [], others: 0 });
  // A name that is not listed is not even looked up: names can carry what must not leave.
  deepEqual(internet.asked, []);
});

Deno.test("takeRefusals() keeps a bounded number of hosts and counts the others", async () => {
  const { proxy } = startTestProxy("allowed.test");
  await using _ = proxy;
  for (let i = 0; i < 60; i++) {
    await say(proxy, `CONNECT h${i}.test:443 HTTP/1.1\r\n${passwordLine(proxy)}\r\n`);
  }
  const { refusals, others } = proxy.takeRefusals();
  deepEqual([refusals.length, others], [50, 10]);
});

Deno.test("allow() lets a host through at once, and takes a rule for once back with its connections", async () => {
  await using server = echo();
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.names.set("more.test", [["127.0.0.1"]]);
  const target = `more.test:${server.port}`;
  await rejects(openTunnel(proxy, target), /403/);
  const once = proxy.allow(parseHostRule(target), "once");
  using client = await openTunnel(proxy, target);
  await sendText(client, "a");
  equal(await receive(client), "a");
  once[Symbol.dispose]();
  equal(await receive(client).catch(() => ""), "");
  await rejects(openTunnel(proxy, target), /403/);

  const session = proxy.allow(parseHostRule(target), "session");
  const again = proxy.allow(parseHostRule(target), "once");
  using kept = await openTunnel(proxy, target);
  again[Symbol.dispose]();
  session[Symbol.dispose]();
  await sendText(kept, "b");
  equal(await receive(kept), "b");
});

Deno.test("startForwardProxy() takes stored grants of hosts and no others", async () => {
  const grant = { scope: "project", project: "/work", createdAt: "2026-01-01" } as const;
  await using proxy = startForwardProxy({
    rules: parseHostList("allowed.test"),
    grants: [
      { ...grant, kind: "host", value: "stored.test:8443" },
      { ...grant, kind: "command", value: "curl" },
    ],
  });
  deepEqual(proxy.rules().map((rule) => rule.text), ["allowed.test", "stored.test:8443"]);
  throws(() =>
    startForwardProxy({ rules: [], grants: [{ ...grant, kind: "host", value: "not a host" }] })
  );
});

Deno.test("startForwardProxy() says when a name is unknown or a server does not answer", async () => {
  const { proxy, internet } = startTestProxy("allowed.test,gone.test");
  await using _ = proxy;
  const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  internet.ports.set(443, free.addr.port);
  free.close();
  const line = passwordLine(proxy);
  match(
    await say(proxy, `CONNECT gone.test:443 HTTP/1.1\r\n${line}\r\n`),
    /^HTTP\/1\.1 502 hermes: the name gone\.test was not found\r\n/,
  );
  match(
    await say(proxy, `CONNECT allowed.test:443 HTTP/1.1\r\n${line}\r\n`),
    /^HTTP\/1\.1 502 hermes: port 443 did not answer\r\n/,
  );
  deepEqual(proxy.refusals(), []);
});

Deno.test("startForwardProxy() tries the next address when one refuses", async () => {
  await using server = echo();
  const internet = new LoopbackInternet();
  internet.public.add("::1");
  internet.names.set("allowed.test", [["::1", "127.0.0.1"]]);
  const { proxy } = startTestProxy(`allowed.test:${server.port}`, { internet });
  await using _ = proxy;
  using client = await openTunnel(proxy, `allowed.test:${server.port}`);
  await sendText(client, "x");
  equal(await receive(client), "x");
  deepEqual(internet.connected, [`::1 ${server.port}`, `127.0.0.1 ${server.port}`]);
});

Deno.test("startForwardProxy() does not wait for an address that says nothing", async () => {
  await using server = echo();
  const internet = new LoopbackInternet();
  internet.public.add("127.0.0.9");
  internet.names.set("allowed.test", [["127.0.0.9", "127.0.0.1"]]);
  const connect = internet.connect.bind(internet);
  let stopped = false;
  internet.connect = (address, how) =>
    address === "127.0.0.1"
      ? connect(address, how)
      : new Promise((_, reject) =>
        how.signal.addEventListener("abort", () => {
          stopped = true;
          reject(how.signal.reason);
        })
      );
  const { proxy } = startTestProxy(`allowed.test:${server.port}`, { internet });
  await using _ = proxy;
  using client = await openTunnel(proxy, `allowed.test:${server.port}`);
  await sendText(client, "x");
  equal(await receive(client), "x");
  equal(stopped, true);
});

Deno.test("close() ends tunnels, requests that wait and clients that say nothing", async () => {
  await using server = echo();
  const { proxy, internet } = startTestProxy(`allowed.test:${server.port},slow.test`);
  internet.resolve = (name) =>
    name === "allowed.test" ? Promise.resolve(["127.0.0.1"]) : new Promise(() => {});
  using tunnel = await openTunnel(proxy, `allowed.test:${server.port}`);
  using silent = await Deno.connect({ port: proxy.port });
  using waiting = await Deno.connect({ port: proxy.port });
  await sendText(waiting, `CONNECT slow.test:443 HTTP/1.1\r\n${passwordLine(proxy)}\r\n`);
  while (proxy.connections < 3) await new Promise((done) => setTimeout(done, 1));
  await proxy.close();
  for (const client of [tunnel, silent, waiting]) {
    equal(await receive(client).catch(() => ""), "");
  }
  equal(proxy.connections, 0);
  await proxy.close();
  await rejects(Deno.connect({ port: proxy.port }));
});
