import { deepEqual, equal } from "node:assert/strict";
import {
  helloFor,
  helloMessage,
  inRecords,
  serverNameExtension,
} from "../../../tests/support/client_hello.ts";
import { readClientHello } from "./client_hello.ts";

Deno.test("readClientHello() finds the server name", () => {
  deepEqual(readClientHello(helloFor("a.test")), { kind: "hello", serverName: "a.test" });
  deepEqual(readClientHello(helloFor()), { kind: "hello", serverName: undefined });
  const bare = inRecords(helloMessage(undefined));
  deepEqual(readClientHello(bare), { kind: "hello", serverName: undefined });
});

Deno.test("readClientHello() finds it in several records and before other bytes", () => {
  const message = helloMessage(serverNameExtension("a.test"));
  deepEqual(readClientHello(inRecords(message, 7)), { kind: "hello", serverName: "a.test" });
  const early = new Uint8Array([...inRecords(message), 20, 3, 3, 0, 1, 1]);
  deepEqual(readClientHello(early), { kind: "hello", serverName: "a.test" });
});

Deno.test("readClientHello() wants more at every earlier byte, and never less than it has", () => {
  const whole = inRecords(helloMessage(serverNameExtension("a.test")), 30);
  for (let length = 0; length < whole.length; length++) {
    const verdict = readClientHello(whole.subarray(0, length));
    equal(verdict.kind, "more", `at ${length}`);
    equal(verdict.kind === "more" && verdict.need > length && verdict.need <= whole.length, true);
  }
});

Deno.test("readClientHello() leaves other protocols alone from their first bytes", () => {
  for (const text of ["S", "SSH-2.0", "GET / HTTP/1.1", "\u0000", "\u0016\u0001"]) {
    equal(readClientHello(new TextEncoder().encode(text)).kind, "not tls", text);
  }
});

Deno.test("readClientHello() calls a hello malformed that a server could read differently", () => {
  const name = serverNameExtension("a.test");
  const message = helloMessage(name);
  const wrong: [string, Uint8Array][] = [
    ["two extensions", inRecords(helloMessage([...name, ...serverNameExtension("b.test")]))],
    ["two names", inRecords(helloMessage(serverNameExtension("a.test", "b.test")))],
    ["an empty name", inRecords(helloMessage(serverNameExtension("")))],
    ["a long name", inRecords(helloMessage(serverNameExtension("a".repeat(300))))],
    ["another message", inRecords([2, ...message.slice(1)])],
    ["an extension too long", inRecords(helloMessage([0, 0, 0, 200, ...name.slice(4)]))],
    ["an empty record", new Uint8Array([22, 3, 1, 0, 0, ...inRecords(message)])],
    ["another record between", new Uint8Array([...inRecords(message.slice(0, 9)), 20, 3, 1, 0, 1])],
    ["a record too large", new Uint8Array([22, 3, 1, 255, 255])],
    ["a message too large", inRecords([1, 255, 255, 255])],
    ["a hundred records", inRecords(message, 1)],
    ["nothing in it", inRecords([1, 0, 0, 0])],
  ];
  for (const [what, bytes] of wrong) equal(readClientHello(bytes).kind, "malformed", what);
});
