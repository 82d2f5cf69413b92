import { deepEqual, equal, match } from "node:assert/strict";
import { helloFor, helloMessage, inRecords } from "../../../tests/support/client_hello.ts";
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
import { parseHostList } from "./host_list.ts";

/** Sends heads that must not reach any server; `PASSWORD` stands for the line that opens. */
async function refusedEach(cases: Record<string, [string, RegExp]>): Promise<void> {
  const { proxy, internet } = startTestProxy("allowed.test,allowed.test:8080");
  await using _ = proxy;
  for (const [what, [text, status]] of Object.entries(cases)) {
    const answer = await say(proxy, text.replace("PASSWORD\r\n", passwordLine(proxy)));
    match(answer, status, what);
    match(answer, /^HTTP\/1\.1 [45][^]*\r\n\r\nhermes: [^\n]*\n$/, `${what}: one answer alone`);
  }
  deepEqual([internet.asked, internet.connected], [[], []]);
}

const PLAIN = "GET http://allowed.test/ HTTP/1.1\r\nPASSWORD\r\n";
const POST = "POST http://allowed.test/ HTTP/1.1\r\nPASSWORD\r\n";

Deno.test("a request that two readers could cut differently reaches no server", async () => {
  const bad = /^HTTP\/1\.1 400 /;
  await refusedEach({
    "two lengths": [`${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, bad],
    "the same length twice": [`${POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`, bad],
    "a list of lengths": [`${POST}Content-Length: 5, 5\r\n\r\nhello`, bad],
    "a signed length": [`${POST}Content-Length: +5\r\n\r\nhello`, bad],
    "a length in hex": [`${POST}Content-Length: 0x5\r\n\r\nhello`, bad],
    "an empty length": [`${POST}Content-Length:\r\n\r\nhello`, bad],
    "length and chunks": [
      `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      bad,
    ],
    "chunks and length": [
      `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
      bad,
    ],
    "two codings": [
      `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
      bad,
    ],
    "another coding": [`${POST}Transfer-Encoding: gzip, chunked\r\n\r\n`, /^HTTP\/1\.1 501 /],
    "a coding with a tab in it": [`${POST}Transfer-Encoding: \tchunked x\r\n\r\n`, / 501 /],
    "chunks in HTTP/1.0": [
      `${POST.replace("1.1", "1.0")}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      bad,
    ],
    "a space before the colon": [`${POST}Transfer-Encoding : chunked\r\n\r\n`, bad],
    "a folded line": [`${PLAIN}A: b\r\n Host: evil.test\r\n\r\n`, bad],
    "a folded line by tab": [`${PLAIN}A: b\r\n\tc\r\n\r\n`, bad],
    "a bare line feed": [`${PLAIN}A: b\nHost: evil.test\r\n\r\n`, bad],
    "a bare carriage return": [`${PLAIN}A: b\rHost: evil.test\r\n\r\n`, bad],
    "a NUL in a value": [`${PLAIN}A: b\u0000c\r\n\r\n`, bad],
    "a NUL in a name": [`${PLAIN}A\u0000: b\r\n\r\n`, bad],
    "a line without a colon": [`${PLAIN}nonsense\r\n\r\n`, bad],
    "an empty name": [`${PLAIN}: x\r\n\r\n`, bad],
    "an empty line first": [`\r\n${PLAIN}\r\n`, bad],
    "a body of CONNECT": [
      "CONNECT allowed.test:443 HTTP/1.1\r\nPASSWORD\r\nContent-Length: 3\r\n\r\nabc",
      bad,
    ],
    "two passwords": [`${PLAIN}Proxy-Authorization: Basic eA==\r\n\r\n`, bad],
  });
});

Deno.test("a request line that is not exactly one reaches no server", async () => {
  const bad = /^HTTP\/1\.1 400 /;
  const line = (text: string): [string, RegExp] => [`${text}\r\nPASSWORD\r\n\r\n`, bad];
  await refusedEach({
    "two spaces": line("GET  http://allowed.test/ HTTP/1.1"),
    "a tab": line("GET\thttp://allowed.test/ HTTP/1.1"),
    "a space in the URL": line("GET http://allowed.test/ /x HTTP/1.1"),
    "no version": [`GET http://allowed.test/\r\nPASSWORD\r\n\r\n`, /^HTTP\/1\.1 505 /],
    "HTTP/2": [`PRI * HTTP/2.0\r\n\r\n`, /^HTTP\/1\.1 505 /],
    "a path alone": line("GET / HTTP/1.1"),
    "a relative reference": line("GET //allowed.test/ HTTP/1.1"),
    "https without CONNECT": line("GET https://allowed.test/ HTTP/1.1"),
    "ftp": line("GET ftp://allowed.test/ HTTP/1.1"),
    "file": line("GET file:///etc/passwd HTTP/1.1"),
    "bytes beyond ASCII in the URL": line("GET http://allowed.test/\u00e9 HTTP/1.1"),
    "a method with a colon": line("GE:T http://allowed.test/ HTTP/1.1"),
  });
});

Deno.test("a target with user names, other spellings or another Host reaches no server", async () => {
  const bad = /^HTTP\/1\.1 400 /;
  const get = (url: string): [string, RegExp] => [
    `GET ${url} HTTP/1.1\r\nPASSWORD\r\n\r\n`,
    bad,
  ];
  const connect = (target: string): [string, RegExp] => [
    `CONNECT ${target} HTTP/1.1\r\nPASSWORD\r\n\r\n`,
    bad,
  ];
  await refusedEach({
    "a user name": get("http://allowed.test@evil.test/"),
    "user and password": get("http://allowed.test:80@evil.test/"),
    "a user at the listed host": get("http://me@allowed.test/"),
    "a backslash": get("http://allowed.test\\@evil.test/"),
    "a fragment": get("http://evil.test#@allowed.test/"),
    "an escaped dot": get("http://allowed%2etest/"),
    "no host": get("http:///x"),
    "CONNECT with a user": connect("allowed.test@evil.test:443"),
    "CONNECT with user and port": connect("allowed.test:443@evil.test:443"),
    "CONNECT without a port": connect("allowed.test"),
    "CONNECT with a path": connect("allowed.test:443/x"),
    "CONNECT with a URL": connect("http://allowed.test:443"),
    "CONNECT with a zone": connect("[fe80::1%25eth0]:443"),
    "127.1": connect("127.1:443"),
    "hex": connect("0x7f.0.0.1:443"),
    "octal": connect("0177.0.0.1:443"),
    "one number": connect("2130706433:443"),
    "one hex number": get("http://0x7f000001/"),
    "another Host": [`${PLAIN}Host: evil.test\r\n\r\n`, bad],
    "a Host with another port": [`${PLAIN}Host: allowed.test:8080\r\n\r\n`, bad],
    "a Host with a user": [`${PLAIN}Host: evil.test@allowed.test\r\n\r\n`, bad],
    "a Host of two": [`${PLAIN}Host: allowed.test, evil.test\r\n\r\n`, bad],
    "two Hosts": [`${PLAIN}Host: allowed.test\r\nHost: allowed.test\r\n\r\n`, bad],
    "an empty Host": [`${PLAIN}Host:\r\n\r\n`, bad],
    "names beside the list": [
      "CONNECT allowed.test.evil.test:443 HTTP/1.1\r\nPASSWORD\r\n\r\n",
      / 403 /,
    ],
    "a name that ends like the list": [
      "CONNECT evil-allowed.test:443 HTTP/1.1\r\nPASSWORD\r\n\r\n",
      / 403 /,
    ],
    "loopback": ["CONNECT 127.0.0.1:443 HTTP/1.1\r\nPASSWORD\r\n\r\n", / 403 /],
    "mapped loopback": ["CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1\r\nPASSWORD\r\n\r\n", / 403 /],
    "metadata": ["GET http://169.254.169.254/latest HTTP/1.1\r\nPASSWORD\r\n\r\n", / 403 /],
  });
});

Deno.test("chunks with wrong borders end the connection before the server has a whole request", async () => {
  const seen: string[] = [];
  await using server = new RawServer(async (connection) => {
    seen.push(await receiveAll(connection));
  });
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.ports.set(80, server.port);
  for (
    const body of [
      "5\nhello\r\n0\r\n\r\n",
      "5\r\nhelloX\r\n0\r\n\r\n",
      "5 \r\nhello\r\n0\r\n\r\n",
      "-5\r\nhello\r\n0\r\n\r\n",
      "0x5\r\nhello\r\n0\r\n\r\n",
      "5;a\nb\r\nhello\r\n0\r\n\r\n",
      "fffffffffffffffff\r\nhello\r\n0\r\n\r\n",
      `5;${"x".repeat(2000)}\r\nhello\r\n0\r\n\r\n`,
      `0\r\n${"A: b\r\n".repeat(4000)}\r\n`,
    ]
  ) {
    const head = POST.replace("PASSWORD\r\n", passwordLine(proxy));
    await say(proxy, `${head}Transfer-Encoding: chunked\r\n\r\n${body}`).catch(() => "");
  }
  await proxy.close();
  deepEqual(seen.map((text) => text.endsWith("0\r\n\r\n")), Array(9).fill(false));
});

Deno.test("a second request on the same connection is never passed on", async () => {
  const seen: string[] = [];
  await using server = new RawServer(async (connection) => {
    seen.push(await receiveUntil(connection, "\r\n\r\n"));
    await sendText(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    seen.push(await receiveAll(connection));
  });
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.ports.set(80, server.port);
  const first = PLAIN.replace("PASSWORD\r\n", passwordLine(proxy));
  const answer = await say(proxy, `${first}\r\nGET /admin HTTP/1.1\r\nHost: evil.test\r\n\r\n`);
  match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok$/);
  await proxy.close();
  equal(seen.join("").includes("admin"), false);
});

Deno.test("a WebSocket over plain HTTP gets no tunnel: Upgrade is dropped, 101 is refused", async () => {
  let head = "";
  await using server = new RawServer(async (connection) => {
    head = await receiveUntil(connection, "\r\n\r\n");
    await sendText(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
  });
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.ports.set(80, server.port);
  const start = PLAIN.replace("PASSWORD\r\n", passwordLine(proxy));
  const answer = await say(proxy, `${start}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
  match(answer, /^HTTP\/1\.1 502 /);
  equal(/upgrade/i.test(head), false);
});

Deno.test("fields that Connection names cannot take the framing or the Host away", async () => {
  let text = "";
  await using server = new RawServer(async (connection) => {
    text = await receiveUntil(connection, "hello");
    await sendText(connection, "HTTP/1.1 204 No Content\r\n\r\n");
  });
  const { proxy, internet } = startTestProxy("allowed.test");
  await using _ = proxy;
  internet.ports.set(80, server.port);
  const start = POST.replace("PASSWORD\r\n", passwordLine(proxy));
  await say(
    proxy,
    `${start}Host: allowed.test\r\nContent-Length: 5\r\nConnection: close, Host, Content-Length\r\n\r\nhello`,
  );
  match(text, /\r\nHost: allowed\.test\r\n[^]*Content-Length: 5\r\n/);
});

Deno.test("a name with one address that is not public is refused before any connection", async () => {
  const internet = new LoopbackInternet();
  internet.public.clear();
  const answers: Record<string, [string[], RegExp]> = {
    "loop.test": [["127.0.0.1"], /127\.0\.0\.1, a loopback address/],
    "mixed.test": [["203.0.114.7", "10.0.0.7"], /10\.0\.0\.7, a private address/],
    "meta.test": [["169.254.169.254"], /metadata/],
    "mapped.test": [["::ffff:169.254.169.254"], /169\.254\.169\.254, the metadata/],
    "six.test": [["2606:4700::1111", "::1"], /::1, a loopback/],
    "nat.test": [["64:ff9b::7f00:1"], /loopback/],
    "zone.test": [["fe80::1%eth0"], /not readable/],
    "zero.test": [["0.0.0.0"], /this machine/],
    "sub.localhost": [["127.0.0.1"], /a loopback address/],
  };
  for (const [name, [addresses]] of Object.entries(answers)) internet.names.set(name, [addresses]);
  const { proxy } = startTestProxy(Object.keys(answers).join(","), { internet });
  await using _ = proxy;
  for (const [name, [, message]] of Object.entries(answers)) {
    const answer = await say(proxy, `CONNECT ${name}:443 HTTP/1.1\r\n${passwordLine(proxy)}\r\n`);
    match(answer, /^HTTP\/1\.1 403 hermes: /, name);
    match(answer, message, name);
  }
  deepEqual(internet.connected, []);
  equal(proxy.refusals().length, Object.keys(answers).length);
});

Deno.test("the proxy of a session refuses loopback without a test's permission", async () => {
  await using proxy = startForwardProxy({
    rules: parseHostList("allowed.test:*"),
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
  match(
    await say(proxy, `CONNECT allowed.test:${proxy.port} HTTP/1.1\r\n${passwordLine(proxy)}\r\n`),
    /^HTTP\/1\.1 403 hermes: the proxy does not lead to itself/,
  );
  match(
    await say(proxy, `CONNECT allowed.test:22 HTTP/1.1\r\n${passwordLine(proxy)}\r\n`),
    /^HTTP\/1\.1 403 hermes: allowed\.test leads to 127\.0\.0\.1, a loopback address; to allow/,
  );
});

Deno.test("an address that a rule names, and localhost, are reached without asking for names", async () => {
  await using server = new RawServer(async (connection) => await sendText(connection, "here"));
  const { port } = server;
  await using proxy = startForwardProxy({
    rules: parseHostList(`127.0.0.1:${port},localhost:${port},home.test:${port}`),
    resolve: (name) => Promise.resolve(name === "home.test" ? ["127.0.0.1"] : ["203.0.114.1"]),
  });
  for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "LocalHost.", "home.test"]) {
    using client = await openTunnel(proxy, `${host}:${port}`);
    equal(await receive(client), "here", host);
  }
  match(
    await say(proxy, `CONNECT 127.0.0.2:${port} HTTP/1.1\r\n${passwordLine(proxy)}\r\n`),
    / 403 /,
  );
});

Deno.test("a name that changes its address after the check is reached at the checked address", async () => {
  await using server = new RawServer(async (connection) => await sendText(connection, "here"));
  const internet = new LoopbackInternet();
  internet.names.set("turns.test", [["127.0.0.1"], ["10.0.0.7"]]);
  const { proxy } = startTestProxy(`turns.test:${server.port}`, { internet });
  await using _ = proxy;
  using client = await openTunnel(proxy, `turns.test:${server.port}`);
  equal(await receive(client), "here");
  deepEqual(internet.asked, ["turns.test"]);
  deepEqual(internet.connected, [`127.0.0.1 ${server.port}`]);
  const again = await say(
    proxy,
    `CONNECT turns.test:${server.port} HTTP/1.1\r\n${passwordLine(proxy)}\r\n`,
  );
  match(again, / 403 hermes: turns\.test leads to 10\.0\.0\.7, a private address/);
});

/** What a server gets, and what the client gets back, when a tunnel begins with these bytes. */
async function tunnelBeginning(
  bytes: Uint8Array,
  options: { target?: string; list?: string; pieces?: number } = {},
): Promise<{ arrived: number; answer: string; refused: string[] }> {
  let arrived = 0;
  await using server = new RawServer(async (connection) => {
    arrived = (await receiveAll(connection)).length;
    await sendText(connection, "done");
  });
  const { target = "allowed.test:443", list = "allowed.test,other.test,127.0.0.1" } = options;
  const { proxy, internet } = startTestProxy(list);
  await using _ = proxy;
  internet.ports.set(443, server.port);
  using client = await openTunnel(proxy, target);
  const step = Math.ceil(bytes.length / (options.pieces ?? 1));
  for (let at = 0; at < bytes.length; at += step) {
    await client.write(bytes.subarray(at, at + step));
    await new Promise((done) => setTimeout(done, 0));
  }
  await client.closeWrite().catch(() => {});
  const answer = await receiveAll(client).catch(() => "");
  await proxy.close();
  return { arrived, answer, refused: proxy.refusals().map(({ message }) => message) };
}

Deno.test("a tunnel passes on TLS that names its host or no host, whole or in pieces", async () => {
  for (const name of ["allowed.test", "ALLOWED.test", "allowed.test.", undefined]) {
    const bytes = helloFor(name);
    for (const pieces of [1, 9]) {
      const { arrived, answer } = await tunnelBeginning(bytes, { pieces });
      deepEqual([arrived, answer], [bytes.length, "done"], `${name} in ${pieces}`);
    }
  }
  const half = helloFor("allowed.test").subarray(0, 20);
  equal((await tunnelBeginning(half)).arrived, 20);
});

Deno.test("a tunnel whose TLS names another host is closed with TLS's own alert, and told", async () => {
  for (const name of ["evil.test", "other.test", "allowed.test.evil.test", "x\u0000.test"]) {
    const result = await tunnelBeginning(helloFor(name), { pieces: 3 });
    deepEqual([result.arrived, result.answer], [0, "\x15\x03\x01\x00\x02\x02\x70"], name);
    match(result.refused[0]!, /^hermes: a tunnel to allowed\.test:443 asked its server for /);
  }
  const malformed = inRecords(helloMessage([0, 0, 0, 200]));
  equal((await tunnelBeginning(malformed)).arrived, 0);
});

Deno.test("a tunnel to an address may name a host of the list, and no other", async () => {
  const target = "127.0.0.1:443";
  equal((await tunnelBeginning(helloFor("other.test"), { target })).answer, "done");
  equal((await tunnelBeginning(helloFor("evil.test"), { target })).arrived, 0);
});
