/** Addresses of model servers. */
import assert from "node:assert/strict";
import { requireOpenPort } from "./endpoint.ts";

Deno.test("requireOpenPort() refuses the ports that the runtime refuses", async () => {
  for (const port of [1, 22, 6000, 6697, 10080]) {
    const url = `http://127.0.0.1:${port}/v1`;
    assert.throws(() => requireOpenPort(url), { exitCode: 2, message: /is blocked/ });
    await assert.rejects(fetch(url), /blocked/);
  }
});

Deno.test("requireOpenPort() allows every other port", () => {
  for (const at of ["127.0.0.1:8000", "127.0.0.1:2", "127.0.0.1:11434", "example.com", "h:100"]) {
    requireOpenPort(`http://${at}/v1`);
  }
});
