import assert from "node:assert/strict";
import { probeSandbox, pythonGap, scriptGap } from "./sandbox_probe.ts";
import { findPython, inspectPython } from "./script/python.ts";

const onLinux = { ignore: Deno.build.os !== "linux" };

Deno.test("scriptGap() wants seccomp where imports are not checked", () => {
  assert.equal(scriptGap("deno", ["permissions"]), undefined);
  assert.equal(scriptGap("reexec", ["permissions", "seccomp"]), undefined);
  assert.match(scriptGap("reexec", ["permissions", "landlock"])!, /seccomp/);
  assert.match(scriptGap("deno", ["landlock"])!, /seccomp/);
});

Deno.test("pythonGap() wants both kernel walls and names the missing ones", () => {
  assert.equal(pythonGap(["landlock", "seccomp"]), undefined);
  assert.match(pythonGap(["landlock"])!, /with seccomp$/);
  assert.match(pythonGap([])!, /with landlock and seccomp$/);
});

Deno.test("probeSandbox() says why Python cannot run", onLinux, () => {
  assert.match(probeSandbox({ searchPath: "/nowhere" }).python.reason, /no python3 executable/);
  const walls = probeSandbox({ searchPath: "/usr/bin:/bin", without: ["landlock"] });
  assert.match(walls.python.reason, /landlock/);
  assert.equal(walls.script.available, true);
});

Deno.test(
  "findPython() passes over launcher scripts and relative directories",
  onLinux,
  async () => {
    const directory = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${directory}/python3`, "#!/bin/sh\nexec real\n", { mode: 0o755 });
      assert.equal(findPython(directory), undefined);
      assert.equal(findPython("bin:."), undefined);
      await Deno.mkdir(`${directory}/real`);
      await Deno.symlink(Deno.execPath(), `${directory}/real/python3`);
      const found = findPython(`${directory}:${directory}/real`);
      assert.equal(found, await Deno.realPath(Deno.execPath()));
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
);

Deno.test("inspectPython() says why an interpreter cannot serve", async () => {
  await assert.rejects(inspectPython("/bin/false"), /\/bin\/false cannot run scripts/);
});

Deno.test("inspectPython() grants the library and no directory of other files", async (t) => {
  const executable = findPython("/usr/local/bin:/usr/bin:/bin");
  if (executable === undefined) {
    console.log("no python3 on this machine: not checked");
    return;
  }
  const { grants } = await inspectPython(executable);
  await t.step("only the interpreter and the loader may be executed", () => {
    const run = grants.filter((grant) => grant.access === "run").map((grant) => grant.path);
    assert.ok(run.includes(executable));
    assert.ok(run.every((path) => path === executable || /\/ld[-.]/.test(path)), run.join());
  });
  await t.step("directories hold Python or time zones", () => {
    const trees = grants.filter((grant) => grant.access === "tree").map((grant) => grant.path);
    assert.ok(trees.every((path) => /\/python3[.\d]*(\/|$)|\/zoneinfo$/.test(path)), trees.join());
  });
});
