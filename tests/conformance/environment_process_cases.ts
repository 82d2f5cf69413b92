/** Conformance of background processes and pseudo-terminals. */
import { equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { ToolError } from "../../src/protocol/error.ts";
import { withEnoughTime } from "../support/enough_time.ts";
import {
  countProcesses,
  type EnvironmentCase,
  uniqueNap,
  untilEnd,
  untilOutput,
} from "./environment_suite.ts";

export const PROCESS_CASES: readonly EnvironmentCase[] = [
  {
    name: "runs a background process to its end",
    async run({ env }) {
      const process = await env.spawn("echo out; echo err >&2; exit 5");
      ok(process.pid > 0);
      ok(Math.abs(Date.now() - process.startedAt) < 60_000);
      equal(await process.exited, 5);
      equal(process.exitCode, 5);
      equal(process.output().text, "out\nerr\n");
      equal(process.output().totalBytes, 8);
      equal(process.output().droppedBytes, 0);
    },
  },
  {
    name: "starts it where the task is, with its exports, and changes neither",
    async run({ env, dir, sh }) {
      await sh("mkdir d; cd d; export SEEN=yes");
      const process = await env.spawn("pwd; echo $SEEN $OWN; cd /; export SEEN=no", {
        env: { OWN: "own" },
      });
      await process.exited;
      equal(process.output().text, `${dir}/d\nyes own\n`);
      equal(await sh("pwd; echo $SEEN ${OWN-none}"), `${dir}/d\nyes none`);
      const elsewhere = await env.spawn("pwd", { cwd: dir });
      await elsewhere.exited;
      equal(elsewhere.output().text, `${dir}\n`);
    },
  },
  {
    name: "lets commands run beside it",
    async run({ env, sh }) {
      const process = await env.spawn(
        "echo up; while [ ! -e stop ]; do sleep 0.02; done; echo down",
      );
      await untilOutput(process, "up");
      equal(process.exitCode, undefined);
      equal(await sh("touch stop; echo here"), "here");
      equal(await process.exited, 0);
      equal(process.output().text, "up\ndown\n");
    },
  },
  {
    name: "takes input and the end of it",
    async run({ env }) {
      const process = await env.spawn('read line; echo "got $line"; cat; echo end');
      await process.write("first\n");
      await untilOutput(process, "got first");
      await process.write(new TextEncoder().encode("sécond\n"));
      await process.closeStdin();
      await process.closeStdin();
      equal(await process.exited, 0);
      equal(process.output().text, "got first\nsécond\nend\n");
    },
  },
  {
    name: "says clearly that an ended process takes no input",
    async run({ env }) {
      const process = await env.spawn("true");
      await process.exited;
      await rejects(process.write("x"), (error) => {
        ok(error instanceof ToolError);
        match(error.message, /no more input/);
        return true;
      });
    },
  },
  {
    name: "kills it with everything it started, and twice does no harm",
    async run({ env }) {
      const nap = uniqueNap();
      const process = await env.spawn(`setsid sleep ${nap} & sleep ${nap} & echo up; sleep ${nap}`);
      await untilOutput(process, "up");
      await process.kill();
      notEqual(process.exitCode, 0);
      notEqual(process.exitCode, undefined);
      await process.kill();
      equal(await countProcesses(env, nap), 0);
    },
  },
  {
    name: "keeps the last 200 000 characters of an endless output",
    async run({ env }) {
      const process = await env.spawn("seq 1 1000000");
      await process.exited;
      const { text, droppedBytes, totalBytes } = process.output();
      equal(totalBytes, 6_888_896);
      ok(text.endsWith("999999\n1000000\n"));
      equal(text.length, 200_000);
      equal(droppedBytes, totalBytes - 200_000);
    },
  },
  {
    name: "tells listeners of new output until they stop listening",
    async run({ env }) {
      const process = await env.spawn("read a; echo one; read b; echo two; read c");
      const heard: string[] = [];
      const stop = process.onOutput((text) => heard.push(text));
      await process.write("\n");
      await untilOutput(process, "one");
      stop();
      await process.write("\n");
      await untilOutput(process, "two");
      await process.write("\n");
      await process.exited;
      equal(heard.join(""), "one\n");
    },
  },
  {
    name: "runs 40 background processes at once",
    async run({ env }) {
      const all = await Promise.all(
        Array.from({ length: 40 }, (_, i) => env.spawn(`read x; echo ${i}; exit ${i}`)),
      );
      await Promise.all(all.map((process) => process.write("go\n")));
      const codes = await Promise.all(all.map((process) => process.exited));
      codes.forEach((code, i) => equal(code, i));
      all.forEach((process, i) => equal(process.output().text, `${i}\n`));
    },
  },
  {
    name: "runs a command on a pseudo-terminal",
    async run({ env, sh }) {
      const result = await env.exec("test -t 0 && test -t 1 && test -t 2 && stty size; exit 6", {
        pty: true,
      });
      equal(result.exitCode, 6);
      equal(result.output, "40 120\r\n");
      await env.exec("export FROM_PTY=1", { pty: true });
      equal(await sh("echo $FROM_PTY"), "1");
      equal((await env.exec("test -t 1")).exitCode, 1);
    },
  },
  {
    name: "types stdin into a pseudo-terminal",
    async run({ env }) {
      const { output } = await env.exec('read name; echo "hi $name"', {
        pty: true,
        stdin: "hermes\n",
      });
      match(output, /hi hermes\r\n$/);
    },
  },
  {
    name: "ends a command on a pseudo-terminal after its timeout",
    async run({ env }) {
      const { result } = await withEnoughTime({
        timeoutMs: 300,
        run: (timeoutMs) => env.exec("echo up; sleep 1233.2", { pty: true, timeoutMs }),
        hasBegun: ({ output }) => output !== "",
      });
      equal(result.exitCode, 124);
      equal(result.output, "up\r\n");
    },
  },
  {
    name: "talks to an interactive program: input, Ctrl-C, size, end of input",
    async run({ env }) {
      const process = await env.spawn("sh -i", {
        pty: true,
        size: { columns: 90, rows: 30 },
        env: { PS1: "ready> ", ENV: "" },
      });
      await untilOutput(process, "ready> ");
      await process.write("echo $((6*7)); stty size\n");
      await untilOutput(process, "42");
      await untilOutput(process, "30 90");
      process.resize({ columns: 100, rows: 50 });
      // A client program passes the size on in its own time.
      await process.write(
        `until [ "$(stty size)" = "50 100" ]; do sleep 0.05; done; echo gro''wn\n`,
      );
      await untilOutput(process, "grown\r");
      // The sleeper says itself that it runs: before that, Ctrl-C would reach the shell alone.
      await process.write("sh -c 'echo slee\"\"ping; exec sleep 1233'\n");
      await untilOutput(process, "sleeping\r");
      await process.write("\x03");
      await process.write("echo awa''ke\n");
      // At its prompt: the end of the input that comes while a shell prepares to read is lost.
      await untilOutput(process, "awake\r\nready> ");
      await process.closeStdin();
      await untilEnd(process);
    },
  },
  {
    name: "kills an interactive program that ignores SIGTERM",
    async run({ env }) {
      const process = await env.spawn("sh -i", { pty: true, env: { PS1: "ready> ", ENV: "" } });
      await untilOutput(process, "ready> ");
      await process.kill();
      notEqual(process.exitCode, undefined);
    },
  },
];
