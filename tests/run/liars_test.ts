/** Servers that are no model servers, or lie about what they send: one line each, exit code 5. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { runHermes, tempHome } from "../support/hermes.ts";

const HEAD = "HTTP/1.1 200 OK\r\nconnection: close\r\n";
const ANSWER = `data: ${
  JSON.stringify({ choices: [{ index: 0, delta: { content: "fine" }, finish_reason: "stop" }] })
}\n\ndata: [DONE]\n\n`;

/** What a server writes to each connection; an endless one is asked until the client leaves. */
type Lie = Iterable<string>;

function* endless(start: string, piece: string): Generator<string> {
  yield start;
  while (true) yield piece;
}

async function tell(connection: Deno.Conn, lie: Lie): Promise<void> {
  using client = connection;
  try {
    await client.read(new Uint8Array(65_536));
    for (const text of lie) {
      let bytes = new TextEncoder().encode(text);
      while (bytes.length > 0) bytes = bytes.subarray(await client.write(bytes));
    }
  } catch {
    // The client has heard enough and hung up.
  }
}

async function runAgainst(lie: () => Lie) {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(
    `${home.path}/.hermes/config.yaml`,
    "agent: { api_max_retries: 1 }\n",
  );
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const told: Promise<void>[] = [];
  const serving = (async () => {
    for await (const connection of listener) told.push(tell(connection, lie()));
  })();
  try {
    const url = `http://127.0.0.1:${listener.addr.port}/v1`;
    const args = ["run", "--quiet", "--base-url", url, "--model", "m", "hi"];
    return await runHermes({ home: home.path, args });
  } finally {
    listener.close();
    await serving;
    await Promise.all(told);
  }
}

Deno.test("run says in one line that a server is no model server", async () => {
  const lies: [string, () => Lie, RegExp][] = [
    ["nothing at all", () => [], /cannot talk to 127/],
    ["another protocol", () => ["SSH-2.0-OpenSSH_9.6\r\n"], /cannot talk to 127/],
    ["endless headers", () => endless(HEAD, "x-filler: aaaaaaaa\r\n"), /cannot talk to 127/],
    [
      "a page with status 200",
      () => [`${HEAD}content-type: text/html\r\n\r\n<html><b>Welcome</b></html>`],
      /cannot be read.*check that the base URL is the API's/,
    ],
    [
      "an error with status 200",
      () => [`${HEAD}content-type: application/json\r\n\r\n{"error":{"message":"no credit left"}}`],
      /no credit left/,
    ],
    [
      "an event that never ends",
      () => endless(`${HEAD}content-type: text/event-stream\r\n\r\ndata: `, "a".repeat(1 << 20)),
      /longer than \d+ characters/,
    ],
    ["an empty body", () => [`${HEAD}content-length: 0\r\n\r\n`], /ended before it was complete/],
  ];
  for (const [name, lie, line] of lies) {
    const { code, stdout, stderr } = await runAgainst(lie);
    deepStrictEqual([code, stdout], [5, ""], `${name}: ${stderr}`);
    match(stderr, line, name);
    strictEqual(stderr.trimEnd().split("\n").length, 1, `${name}: ${stderr}`);
    ok(stderr.length < 600, name);
  }
});

Deno.test("run reads a right answer under a wrong content type", async () => {
  for (const type of ["text/html", "application/json", "image/png"]) {
    const { code, stdout } = await runAgainst(() => [
      `${HEAD}content-type: ${type}\r\n\r\n${ANSWER}`,
    ]);
    deepStrictEqual([code, stdout], [0, "fine\n"], type);
  }
});
