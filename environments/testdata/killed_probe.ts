/** Starts processes of every kind in the directory of the first argument, says so, and waits to be killed. */
import { createLocalEnvironment } from "../local.ts";

if (import.meta.main) {
  const [dir, nap] = Deno.args as [string, string];
  const env = createLocalEnvironment({
    cwd: dir,
    home: dir,
    env: { PATH: "/usr/bin:/bin", TMPDIR: dir },
  });
  await env.spawn(`setsid sleep ${nap} & sleep ${nap}`);
  await env.exec(`echo started; sleep ${nap}`, {
    onOutput() {
      Deno.stdout.writeSync(new TextEncoder().encode("ready"));
    },
  });
}
