import assert from "node:assert/strict";
import { linuxTest } from "../tests/support/linux.ts";
import { endLeftovers, findLeftovers } from "./test_leftovers.ts";

linuxTest("endLeftovers() ends who names the directory, wherever, and nobody else", async (dir) => {
  const sleep = (options: Deno.CommandOptions) =>
    new Deno.Command("sleep", { args: ["600"], ...options }).spawn();
  await Deno.writeTextFile(`${dir}/file`, "");
  const children = [
    sleep({ cwd: dir }),
    sleep({ env: { TMPDIR: `${dir}/below` }, clearEnv: true }),
    new Deno.Command("tail", { args: ["-f", `${dir}/file`], clearEnv: true, cwd: "/" }).spawn(),
  ];
  const other = sleep({ clearEnv: true, cwd: "/" });
  const found = await endLeftovers([dir]);
  for (const { pid } of children) assert.ok(found.some((left) => left.pid === pid), `${pid}`);
  assert.ok(!found.some((left) => left.pid === other.pid));
  for (const child of children) assert.equal((await child.status).signal, "SIGKILL");
  assert.deepEqual(await findLeftovers([dir]), []);
  other.kill();
  assert.equal((await other.status).signal, "SIGTERM");
});
