/** The example of docs/plugins.md for a plugin that pushes: a file changes, a session wakes. */
import assert from "node:assert/strict";
import { PluginBench } from "./_bench.ts";
import { createSession, HASTE, lastInput, scripted, until } from "./_push.ts";

const SETTINGS = {
  enabled: ["file-watcher"],
  entries: { "file-watcher": { config: { interval_ms: 20 }, turns_per_minute: 100 } },
};
/** The session that calls of the bench belong to. */
const SESSION = "s1";

/** Kills the process whose flags name a place below the bench's home. */
function killProcess({ root }: PluginBench): void {
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === Deno.pid) continue;
    try {
      const command = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (command.includes(`--allow-read=${root}`)) Deno.kill(Number(name), "SIGKILL");
    } catch {
      // It has just ended, or is not ours.
    }
  }
}

Deno.test("the file watcher wakes the session that watches, and no other", async () => {
  await using bench = await PluginBench.create();
  const host = await bench.open(SETTINGS);
  await host.serve({ intervals: HASTE });
  const provider = scripted("a", "b", "c");
  const [session, other] = [
    createSession(provider, SESSION),
    createSession(scripted("x"), "other"),
  ];
  host.session().attach(session);
  host.session().attach(other);
  const file = `${bench.project}/notes.txt`;
  assert.deepEqual(await bench.call("watch_file", { path: file }), { watching: file });
  await Deno.writeTextFile(file, "one");
  await until(() => provider.requests.length === 1, "the file appears");
  await session.idle;
  assert.match(lastInput(provider), /The file .*notes\.txt has changed\./);
  await Deno.remove(file);
  await until(() => provider.requests.length === 2, "the file goes");
  await session.idle;
  assert.match(lastInput(provider), /The file .*notes\.txt is gone\./);
  assert.equal(other.snapshot().transcript.length, 0);
  assert.match(
    String((await bench.call("watch_file", { path: "notes.txt" })).error),
    /Give the absolute path/,
  );
  const outside = await bench.call("watch_file", { path: `${bench.root}/other.txt` });
  assert.match(String(outside.error), /permissions\.read of its manifest does not name/);
  await Promise.all([session.end("done"), other.end("done")]);
});

Deno.test("the file watcher goes on after its process was killed", async () => {
  if (Deno.build.os !== "linux") return console.log("its process is looked for in /proc");
  await using bench = await PluginBench.create();
  const host = await bench.open(SETTINGS);
  const background = await host.serve({ intervals: HASTE });
  const provider = scripted("a");
  const session = createSession(provider, SESSION);
  host.attach(session);
  await until(() => background!.services[0]!.state === "running", "the service runs");
  const file = `${bench.project}/notes.txt`;
  await bench.call("watch_file", { path: file });
  killProcess(bench);
  await until(() => background!.services[0]!.restarts >= 1, "it is started again");
  await Deno.writeTextFile(file, "one");
  await until(() => provider.requests.length === 1, "the change is told");
  await session.idle;
  assert.match(bench.reports[0]!, /^Plugin file-watcher: its process ended\. It starts again in/);
  await session.end("done");
});
