/** What the script in front of the portable executable refuses before the runtime would trip over it. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";

const STUB = await Deno.readTextFile(new URL("portable_stub.sh", import.meta.url));
const FUNCTIONS =
  /^refuse\(\) \{[\s\S]*?\n\}\n[\s\S]*?^usable\(\) \{[\s\S]*?\n\}\n/m.exec(STUB)![0];

interface Outcome {
  code: number;
  stderr: string;
}

/** Runs `usable` after `before`, with arguments that a command line of the shell writes. */
async function usable(shell: string, before: string, words = ""): Promise<Outcome> {
  const script = `${FUNCTIONS}\n${before}\nusable ${words}\n`;
  const { code, stderr } = await new Deno.Command(shell, {
    args: ["-c", script],
    env: { LC_ALL: "C.UTF-8" },
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

for (const shell of ["/bin/sh", "/bin/bash", "/bin/dash"]) {
  const isHere = await Deno.stat(shell).then(() => true, () => false);
  Deno.test({
    name: `the portable executable says under ${shell} what the runtime cannot work with`,
    ignore: !isHere,
    async fn() {
      deepStrictEqual(await usable(shell, "", "run 'plain text'"), { code: 0, stderr: "" });
      deepStrictEqual(await usable(shell, "", "run 'größer \u{1F600}\n中文'"), {
        code: 0,
        stderr: "",
      });
      const latin = await usable(shell, "", `run "$(printf 'caf\\351')"`);
      strictEqual(latin.code, 2);
      match(latin.stderr, /^hermes: an argument is not valid UTF-8; .*-f FILE\n$/);
      const few = await usable(shell, "ulimit -n 20");
      strictEqual(few.code, 2);
      match(few.stderr, /^hermes: only 20 files may be open at once; .*ulimit -n 1024\n$/);
      const gone = await usable(shell, 'd=$(mktemp -d); cd "$d"; rmdir "$d"');
      strictEqual(gone.code, 2);
      match(gone.stderr, /^hermes: the working directory does not exist any more/);
    },
  });
}
