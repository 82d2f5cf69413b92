/** Runs a fake cloud as a process of its own, so that its memory and its work are not the test's. */

export interface ServerProcess {
  /** What it printed, word by word. */
  urls: string[];
  stop(): Promise<void>;
}

/** `module` is one that prints its addresses when it is run. */
export async function startServerProcess(module: URL): Promise<ServerProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "-q", module.href],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value, done } = await reader.read();
  if (done) throw new Error(`${module.pathname} did not start`);
  return {
    urls: new TextDecoder().decode(value).trim().split(" "),
    async stop() {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}
