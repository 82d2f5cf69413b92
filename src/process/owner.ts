/**
 * Which hermes made something outside its own process, in words that another hermes can judge:
 * machine, boot, process namespace, process id and start time.
 */
import { onlyVariables } from "./child_environment.ts";

/** Names this process. */
export async function thisOwner(): Promise<string> {
  const parts = [
    Deno.hostname(),
    await bootId(),
    await link("/proc/self/ns/pid"),
    String(Deno.pid),
    await startTime(Deno.pid) ?? "",
  ];
  return parts.map((part) => part.replace(/[^\w.:-]+/g, "")).join("/");
}

/** True when that owner has certainly ended; false for owners of other machines. */
export async function isOwnerGone(owner: string): Promise<boolean> {
  const [host, boot, space, pid, started] = owner.split("/");
  const [ownHost, ownBoot, ownSpace] = (await thisOwner()).split("/");
  if (host !== ownHost || pid === undefined || !/^\d+$/.test(pid)) return false;
  if (boot !== ownBoot) return true;
  if (space !== ownSpace) return false;
  const now = await startTime(Number(pid));
  return now === undefined ? !await isRunning(Number(pid)) : now !== started;
}

async function bootId(): Promise<string> {
  try {
    return (await Deno.readTextFile("/proc/sys/kernel/random/boot_id")).trim();
  } catch {
    return ""; // No /proc: boots cannot be told apart, process ids still can.
  }
}

async function link(path: string): Promise<string> {
  try {
    return await Deno.readLink(path);
  } catch {
    return ""; // No /proc.
  }
}

/** Clock ticks since boot; undefined where unknown. */
async function startTime(pid: number): Promise<string | undefined> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined; // Gone, or no /proc.
  }
}

/** Without /proc; with it, a missing process is known to be gone. */
async function isRunning(pid: number): Promise<boolean> {
  const { runProgram } = await import("./run_program.ts");
  const { code } = await runProgram(["/bin/kill", "-0", String(pid)], { env: onlyVariables({}) });
  return code === 0;
}
