import assert from "node:assert/strict";
import { VERSION } from "./version.ts";

Deno.test("VERSION equals the version in deno.json", async () => {
  const text = await Deno.readTextFile(new URL("../../deno.json", import.meta.url));
  assert.equal(JSON.parse(text).version, VERSION);
});
