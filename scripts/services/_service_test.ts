import assert from "node:assert/strict";
import { linuxTest } from "../../tests/support/linux.ts";
import { holdService, startDaemon, waitFor } from "./_service.ts";

linuxTest(
  "startDaemon() gives a service no variable of the run that starts it",
  async (directory) => {
    const log = `${directory}/log`;
    await startDaemon(["/bin/sh", "-c", "env; pwd; echo 'done'"], log);
    const read = () => Deno.readTextFile(log).catch(() => "");
    await waitFor("no output", { log, isSo: async () => (await read()).endsWith("done\n") });
    const lines = (await read()).split("\n");
    const names = lines.filter((line) => line.includes("=")).map((line) => line.split("=")[0]!);
    assert.deepEqual(names.filter((name) => !["PWD", "SHLVL", "_"].includes(name)).sort(), [
      "HOME",
      "PATH",
    ]);
    assert.ok(lines.includes("/"), "nor its directory");
  },
);

linuxTest("holdService() starts a service once, below the run's own directory", async (place) => {
  let starts = 0;
  let stops = 0;
  const hold = () =>
    holdService<{ at: string }>({
      name: "fake",
      works: () => Promise.resolve(true),
      start: (dir) => Promise.resolve({ at: `${dir}#${++starts}` }),
      stop: () => Promise.resolve(void stops++),
    }, place);
  const first = await hold();
  const second = await hold();
  assert.equal(first.running.at, `${place}/fake/run#1`);
  assert.deepEqual(second.running, first.running);
  await first.release();
  assert.equal(stops, 0);
  await second.release();
  assert.equal(stops, 1);
  await assert.rejects(Deno.stat(`${place}/fake/run`), Deno.errors.NotFound);
});
