/**
 * Starts processes of every kind in the directory of the first argument, says so, and waits to be
 * killed. With `unwatched` nothing but another hermes can end them afterwards.
 */
import { endWatch } from "../../../src/process/end_watch.ts";
import { watchersOf } from "../../../tests/support/watchers.ts";
import { createLocalEnvironment } from "../local_environment.ts";

if (import.meta.main) {
  const [dir, nap, watched] = Deno.args as [string, string, string | undefined];
  const env = createLocalEnvironment({
    cwd: dir,
    home: dir,
    env: { PATH: "/usr/bin:/bin", TMPDIR: dir },
  });
  await env.spawn(`setsid sleep ${nap} & sleep ${nap}`);
  await env.exec(`echo started; sleep ${nap}`, {
    async onOutput() {
      await endWatch.startNow();
      if (watched === "unwatched") {
        for (const pid of await watchersOf(Deno.pid)) Deno.kill(pid, "SIGKILL");
      }
      Deno.stdout.writeSync(new TextEncoder().encode("ready"));
    },
  });
}
