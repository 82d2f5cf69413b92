/**
 * A network that ends at this machine, for tests and every program that they start: a network
 * namespace whose only interface is the loopback one. Deno's permissions hold Deno alone.
 */

export interface TestNetwork {
  /** In front of a command line; empty where the machine's network is used. */
  launcher: string[];
  /** Why programs of tests could reach other machines. */
  reason?: string;
}

/** Without `ip`, a namespace would not even have the loopback interface. */
const ENTER = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

/** Looks what this machine allows. */
export async function loopbackNetwork(): Promise<TestNetwork> {
  if (Deno.build.os !== "linux") return { launcher: [], reason: "only Linux has the means" };
  try {
    const { code, stderr } = await new Deno.Command(ENTER[0]!, {
      args: [...ENTER.slice(1), "true"],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (code === 0) return { launcher: ENTER };
    return { launcher: [], reason: new TextDecoder().decode(stderr).trim() };
  } catch (error) {
    return { launcher: [], reason: error instanceof Error ? error.message : `${error}` };
  }
}
