/** Limits of memory and disk that a Python script tries to get around. */
import assert from "node:assert/strict";
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { runScript, SANDBOX } from "./_sandbox.ts";

const sandbox = new SandboxRunner(SANDBOX);
const available = sandbox.availability().python.available;

function pythonTest(name: string, code: string, check: (said: string) => void): void {
  const options = { name: available ? name : `${name} NOT TESTED HERE`, ignore: !available };
  Deno.test(options, async () => {
    const { output, errors } = await runScript(sandbox, code, {
      language: "python",
      limits: { memoryMb: 128 },
    });
    check(`${output}${errors}`);
  });
}

/** Takes 16 MB at a time, up to a gigabyte, and prints how many it got. */
function takeMemory(expression: string): string {
  return `import mmap, os
taken = []
try:
    for _ in range(64):
        taken.append(${expression})
        taken[-1][0] = 1
except (OSError, MemoryError, ValueError) as error:
    print(type(error).__name__)
print(len(taken))`;
}

function takesLittle(said: string): void {
  const [, count] = /(\d+)\n$/.exec(said) ?? [];
  // 128 MB, and what the interpreter itself may take.
  assert.ok(Number(count) <= 24, said);
}

pythonTest("shared memory counts", takeMemory("mmap.mmap(-1, 16 << 20)"), takesLittle);
pythonTest(
  "memory that grows down counts",
  takeMemory("mmap.mmap(-1, 16 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)"),
  takesLittle,
);
pythonTest(
  "memory shared through a file in memory counts",
  takeMemory(`mmap.mmap(os.memfd_create("x"), 16 << 20)`),
  takesLittle,
);
pythonTest(
  "private memory counts, whatever it is made of",
  takeMemory("mmap.mmap(-1, 16 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)"),
  takesLittle,
);
pythonTest(
  "threads do not use up the memory of a script",
  `import threading
stop = threading.Event()
threads = [threading.Thread(target=stop.wait) for _ in range(8)]
for thread in threads: thread.start()
kept = bytearray(32 << 20)
stop.set()
import os
print(len(kept) >> 20, dict(os.environ))`,
  (said) =>
    assert.match(said, /^32 \{'LC_CTYPE[^,]*'TMPDIR': '[^']*'\}\n$|^32 \{'TMPDIR': '[^']*'.*\}\n$/),
);

/** Leaves six files of 60 MB without a name, and waits to be stopped. */
function hide(body: string): string {
  return `import mmap, os, time
held = []
for number in range(6):
    ${body.replaceAll("\n", "\n    ")}
time.sleep(60)`;
}

function stopped(said: string): void {
  assert.match(said, /more than 256 MB of files/);
}

pythonTest(
  "a removed file counts while it is open",
  hide(`file = open(f"{number}", "wb")
file.truncate(60 << 20)
os.unlink(file.name)
held.append(file)`),
  stopped,
);
pythonTest(
  "a file that another took the name of counts while it is open",
  hide(`file = open("new", "wb")
file.truncate(60 << 20)
os.rename("new", "old")
held.append(file)`),
  stopped,
);
pythonTest(
  "a file that never had a name counts",
  hide(`held.append(os.open(".", os.O_TMPFILE | os.O_RDWR))
os.ftruncate(held[-1], 60 << 20)`),
  stopped,
);
pythonTest(
  "a removed file counts while it is mapped",
  hide(`descriptor = os.open("file", os.O_CREAT | os.O_RDWR)
os.ftruncate(descriptor, 60 << 20)
held.append(mmap.mmap(descriptor, 60 << 20, prot=mmap.PROT_READ))
os.close(descriptor)
os.unlink("file")`),
  // Mapping a file takes address space, so that limit may be reached first.
  (said) => assert.match(said, /more than 256 MB of files|MemoryError|Cannot allocate/),
);
pythonTest(
  "a file cannot be hidden in a message",
  `import array, os, socket
one, other = socket.socketpair()
file = open("a", "wb")
one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))])
print("sent")`,
  (said) => assert.match(said, /PermissionError/),
);

pythonTest(
  "a script is stopped that makes entries faster than they can be looked at",
  `import os
for i in range(400000):
    os.mkdir(f"d{i}")
print("made")`,
  (said) => assert.match(said, /^Stopped: .* MB of files/),
);

Deno.test("a script that is too long for the parser is refused in every language", async () => {
  for (const language of ["javascript", "typescript", "python"] as const) {
    if (language === "python" && !available) continue;
    const { status, errors } = await runScript(sandbox, "x=1;".repeat(125_001), { language });
    assert.equal(status, "error");
    assert.match(errors, /has 500004 characters, at most 500000 can run/);
  }
});
