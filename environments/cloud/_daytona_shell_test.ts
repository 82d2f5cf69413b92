import { deepEqual } from "node:assert/strict";
import { typedLine } from "./_daytona_shell.ts";

const SHELLS: readonly (readonly [string, ...string[]])[] = [
  ["/bin/bash"],
  ["/bin/dash"],
  ["/bin/busybox", "sh"],
];

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** What a terminal does with a typed line, but on pipes. */
async function type(
  shell: readonly [string, ...string[]],
  { line, input }: { line: string; input: string },
): Promise<{ code: number; output: string }> {
  const child = new Deno.Command(shell[0], {
    args: [...shell.slice(1), "-c", line],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(bytes(input));
  const { code, stdout } = await child.output();
  await writer.close().catch(() => {}); // It ended without waiting for the end of its input.
  return { code, output: new TextDecoder().decode(stdout) };
}

Deno.test("typedLine() takes framed input, gives every byte and the code, in any shell", async () => {
  for (const shell of SHELLS) {
    const exists = await Deno.stat(shell[0]).then(() => true, () => false);
    if (!exists) console.error(`${shell[0]} is not here: typedLine() is not tested with it`);
    if (!exists) continue;
    const script = "printf '<'; cat; printf '\\001\\004\\n>'; tty; exit 7";
    const line = typedLine({ shell: "/bin/sh", script, tty: false }, "hermes-test-frames");
    const result = await type(shell, { line, input: "3\na\nb4\n\x04$'x0\n" });
    deepEqual(
      result,
      { code: 7, output: "\x1e<a\nb\x04$'x\x01\x04\n>not a tty\n" },
      shell.join(" "),
    );
  }
});

Deno.test("typedLine() ends when its program does not want its input", async () => {
  const line = typedLine({ shell: "/bin/sh", script: "kill -9 $$", tty: false }, "hermes-test-end");
  deepEqual(await type(["/bin/sh"], { line, input: "5\nnever" }), { code: 137, output: "\x1e" });
});
