/**
 * The program: hidden re-exec modes first, then the command line. Nothing is imported here
 * that `hermes --version` does not need; everything else is behind a lazy import.
 */
import { leaveLauncher } from "./src/cli/launcher.ts";
import { sealEnvironment } from "./src/cli/own_environment.ts";
import { VERSION } from "./src/util/version.ts";

/** The exit code; undefined when the process goes on and ends by itself. */
async function main(argv: string[]): Promise<number | undefined> {
  if (argv[0] === "__sandbox") {
    const { runChild } = await import("./src/sandbox/child/child_main.ts");
    await runChild();
    return undefined;
  }
  if (argv[0] === "__strip") {
    const { runStripper } = await import("./src/sandbox/child/strip_main.ts");
    await runStripper();
    return 0;
  }
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    Deno.stdout.writeSync(new TextEncoder().encode(`hermes ${VERSION}\n`));
    return 0;
  }
  try {
    leaveLauncher();
    sealEnvironment();
    const { dispatch } = await import("./src/cli/dispatch.ts");
    return await dispatch(argv, {
      isTerminal: Deno.stdin.isTerminal() && Deno.stdout.isTerminal(),
    });
  } catch (error) {
    const { reportFailure } = await import("./src/cli/error_line.ts");
    return reportFailure(error, argv);
  }
}

if (import.meta.main) {
  const code = await main(Deno.args);
  if (code !== undefined) Deno.exit(code);
}
