/**
 * Running one hook command: no shell, no credentials in its environment, bounded output,
 * and nothing left of its process group afterwards.
 */
import { childVariables } from "../util/child_variables.ts";
import { settleWithin } from "./deadline.ts";

export interface HookRun {
  argv: readonly string[];
  stdin: string;
  env: Readonly<Record<string, string>>;
  /** Names of variables that the operator hands to commands. */
  pass?: readonly string[];
  cwd: string;
  signal: AbortSignal;
}

export interface HookExit {
  code: number;
  stdout: string;
  stderr: string;
}

/** Starts a program and waits for it. Rejects when it cannot start or the signal aborts. */
export type HookSpawn = (run: HookRun) => Promise<HookExit>;

/**
 * Python believes a compiled file beside a module when its header names the module's size and
 * time; a consent covers the module. Nothing is found, and nothing kept, where no folder can be.
 */
const FIXED_VARIABLES = { PYTHONPYCACHEPREFIX: "/dev/null" };

const MAX_OUTPUT_BYTES = 256 * 1024;
/** For what a program that has ended still has in its pipes. */
const LAST_WORDS_MS = 200;

/** `HookSpawn` on this machine. */
export async function spawnHook(run: HookRun): Promise<HookExit> {
  run.signal.throwIfAborted();
  const [program, ...args] = run.argv;
  const child = new Deno.Command(program!, {
    args,
    cwd: run.cwd,
    env: { ...withoutSecrets(run.env, run.pass), ...FIXED_VARIABLES },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    // Leads its own process group, so that whatever it started can be ended with it.
    detached: true,
  }).spawn();
  // Closes our ends of the pipes: whoever has left the group may hold the others open.
  const over = new AbortController();
  const stop = () => {
    killGroup(child.pid);
    over.abort();
  };
  run.signal.addEventListener("abort", stop, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const exited = child.status.then((status) => {
    killGroup(child.pid);
    timer = setTimeout(stop, LAST_WORDS_MS);
    return status;
  });
  try {
    const [stdout, stderr, status] = await Promise.all([
      readBounded(child.stdout, over.signal),
      readBounded(child.stderr, over.signal),
      exited,
      feed(child.stdin, { text: run.stdin, signal: over.signal }),
    ]);
    run.signal.throwIfAborted();
    return { code: status.code, stdout, stderr };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", stop);
    killGroup(child.pid);
  }
}

/** What a child may know of an environment. */
export function withoutSecrets(
  env: Readonly<Record<string, string>>,
  pass: readonly string[] = [],
): Record<string, string> {
  return childVariables(env, pass);
}

async function feed(
  stdin: WritableStream<Uint8Array>,
  { text, signal }: { text: string; signal: AbortSignal },
): Promise<void> {
  const writer = stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(text)).then(() => writer.close());
  try {
    await settleWithin(written, { signal, graceMs: 0 });
  } catch {
    // The program does not read its input: that is its right.
  }
}

async function readBounded(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  let text = "";
  let bytes = 0;
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      if (bytes < MAX_OUTPUT_BYTES) text += decoder.decode(chunk.value, { stream: true });
      bytes += chunk.value.length;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    reader.releaseLock();
  }
  return text;
}

function killGroup(leader: number): void {
  try {
    Deno.kill(-leader, "SIGKILL");
  } catch {
    // Nothing of the group is left.
  }
}
