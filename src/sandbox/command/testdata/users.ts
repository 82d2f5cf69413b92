/** Runs a module of the tests as a user without any rights. */

/**
 * The number of a user who owns nothing and runs nothing: another one for each process of the
 * tests, since the kernel counts what a user runs.
 */
export const NOBODY = 61_000 + Deno.pid % 4_000;

let noNobody: Promise<string | undefined> | undefined;

/** Why nothing can run as a user without rights here; undefined where it can. */
export function whyNoNobody(): Promise<string | undefined> {
  return noNobody ??= findOut();
}

async function findOut(): Promise<string | undefined> {
  if (Deno.uid() !== 0) return "only root can become another user";
  const code = `await import(${JSON.stringify(new URL("./walled.ts", import.meta.url).href)})`;
  try {
    const child = asNobody(["eval", "-q", "--no-lock", code]).spawn();
    await child.stdin.close();
    const { success, stderr } = await child.output();
    return success ? undefined : new TextDecoder().decode(stderr).split("\n", 1)[0];
  } catch (error) {
    return (error as Error).message;
  }
}

/** The runtime as that user, without a cache that others could have written. */
export function asNobody(args: readonly string[]): Deno.Command {
  return new Deno.Command("setpriv", {
    args: [
      ...[`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", Deno.execPath()],
      ...args,
    ],
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", HOME: "/", DENO_DIR: "/dev/null/deno" },
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Gives one input to a module run as that user; what it printed, parsed. */
export async function askNobody<T>(module: URL, input: unknown): Promise<T> {
  const child = asNobody(["run", "-A", "-q", "--no-check", "--no-lock", module.href]).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(input)));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const [said, complaint] = [stdout, stderr].map((one) => new TextDecoder().decode(one));
  if (!success) throw new Error(complaint);
  return JSON.parse(said!);
}
