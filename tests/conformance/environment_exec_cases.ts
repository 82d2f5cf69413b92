/** Conformance of `exec`: codes, output, quoting, input, limits. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import type { EnvironmentCase } from "./environment_suite.ts";

export const EXEC_CASES: readonly EnvironmentCase[] = [
  {
    name: "gives the command's exit code",
    async run({ env }) {
      for (const code of [0, 1, 7, 255]) equal((await env.exec(`exit ${code}`)).exitCode, code);
      equal((await env.exec("true | false")).exitCode, 1);
    },
  },
  {
    name: "says 127 for a missing program and 126 for one that cannot run",
    async run({ env }) {
      const missing = await env.exec("hermes-no-such-program --flag");
      equal(missing.exitCode, 127);
      match(missing.output, /hermes-no-such-program/);
      equal((await env.exec("echo hi >plain; chmod 644 plain; ./plain")).exitCode, 126);
    },
  },
  {
    name: "says 128 + n when a signal ended the command",
    async run({ env }) {
      equal((await env.exec("sh -c 'kill -9 $$'")).exitCode, 137);
      equal((await env.exec("kill -15 $$")).exitCode, 143);
    },
  },
  {
    name: "keeps stdout and stderr in the order they were written",
    async run({ env }) {
      const { output } = await env.exec(
        "for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done",
      );
      const expected = Array.from({ length: 9 }, (_, i) => `out${i + 1}\nerr${i + 1}\n`).join("");
      equal(output, expected);
    },
  },
  {
    name: "gives exactly what was written, nothing around it",
    async run({ env }) {
      equal((await env.exec("true")).output, "");
      equal((await env.exec("printf 'no newline'")).output, "no newline");
      equal((await env.exec("printf '\\n\\n x \\n'")).output, "\n\n x \n");
      equal((await env.exec("printf 'a\\033[31mb\\rc'")).output, "a\x1b[31mb\rc");
    },
  },
  {
    name: "gives unicode output",
    async run({ env }) {
      const text = "naïve 日本語 👩‍👩‍👧 e\u0301 \u{10FFFF}";
      equal((await env.exec(`printf %s ${shellQuote(text)}`)).output, text);
    },
  },
  {
    name: "puts characters together that arrive in pieces",
    async run({ env }) {
      const pieces =
        "printf '\\360\\237'; sleep 0.05; printf '\\230\\200'; sleep 0.05; printf '\\342'";
      const { output, totalBytes } = await env.exec(pieces);
      equal(output, "😀\uFFFD");
      equal(totalBytes, 5);
    },
  },
  {
    name: "survives binary output",
    async run({ env }) {
      const { output, exitCode, totalBytes } = await env.exec("printf 'a\\000b\\377\\376c'");
      equal(exitCode, 0);
      equal(totalBytes, 6);
      equal(output, "a\0b\uFFFD\uFFFDc");
    },
  },
  {
    name: "runs several lines, here-documents and comments",
    async run({ sh }) {
      equal(
        await sh("# first\nx=1\nif [ $x = 1 ]; then\n  cat <<'EOF'\n$x 'y'\nEOF\nfi"),
        "$x 'y'",
      );
    },
  },
  {
    name: "reports a syntax error and works on",
    async run({ env, sh }) {
      const broken = await env.exec("if then fi (");
      ok(broken.exitCode !== 0);
      match(broken.output, /syntax error/i);
      equal(await sh("echo fine"), "fine");
    },
  },
  {
    name: "shows the command no arguments and nothing of the machinery around it",
    async run({ sh }) {
      equal(await sh("echo $#"), "0");
      match(await sh("set -x; : traced"), /^\++ : traced$/);
    },
  },
  {
    name: "passes every character but NUL through quoting",
    async run({ env }) {
      let text = "";
      for (let code = 1; code < 256; code++) text += String.fromCharCode(code);
      equal((await env.exec(`printf %s ${shellQuote(text)}`)).output, text);
      equal((await env.exec('printf %s "$V"', { env: { V: text } })).output, text);
    },
  },
  {
    name: "refuses a NUL byte with a clear error",
    async run({ env }) {
      await rejects(env.exec("echo a\0b"), (error) => {
        ok(error instanceof EnvironmentError);
        match(error.message, /NUL/);
        return true;
      });
    },
  },
  {
    name: "runs a command of 300 KB",
    async run({ env }) {
      const { output } = await env.exec(`cat <<'EOF' | wc -c\n${"x".repeat(300_000)}\nEOF`);
      equal(output.trim(), "300001");
    },
  },
  {
    name: "gives a command without input the end of it at once",
    async run({ env }) {
      const { exitCode, output } = await env.exec("cat; echo end", { timeoutMs: 20_000 });
      deepEqual([exitCode, output], [0, "end\n"]);
    },
  },
  {
    name: "passes every byte on stdin",
    async run({ env }) {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      const { output } = await env.exec("od -An -v -tu1", { stdin: bytes });
      deepEqual(output.trim().split(/\s+/).map(Number), [...bytes]);
      equal((await env.exec("cat", { stdin: "héllo\n" })).output, "héllo\n");
    },
  },
  {
    name: "passes 5 MB on stdin, and does not mind a command that ignores it",
    async run({ env }) {
      const stdin = new Uint8Array(5 << 20).fill(120);
      equal((await env.exec("wc -c", { stdin })).output.trim(), String(5 << 20));
      equal((await env.exec("true", { stdin })).exitCode, 0);
      equal((await env.exec("head -c 3", { stdin })).output, "xxx");
    },
  },
  {
    name: "keeps head and tail of a long output and says what is missing",
    async run({ env }) {
      const result = await env.exec("seq 1 100000", { maxOutputChars: 1000 });
      equal(result.truncated, true);
      equal(result.totalBytes, 588_895);
      ok(result.output.startsWith("1\n2\n3\n"));
      ok(result.output.endsWith("99999\n100000\n"));
      match(result.output, /TRUNCATED - 587895 chars omitted out of 588895 total/);
      ok(result.output.length < 1200);
      equal((await env.exec("seq 1 100")).truncated, false);
    },
  },
  {
    name: "never cuts a character in half",
    async run({ env }) {
      const { output } = await env.exec("printf '😀%.0s' $(seq 1 1000)", { maxOutputChars: 101 });
      ok(!/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(output));
    },
  },
  {
    name: "shows output while the command runs",
    async run({ env }) {
      const seen: string[] = [];
      let release = () => {};
      const first = new Promise<void>((resolve) => release = resolve);
      const running = env.exec("echo ready; while [ ! -e go ]; do sleep 0.02; done; echo done", {
        onOutput(text) {
          seen.push(text);
          release();
        },
      });
      await first;
      await env.exec("touch go", { taskId: "other" });
      await running;
      equal(seen.join(""), "ready\ndone\n");
      ok(seen.length >= 2);
    },
  },
  {
    name: "runs many commands at once without mixing them",
    async run({ env }) {
      const results = await Promise.all(
        Array.from(
          { length: 20 },
          (_, i) => env.exec(`for k in 1 2 3; do echo task${i}; sleep 0.01; done; exit ${i}`),
        ),
      );
      results.forEach(({ exitCode, output }, i) => {
        equal(exitCode, i);
        equal(output, `task${i}\n`.repeat(3));
      });
    },
  },
];
