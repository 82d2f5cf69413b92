/** Conformance of what stays between commands: directory, exports, tasks. */
import { equal, match, notEqual, ok } from "node:assert/strict";
import { shellQuote } from "../../src/util/shell_quote.ts";
import type { EnvironmentCase } from "./environment_suite.ts";

export const STATE_CASES: readonly EnvironmentCase[] = [
  {
    name: "keeps the working directory between commands",
    async run({ env, dir, sh }) {
      equal(env.cwd(), dir);
      equal(await sh("pwd"), dir);
      const moved = await env.exec("mkdir -p a/b && cd a/b");
      equal(moved.cwd, `${dir}/a/b`);
      equal(env.cwd(), `${dir}/a/b`);
      equal(await sh("pwd"), `${dir}/a/b`);
      equal(await sh("cd - >/dev/null; pwd"), dir);
    },
  },
  {
    name: "runs one command elsewhere without moving",
    async run({ env, dir, sh }) {
      await sh("mkdir sub");
      const there = await env.exec("pwd; export FROM_SUB=yes", { cwd: `${dir}/sub` });
      equal(there.output, `${dir}/sub\n`);
      equal(there.cwd, dir);
      equal(await sh("pwd; echo $FROM_SUB"), `${dir}\nyes`);
      equal((await env.exec("pwd", { cwd: "sub" })).output, `${dir}/sub\n`);
    },
  },
  {
    name: "ends with 126 when the directory asked for is missing",
    async run({ env, dir }) {
      const result = await env.exec("echo ran", { cwd: `${dir}/nowhere` });
      equal(result.exitCode, 126);
      match(result.output, /nowhere/);
      ok(!result.output.includes("ran"));
    },
  },
  {
    name: "runs nothing when the session's directory is gone, and says so",
    async run({ env, dir, sh }) {
      await sh("mkdir -p x/y && touch x/kept && cd x/y");
      await env.exec(`rm -rf ${shellQuote(`${dir}/x/y`)}`, { taskId: "other" });
      const result = await env.exec("rm -f kept; cd ..; rm -f kept; echo ran");
      equal(result.exitCode, 126);
      match(result.output, /cannot enter .*not run/);
      ok(!result.output.includes("\nran\n"));
      equal(env.cwd(), `${dir}/x/y`);
      // It goes on where it was once the directory is back.
      await env.exec("mkdir y; ls", { cwd: `${dir}/x` });
      equal(await sh("pwd; ls .."), `${dir}/x/y\nkept\ny`);
    },
  },
  {
    name: "keeps a directory reached through a symbolic link as it was named",
    async run({ dir, sh }) {
      await sh("mkdir real && ln -s real link && cd link");
      equal(await sh("pwd"), `${dir}/link`);
      equal(await sh("cd ..; pwd"), dir);
    },
  },
  {
    name: "enters directories with any name",
    async run({ env, dir, sh }) {
      for (
        const name of ["with space", "quo'te\"s", "日本", "-dash", "$HOME", "a\nb", "back\\slash"]
      ) {
        const path = `${dir}/${name}`;
        await env.exec(`mkdir -- ${shellQuote(path)} && cd -- ${shellQuote(path)}`);
        equal(env.cwd(), path);
        equal(await sh("pwd"), path);
      }
    },
  },
  {
    name: "keeps exports, and only exports",
    async run({ sh }) {
      await sh("export KEPT=1; LOST=2");
      equal(await sh("echo ${KEPT-gone} ${LOST-gone}"), "1 gone");
      await sh("unset KEPT");
      equal(await sh("echo ${KEPT-gone}"), "gone");
    },
  },
  {
    name: "keeps exports with any value",
    async run({ env, sh }) {
      const value = "line 1\nline 2\t'single' \"double\" $dollar `tick` \\back 日本 \x01\x7f";
      await env.exec('export ODD="$(cat; echo .)"; ODD=${ODD%.}', { stdin: value });
      equal((await env.exec('printf %s "$ODD"')).output, value);
      equal((await env.exec('printf %s "$ODD"')).output, value);
      await sh("export EMPTY=");
      equal(await sh("echo ${EMPTY-unset}."), ".");
    },
  },
  {
    name: "keeps a changed PATH and lets an inherited variable be removed",
    async run({ sh }) {
      await sh(
        "mkdir bin; printf '#!/bin/sh\\necho tool\\n' >bin/hermes-tool; chmod +x bin/hermes-tool",
      );
      await sh('export PATH="$PWD/bin:$PATH"; unset HOME');
      equal(await sh("hermes-tool; echo ${HOME-none}"), "tool\nnone");
    },
  },
  {
    name: "keeps exported functions where the shell is bash",
    async run({ sh }) {
      if (await sh("echo ${BASH_VERSION-}") === "") return;
      await sh('greet() { echo "hello $1"; }; export -f greet');
      equal(await sh("greet you"), "hello you");
    },
  },
  {
    name: "does not keep shell options",
    async run({ env, sh }) {
      equal((await env.exec("set -eux; false; echo not here")).exitCode, 1);
      equal(await sh("false; echo ${UNSET_VARIABLE}still"), "still");
      await env.exec("set -C -f");
      equal(await sh("echo 1 >f; echo 2 >f; cat f; cd /; echo etc*"), "2\netc");
    },
  },
  {
    name: "keeps state when the command exits in the middle",
    async run({ env, dir, sh }) {
      equal((await env.exec("mkdir d; cd d; export MID=1; exit 9; echo never")).exitCode, 9);
      equal(await sh("echo $MID; pwd"), `1\n${dir}/d`);
    },
  },
  {
    name: "lets a command have its own exit trap, and be replaced by exec",
    async run({ env, sh }) {
      const trapped = await env.exec("trap 'echo bye' EXIT; echo hi; exit 3");
      equal(trapped.exitCode, 3);
      equal(trapped.output, "hi\nbye\n");
      const replaced = await env.exec("export BEFORE=1; exec sh -c 'echo new; exit 4'");
      equal(replaced.exitCode, 4);
      equal(replaced.output, "new\n");
      equal(await sh("echo works"), "works");
    },
  },
  {
    name: "gives one command extra variables and takes them back",
    async run({ env, sh }) {
      const first = await env.exec("echo $EXTRA; env | grep -c '^EXTRA='", {
        env: { EXTRA: "a b" },
      });
      equal(first.output, "a b\n1\n");
      equal(await sh("echo ${EXTRA-gone}"), "gone");
      await sh("export MINE=original");
      const over = await env.exec("echo $MINE; MINE=changed", { env: { MINE: "over" } });
      equal(over.output, "over\n");
      equal(await sh("echo $MINE"), "original");
      equal(await sh("env | grep -c HERMES_VALUE || true"), "0");
    },
  },
  {
    name: "keeps tasks apart",
    async run({ env, dir }) {
      await env.exec("mkdir one; cd one; export WHO=one", { taskId: "one" });
      await env.exec("mkdir two; cd two; export WHO=two", { taskId: "two" });
      const [one, two] = await Promise.all([
        env.exec("sleep 0.05; pwd; echo $WHO", { taskId: "one" }),
        env.exec("pwd; echo $WHO", { taskId: "two" }),
      ]);
      equal(one.output, `${dir}/one\none\n`);
      equal(two.output, `${dir}/two\ntwo\n`);
      equal(env.cwd("one"), `${dir}/one`);
      equal(env.cwd(), dir);
      notEqual(env.resolve("f", "one"), env.resolve("f", "two"));
    },
  },
  {
    name: "keeps a whole state through many overlapping commands of one task",
    async run({ env, sh }) {
      await sh("export BASE=kept");
      for (let round = 0; round < 3; round++) {
        await Promise.all(
          Array.from({ length: 8 }, (_, i) => env.exec(`export R${i}=${round}; sleep 0.0${i}`)),
        );
      }
      equal(await sh("echo $BASE"), "kept");
    },
  },
];
