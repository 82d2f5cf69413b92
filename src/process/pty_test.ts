import { equal } from "node:assert/strict";
import { openPty } from "./pty.ts";

const LIBC = {
  tgkill: { parameters: ["i32", "i32", "i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;
const SIGURG = 23;

/** Threads of this process that wait for a descriptor. */
function waitingThreads(): number[] {
  const tasks = [...Deno.readDirSync("/proc/self/task")].map(({ name }) => name);
  return tasks.filter((task) =>
    /^poll_/.test(Deno.readTextFileSync(`/proc/self/task/${task}/wchan`))
  )
    .map(Number);
}

Deno.test("read() goes on waiting when a signal reaches the thread that waits", async () => {
  const pty = openPty({ columns: 80, rows: 24 });
  if (!pty) return console.error("not tested: there is no pseudo-terminal here");
  using slave = await Deno.open(pty.path, { read: true, write: true });
  const libc = Deno.dlopen("libc.so.6", LIBC);
  let heard = 0;
  const listener = () => heard++;
  Deno.addSignalListener("SIGURG", listener);
  let ended = false;
  const reading = pty.read().finally(() => ended = true);
  try {
    while (heard < 3 && !ended) {
      for (const thread of waitingThreads()) libc.symbols.tgkill(Deno.pid, thread, SIGURG);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await slave.write(new TextEncoder().encode("here"));
    equal(new TextDecoder().decode(await reading), "here");
  } finally {
    Deno.removeSignalListener("SIGURG", listener);
    await pty.close();
    libc.close();
  }
});
