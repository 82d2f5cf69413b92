import { deepEqual, equal, ok } from "node:assert/strict";
import { watchersOf } from "../../tests/support/watchers.ts";
import { onlyVariables } from "./child_environment.ts";
import { EndWatch } from "./end_watch.ts";
import { MARKER_VARIABLE } from "./marker.ts";
import { spawnChild } from "./spawn.ts";

const PROBE = new URL("./testdata/end_watch_probe.ts", import.meta.url).href;
const onLinux = { ignore: Deno.build.os !== "linux" }; // elsewhere there is no /proc

for (const how of ["markers", "groups", "unmarked groups"]) {
  Deno.test(`EndWatch ends what a killed process has started, by ${how}`, onLinux, async () => {
    const marker = `${crypto.randomUUID()}.1`;
    const sleeper = spawnChild({
      argv: ["/bin/sleep", "60"],
      env: onlyVariables(how === "markers" ? { [MARKER_VARIABLE]: marker } : {}),
      cwd: "/",
      group: "session",
    });
    const holder = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", PROBE, how, marker, String(sleeper.pid)],
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const reader = holder.stdout.getReader();
    await reader.read();
    holder.kill("SIGKILL");
    await holder.status;
    await reader.cancel();
    equal((await sleeper.status).signal, "SIGTERM");
  });
}

Deno.test("EndWatch has one watcher for all, dismissed with the last hold", onLinux, async () => {
  const watch = new EndWatch({ prefix: crypto.randomUUID() });
  const before = await watchersOf(Deno.pid);
  const [first, second] = [watch.hold(), watch.hold()];
  deepEqual(await watchersOf(Deno.pid), before);
  await watch.startNow();
  await watch.startNow();
  let own: number[] = [];
  // While it becomes the shell, the process has no command line for a moment.
  while (own.length === 0) {
    own = (await watchersOf(Deno.pid)).filter((pid) => !before.includes(pid));
  }
  equal(own.length, 1);
  await first.release();
  await first.release();
  ok((await watchersOf(Deno.pid)).includes(own[0]!));
  await second.release();
  ok(!(await watchersOf(Deno.pid)).includes(own[0]!));
});

Deno.test("EndWatch ends nothing when it is dismissed", onLinux, async () => {
  const prefix = crypto.randomUUID();
  const sleeper = spawnChild({
    argv: ["/bin/sleep", "60"],
    env: onlyVariables({ [MARKER_VARIABLE]: `${prefix}.1` }),
    cwd: "/",
    group: "session",
  });
  const watch = new EndWatch({ prefix, groups: true });
  const hold = watch.hold();
  hold.add(sleeper.pid);
  await watch.startNow();
  await hold.release();
  sleeper.kill("SIGKILL");
  equal((await sleeper.status).signal, "SIGKILL");
});

Deno.test("EndWatch replaces a watcher that was killed", onLinux, async () => {
  const watch = new EndWatch({ prefix: crypto.randomUUID() });
  const before = await watchersOf(Deno.pid);
  const isOwn = (pid: number) => !before.includes(pid);
  const hold = watch.hold();
  await watch.startNow();
  const [first] = (await watchersOf(Deno.pid)).filter(isOwn);
  Deno.kill(first!, "SIGKILL");
  // Its end is reported when the runtime gets round to it.
  let now: number[] = [];
  while (now.length === 0) {
    await new Promise((resolve) => setTimeout(resolve));
    await watch.startNow();
    now = (await watchersOf(Deno.pid)).filter((pid) => isOwn(pid) && pid !== first);
  }
  equal(now.length, 1);
  await hold.release();
});
