import assert from "node:assert/strict";
import type { Grant } from "../protocol/grant.ts";
import { GrantFile, grantId, GRANTS_FILE } from "./grant_store.ts";

function grant(value: string, more: Partial<Grant> = {}): Grant {
  const createdAt = "2026-02-03T04:05:06.000Z";
  return { scope: "project", kind: "command", value, project: "/p", createdAt, ...more };
}

async function withFile(body: (file: GrantFile) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir();
  try {
    await body(new GrantFile(`${home}/own/${GRANTS_FILE}`));
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

Deno.test("GrantFile keeps grants, one of each, and takes them out again", async () => {
  await withFile(async (file) => {
    assert.deepEqual(await file.read(), []);
    await file.add([grant("a"), grant("b", { rules: ["r"] })]);
    await file.add([grant("a", { createdAt: "2030-01-01T00:00:00.000Z" })]);
    assert.deepEqual(await file.read(), [grant("a"), grant("b", { rules: ["r"] })]);
    assert.deepEqual(await file.remove(({ value }) => value === "a"), [grant("a")]);
    assert.deepEqual((await file.read()).map(({ value }) => value), ["b"]);
    assert.equal((await Deno.stat(file.path)).mode! & 0o777, 0o600);
  });
});

Deno.test("GrantFile loses nothing to writers at the same time", async () => {
  await withFile(async (file) => {
    const names = Array.from({ length: 20 }, (_, i) => `command ${i}`);
    await Promise.all(names.map((name) => new GrantFile(file.path).add([grant(name)])));
    const stored = (await file.read()).map(({ value }) => value);
    assert.deepEqual(stored.sort(), names.sort());
  });
});

Deno.test("GrantFile sees what another process stored or took back", async () => {
  await withFile(async (file) => {
    const other = new GrantFile(file.path);
    await other.add([grant("a")]);
    assert.equal((await file.read()).length, 1);
    await other.add([grant("b")]);
    assert.equal((await file.read()).length, 2);
    await other.remove(() => true);
    assert.equal((await file.read()).length, 0);
  });
});

Deno.test("GrantFile takes nothing for a grant that is none, and keeps what it does not know", async () => {
  await withFile(async (file) => {
    const strange = [
      1,
      null,
      { kind: "everything", scope: "project", value: "x", project: "/", createdAt: "" },
      { ...grant("x"), scope: "session" },
      { ...grant("x"), rules: "all" },
      { ...grant("x"), project: undefined },
    ];
    await file.add([grant("a")]);
    await Deno.writeTextFile(file.path, JSON.stringify({ grants: strange }));
    assert.deepEqual(await file.read(), []);
    await file.add([grant("b")]);
    assert.deepEqual(await file.read(), [grant("b")]);
    const { grants } = JSON.parse(await Deno.readTextFile(file.path));
    assert.equal(grants.length, strange.length + 1);
  });
});

Deno.test("GrantFile says when its file is damaged, and changes nothing then", async () => {
  await withFile(async (file) => {
    await file.add([grant("a")]);
    for (const text of ["{", "[]", '{"grants": 1}']) {
      await Deno.writeTextFile(file.path, text);
      const damaged = { message: /grants\.json is damaged/ };
      await assert.rejects(file.read(), damaged);
      await assert.rejects(file.add([grant("b")]), damaged);
      assert.equal(await Deno.readTextFile(file.path), text);
    }
  });
});

Deno.test("grantId() is the same for the same grant, whenever it was given", async () => {
  assert.equal(await grantId(grant("a")), await grantId(grant("a", { createdAt: "" })));
  const others = [grant("b"), grant("a", { kind: "shape" }), grant("a", { project: "/q" })];
  for (const other of others) assert.notEqual(await grantId(grant("a")), await grantId(other));
});
