import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CheckMemory } from "./check_memory.ts";

Deno.test("CheckMemory looks once per fingerprint, also across processes", async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/cache/checks.json`;
  let looks = 0;
  const look = () => Promise.resolve({ found: ++looks });
  const first = { key: "python", fingerprint: "kernel 1" };
  deepStrictEqual(await new CheckMemory(path).recall(first, look), { found: 1 });
  deepStrictEqual(await new CheckMemory(path).recall(first, look), { found: 1 });
  const second = { ...first, fingerprint: "kernel 2" };
  deepStrictEqual(await new CheckMemory(path).recall(second, look), { found: 2 });
  await Deno.writeTextFile(path, "{ damaged");
  await new CheckMemory(path).recall(first, look);
  strictEqual(looks, 3);
  await Deno.remove(directory, { recursive: true });
});
