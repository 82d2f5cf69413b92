/** A person's own shell in an environment, on the terminal hermes was started on. */
import { ADMINS } from "../../../../environments/admin.ts";
import type { EnvironmentAdmin, EnvironmentOptions } from "../../../../environments/options.ts";
import { startDirectory } from "../../../../environments/start_directory.ts";
import { type ChildEnvironment, personalEnvironment } from "../../../process/child_environment.ts";
import { spawnChild } from "../../../process/spawn.ts";
import { shellQuote } from "../../../util/shell_quote.ts";

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

type Host = Awaited<ReturnType<NonNullable<EnvironmentAdmin["open"]>>>;
type Client = Awaited<ReturnType<Host["client"]>>;
type DirectClient = Exclude<Client, { argv: readonly string[] }>;

/** Joins the terminal hermes was started on to a shell that a library talks to; its exit code. */
async function attachDirect(client: DirectClient): Promise<number> {
  const onTerminal = Deno.stdin.isTerminal();
  // Every key belongs to what runs there, Ctrl-C included.
  if (onTerminal) Deno.stdin.setRaw(true);
  const resize = () => client.resize?.(Deno.consoleSize());
  if (client.resize) Deno.addSignalListener("SIGWINCH", resize);
  const input = new AbortController();
  const typing = type(client, input.signal);
  try {
    for (let chunk; (chunk = await client.read());) await writeAll(chunk);
    return await client.exited;
  } finally {
    input.abort();
    if (client.resize) Deno.removeSignalListener("SIGWINCH", resize);
    if (onTerminal) Deno.stdin.setRaw(false);
    await client.dispose();
    await typing;
  }
}

async function type(client: DirectClient, signal: AbortSignal): Promise<void> {
  const keyboard = new WritableStream<Uint8Array>({
    write: (chunk) => client.write(chunk),
    close: () => client.closeStdin(),
  });
  try {
    await Deno.stdin.readable.pipeTo(keyboard, { signal });
  } catch {
    // The shell has ended, with or without reading everything.
  }
}

async function writeAll(chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += await Deno.stdout.write(chunk.subarray(at));
}
