/** Runs an owned program, prints its process id when the watcher knows of it, and waits to be killed. */
import { onlyVariables } from "../child_environment.ts";
import { endWatch } from "../end_watch.ts";
import { runProgram } from "../run_program.ts";

if (import.meta.main) {
  const running = runProgram(["/bin/sh", "-c", "echo $$; exec sleep 600"], {
    env: onlyVariables({ PATH: "/usr/bin:/bin" }),
    owned: true,
    async onLine(pid) {
      await endWatch.startNow();
      await Deno.stdout.write(new TextEncoder().encode(pid));
    },
  });
  await running;
}
