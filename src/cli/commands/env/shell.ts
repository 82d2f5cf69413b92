/** A person's own shell in an environment, on the terminal hermes was started on. */
import { ADMINS } from "../../../../environments/admin.ts";
import type { EnvironmentOptions } from "../../../../environments/options.ts";
import { startDirectory } from "../../../../environments/start_directory.ts";
import { type ChildEnvironment, personalEnvironment } from "../../../process/child_environment.ts";
import { spawnChild } from "../../../process/spawn.ts";
import { shellQuote } from "../../../util/shell_quote.ts";
import { attachDirect } from "./shell_direct.ts";

/** Runs until the person leaves; the exit code of the shell. */
export async function openShell(name: string, options: EnvironmentOptions): Promise<number> {
  const admin = await ADMINS[name]!();
  const host = await admin.open?.(options);
  if (host === undefined) {
    const shell = options.env.SHELL ?? "/bin/sh";
    return await attach([shell], { env: personalEnvironment(options.env), cwd: options.cwd });
  }
  try {
    await host.connect();
    const tty = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
    const terminal = tty ? Deno.consoleSize() : undefined;
    const script = shellScript(startDirectory(name, options.settings));
    const client = await host.client({ shell: "/bin/sh", script, tty, terminal });
    if (!("argv" in client)) return await attachDirect(client);
    const code = await attach(client.argv, { env: client.env, cwd: "/" });
    client.onExit?.();
    return code;
  } finally {
    await host.close();
  }
}

/** Where commands start, and bash where there is one. */
function shellScript(dir: string): string {
  const place = dir.startsWith("~") ? `"$HOME"${shellQuote(dir.slice(1))}` : shellQuote(dir);
  return `cd ${place}; command -v bash >/dev/null && exec bash; exec sh`;
}

async function attach(
  argv: readonly string[],
  options: { env: ChildEnvironment; cwd: string },
): Promise<number> {
  const child = spawnChild({
    argv,
    ...options,
    group: "terminal",
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  });
  // Ctrl-C belongs to what runs in the shell.
  const ignore = () => {};
  Deno.addSignalListener("SIGINT", ignore);
  const { code } = await child.status;
  Deno.removeSignalListener("SIGINT", ignore);
  return code;
}
