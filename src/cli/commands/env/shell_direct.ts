/** Joins the terminal hermes was started on to a shell that a library talks to. */
import type { EnvironmentAdmin } from "../../../../environments/options.ts";

type Host = Awaited<ReturnType<NonNullable<EnvironmentAdmin["open"]>>>;
type Client = Awaited<ReturnType<Host["client"]>>;
export type DirectClient = Exclude<Client, { argv: readonly string[] }>;

/** Until the shell ends; its exit code. */
export async function attachDirect(client: DirectClient): Promise<number> {
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
