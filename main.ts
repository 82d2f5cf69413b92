/**
 * The program: hidden re-exec modes first, then the command line. Nothing is imported here
 * that `hermes --version` does not need; everything else is behind a lazy import.
 */
import { VERSION } from "./src/util/version.ts";

/** The exit code; undefined when the process goes on and ends by itself. */
async function main(argv: string[]): Promise<number | undefined> {
  if (argv[0] === "__sandbox") {
    const { runChild } = await import("./src/sandbox/child_main.ts");
    await runChild();
    return undefined;
  }
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    Deno.stdout.writeSync(new TextEncoder().encode(`hermes ${VERSION}\n`));
    return 0;
  }
  try {
    enterLaunchDirectory();
    const { dispatch } = await import("./src/cli/dispatch.ts");
    return await dispatch(argv, {
      isTerminal: Deno.stdin.isTerminal() && Deno.stdout.isTerminal(),
    });
  } catch (error) {
    const { reportFailure } = await import("./src/cli/error_line.ts");
    return reportFailure(error, argv);
  }
}

/** `deno task` runs in the project's directory; the person may be elsewhere. */
function enterLaunchDirectory(): void {
  const directory = Deno.env.get("HERMES_LAUNCH_CWD");
  if (directory === undefined) return;
  Deno.env.delete("HERMES_LAUNCH_CWD");
  Deno.chdir(directory);
}

if (import.meta.main) {
  const code = await main(Deno.args);
  if (code !== undefined) Deno.exit(code);
}
