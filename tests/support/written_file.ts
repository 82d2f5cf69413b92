/** Waiting for what another process writes. */

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** The text of a file once it has any, trimmed. Fails when nobody ever writes it. */
export async function writtenFile(path: string): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const text = await Deno.readTextFile(path).catch(() => "");
    if (text.endsWith("\n")) return text.trim();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`${path} was never written`);
}

/** True while a process of this id exists and is no zombie. */
export async function isRunning(pid: number | string): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}
