/**
 * Starts processes of every kind in the directory of the first argument, says so, and waits to be
 * killed. With `unwatched` nothing but another hermes can end them afterwards.
 */
import { endWatch } from "../../src/process/end_watch.ts";
import { createLocalEnvironment } from "../local.ts";

/** Kills the watcher that this process has started. */
async function killWatcher(): Promise<void> {
  for await (const { name } of Deno.readDir("/proc")) {
    const stat = await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    const isChild = Number(/\) \S (\d+)/.exec(stat)?.[1]) === Deno.pid;
    if (isChild && line.includes("hermes-watch")) Deno.kill(Number(name), "SIGKILL");
  }
}

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
      if (watched === "unwatched") await killWatcher();
      Deno.stdout.writeSync(new TextEncoder().encode("ready"));
    },
  });
}
