import assert from "node:assert/strict";
import { loadAttempts, scriptProgram } from "./_attempt.ts";
import { testEscapes } from "./_escape_suite.ts";
import { World } from "./_world.ts";

await testEscapes("deno", ({ without }) => without.length === 0);

Deno.test("World notices what a script without walls does", async () => {
  const attempts = await loadAttempts();
  const world = await World.create();
  try {
    for (const name of ["read_file_sync", "tcp_connect", "unix_connect", "write_file"]) {
      const body = attempts.get(name)!.script!(world);
      const code = encodeURIComponent(scriptProgram(new Map([[name, body]])));
      const args = ["run", "--allow-all", "--quiet", `data:text/javascript,${code}`];
      const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
      assert.match(new TextDecoder().decode(stdout), /GAINED/, name);
    }
    const kinds = (await world.traces()).map((trace) => trace.split(" ")[0]);
    assert.deepEqual(kinds, ["tcp", "unix", "victim"]);
  } finally {
    await world.close();
  }
});

Deno.test("the suite has at least 250 attempts, 150 in each language", async () => {
  const all = [...(await loadAttempts()).values()];
  assert.ok(all.length >= 250, `${all.length}`);
  for (const language of ["script", "python"] as const) {
    assert.ok(all.filter((attempt) => attempt[language]).length >= 150, language);
  }
});
