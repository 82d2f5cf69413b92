/** Commands of the local environment behind real walls: every way in which they run. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { uniqueNap, untilOutput } from "../../tests/conformance/environment_suite.ts";
import { type WalledHome, withWalledHome } from "../../tests/support/walled_environment.ts";
import type { Environment } from "../../src/protocol/environment.ts";
import type { SessionWalls } from "../../src/session/session_walls.ts";
import { MARKER_VARIABLE } from "../../src/process/marker.ts";
import { exists } from "../../src/util/exists.ts";
import type { LocalOptions } from "./local_environment.ts";
import { onLinux } from "../../tests/support/linux.ts";

interface World extends WalledHome {
  shell: Environment;
  wall: SessionWalls;
}

/** Runs `body` with an environment behind walls, which is closed. */
function walledTest(
  name: string,
  body: (world: World) => Promise<void>,
  options: Partial<LocalOptions> = {},
): void {
  Deno.test({
    ...onLinux(name),
    fn: () =>
      withWalledHome(async (at) => {
        const wall = at.walls();
        const shell = at.environment(wall, options);
        try {
          await body({ ...at, shell, wall });
        } finally {
          await shell.close();
        }
      }),
  });
}

/** `2` behind walls, `0` outside. */
const SECCOMP = "sed -n 's/^Seccomp:.//p' /proc/self/status";

/** Leaves a state that makes files. Where a command leaves its state is in its own trap. */
const FORGE = [
  "out=$(trap -p EXIT | grep -o '/[^ ]*/state/[0-9]*' | head -1)",
  "trap - EXIT",
  `printf 'touch ~/forged %s/forged\\nreturn 0\\n%s\\n#hermes-end %s\\n' "$PWD" "$PWD" "$MARKER" > $out`,
].join("; ").replace("$MARKER", `$${MARKER_VARIABLE}`);

async function say(shell: Environment, command: string, options = {}): Promise<string> {
  return (await shell.exec(command, options)).output;
}

/** How many processes have this word on their command line. */
async function processesWith(word: string): Promise<number> {
  let count = 0;
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    // Of a shell that runs one: only the programs themselves count.
    if (line.split("\0").includes(word)) count++;
  }
  return count;
}

async function privateDir(temporary: string): Promise<string | undefined> {
  for await (const { name } of Deno.readDir(temporary)) return `${temporary}/${name}`;
  return undefined;
}

walledTest(
  "exec() changes the work, and what the walls stopped is told with the result",
  async ({ shell, home, project }) => {
    const inside = await shell.exec(`${SECCOMP}; echo x > made; cat made`);
    deepEqual([inside.output, inside.notes], ["2\nx\n", undefined]);
    equal(await Deno.readTextFile(`${project}/made`), "x\n");
    const stopped = await shell.exec("cd sub 2>/dev/null; echo x > ../made");
    equal(stopped.exitCode, 1);
    match(
      stopped.notes!.join(),
      /^The sandbox \(workspace-write\) closes \/\S+\/home\/made \(read-only\)/,
    );
    const hidden = await shell.exec("cat ~/.ssh/id");
    ok(!hidden.output.includes("zq-secret"));
    match(hidden.notes!.join(), /\.ssh\/id \(hidden\)/);
    equal((await shell.exec("ls /nowhere")).notes, undefined);
    await Deno.mkdir(`${home}/project/deep/er`, { recursive: true });
    const relative = await shell.exec("echo x > ../../../made", { cwd: "deep/er" });
    match(relative.notes!.join(), /\/home\/made \(read-only\)/, "from where the command began");
  },
);

walledTest(
  "exec() keeps exports and directory, and its shells started ahead are behind the walls",
  async ({ shell, project }) => {
    equal(await say(shell, "export A=1; mkdir -p sub; cd sub"), "");
    for (let i = 2; i < 5; i++) {
      // The shell that waited reads its command from a pipe.
      const output = await say(
        shell,
        `${SECCOMP}; echo $A; pwd; export A=${i}; tr '\\0' ' ' < /proc/$$/cmdline; echo`,
      );
      const [mode, value, cwd, line] = output.split("\n");
      deepEqual([mode, value, cwd], ["2", String(i - 1), `${project}/sub`]);
      match(line!, /read -r REPLY/, "the shell was started ahead");
    }
  },
);

walledTest(
  "exec() gives commands temporary files of their own and the walls' variables",
  async ({ shell, temporary }) => {
    const output = await say(
      shell,
      "echo $TMPDIR; echo x > $TMPDIR/x; stat -c %a $TMPDIR; mktemp | grep -c $TMPDIR; echo $GIT_CONFIG_VALUE_0",
    );
    const [directory, mode, made, hooks] = output.split("\n");
    equal(directory, `${await privateDir(temporary)}/tmp`);
    deepEqual([mode, made, hooks], ["700", "1", "/dev/null"]);
    const names = await say(shell, `ls -A ${await privateDir(temporary)}`);
    equal(names, "given\nstate\ntmp\n", "nothing else of the private directory is there");
    match(
      await say(shell, "echo x > $TMPDIR/../given/x"),
      /Read-only file system|Permission denied/,
    );
  },
);

walledTest(
  "spawn() runs behind the walls, and its end is told once, with the next command",
  async ({ shell, project }) => {
    const process = await shell.spawn(
      `${SECCOMP}; echo changed > AGENTS.md; read line; echo got $line`,
    );
    await untilOutput(process, "2");
    await process.write("input\n");
    equal(await process.exited, 0);
    match(process.output().text, /^2\ngot input\n$/);
    const next = await shell.exec("cat AGENTS.md");
    equal(next.output, "rules\n");
    equal(next.notes?.length, 1);
    match(next.notes!.join(), /AGENTS\.md/);
    equal((await shell.exec("true")).notes, undefined, "told once");
    equal(await Deno.readTextFile(`${project}/AGENTS.md`), "rules\n");
  },
);

walledTest(
  "a terminal behind the walls has a name, jobs, signals and a size",
  async ({ shell }) => {
    const output = await say(
      shell,
      `${SECCOMP}; tty; stty size; test -t 0 && echo x > /dev/tty; echo y > /dev/stderr; ls -1 /dev/pts`,
      { pty: true },
    );
    match(output, /^2\r\n\/dev\/pts\/0\r\n40 120\r\nx\r\ny\r\n0\r\nptmx\r\n$/);
    const jobs = await say(
      shell,
      "set -m; sleep 30 & jobs; fg > /dev/null & kill %1; wait 2>/dev/null; echo done",
      { pty: true },
    );
    match(jobs, /Running[\s\S]*done/);
    const size = { columns: 90, rows: 30 };
    const process = await shell.spawn(
      "trap 'echo caught; stty size; exit 3' INT; stty size; echo ready; while :; do sleep 0.05; done",
      { pty: true, size },
    );
    await untilOutput(process, "ready");
    match(process.output().text, /^30 90\r\n/);
    process.resize({ columns: 100, rows: 25 });
    await process.write("\x03");
    equal(await process.exited, 3);
    match(process.output().text, /caught\r\n25 100\r\n$/);
  },
);

walledTest(
  "a command outside the walls gets nothing of those inside, and leaves them nothing",
  async ({ shell, env, temporary }) => {
    const plant = [
      "export A=1 PATH=$PWD/evil:$PATH LD_PRELOAD=",
      "ls() { echo hijacked; }",
      "export -f ls",
    ].join("; ");
    await say(shell, plant);
    const out = await shell.exec(
      `${SECCOMP}; echo \${A-none} $PATH $TMPDIR; ls -d /; export B=2; cd /`,
      { outside: true },
    );
    equal(out.output, `0\nnone ${env.PATH} ${temporary}\n/\n`);
    equal(out.notes, undefined);
    equal(
      await say(shell, `${SECCOMP}; echo $A \${B-none} $TMPDIR; pwd | grep -c project; ls`),
      `2\n1 none ${await privateDir(temporary)}/tmp\n1\nhijacked\n`,
    );
    const background = await shell.spawn(`${SECCOMP}; echo \${A-none}`, { outside: true });
    await background.exited;
    equal(background.output().text, "0\nnone\n");
  },
);

walledTest(
  "a state that a command forged runs inside, and never outside",
  async ({ shell, home, project, choice, wall }) => {
    await say(shell, FORGE);
    await say(shell, "true");
    ok(await exists(`${project}/forged`), "inside it runs, which is no more than a command may do");
    await say(shell, FORGE);
    await shell.exec("true", { outside: true });
    choice.sandbox = "off";
    await wall.discard();
    equal(await say(shell, SECCOMP), "0\n");
    await shell.exec("true");
    choice.sandbox = undefined;
    await wall.discard();
    equal(await say(shell, SECCOMP), "2\n");
    ok(!await exists(`${home}/forged`));
  },
);

walledTest(
  "what is started ahead without walls never runs what was left behind them",
  async ({ shell, choice, wall, home, project }) => {
    choice.sandbox = "off";
    await say(shell, "export A=1");
    await say(shell, "true");
    choice.sandbox = undefined;
    await wall.discard();
    // On a terminal no waiting shell is used, and it must not take the next state either.
    equal(await say(shell, `${SECCOMP}; echo $A; ${FORGE}`, { pty: true }), "2\r\n1\r\n");
    for (let i = 0; i < 3; i++) equal(await say(shell, SECCOMP), "2\n");
    ok(await exists(`${project}/forged`));
    ok(!await exists(`${home}/forged`));
  },
);

walledTest(
  "other walls hold from the next command on, with other variables",
  async ({ shell, choice, wall, temporary, env }) => {
    choice.network = "a.example";
    await say(shell, "export A=1");
    match(await say(shell, "echo $HTTPS_PROXY"), /^http:\/\/\S+@127\.0\.0\.1:\d+/);
    const first = await say(shell, "echo $HTTPS_PROXY");
    choice.network = "b.example";
    await wall.discard();
    const second = await say(shell, "echo $HTTPS_PROXY");
    ok(second !== first && second.startsWith("http://"));
    choice.network = "on";
    choice.sandbox = "read-only";
    await wall.discard();
    match(
      await say(shell, "echo ${HTTPS_PROXY-none} $A $TMPDIR; echo x > made"),
      /^none 1 \S+\/tmp\n.*Read-only/,
    );
    choice.sandbox = "off";
    await wall.discard();
    equal(
      await say(shell, `${SECCOMP}; echo \${HTTPS_PROXY-none} \${A-none} $TMPDIR`),
      `0\nnone none ${temporary}\n`,
    );
    equal(await say(shell, "echo $PATH; export C=3"), `${env.PATH}\n`);
    choice.sandbox = "workspace-write";
    await wall.discard();
    match(await say(shell, "echo $C $TMPDIR; echo x > made && cat made"), /^3 \S+\/tmp\nx\n$/);
  },
);

walledTest(
  "a background command keeps its walls when others have replaced them",
  async ({ shell, choice, wall, home }) => {
    const process = await shell.spawn(
      `echo ready; read go; ${SECCOMP}; echo x > made; cat ~/.ssh/id`,
    );
    await untilOutput(process, "ready");
    choice.sandbox = "read-only";
    await wall.discard();
    match(await say(shell, "echo x > other"), /Read-only|denied/);
    await process.write("\n");
    await process.exited;
    match(process.output().text, /^ready\n2\n[^\n]*(?:No such file|denied)/);
    equal(await Deno.readTextFile(`${home}/project/made`), "x\n");
  },
);

walledTest(
  "exec() without a memory begins anew behind the walls each time",
  async ({ shell, temporary }) => {
    await say(shell, "export A=1; cd /");
    equal(
      await say(shell, `${SECCOMP}; echo \${A-none} $TMPDIR; pwd | grep -c project`),
      `2\nnone ${await privateDir(temporary)}/tmp\n1\n`,
    );
  },
  { persistent: false },
);

walledTest(
  "exec() starts over behind new walls when its directory has gone",
  async ({ shell, temporary }) => {
    await say(shell, "export A=1");
    for await (const { name } of Deno.readDir(temporary)) {
      await Deno.remove(`${temporary}/${name}`, { recursive: true });
    }
    equal(
      await say(
        shell,
        `${SECCOMP}; echo \${A-gone}; echo x > $TMPDIR/x && cat $TMPDIR/x; export A=2`,
      ),
      "2\ngone\nx\n",
    );
    equal(await say(shell, "echo $A"), "2\n");
  },
);

walledTest(
  "a script too long for an argument is read behind the walls and outside",
  async ({ shell }) => {
    const long = `${SECCOMP}; : ${"x".repeat(200_000)}; echo $A`;
    await say(shell, "export A=1");
    equal(await say(shell, long), "2\n1\n");
    equal(await say(shell, long, { outside: true }), "0\n\n");
    equal(await say(shell, long, { env: { A: "3" } }), "2\n3\n");
  },
);

Deno.test({
  ...onLinux("start-up files are read, and the walls' variables win over theirs"),
  fn: () =>
    withWalledHome(async (at) => {
      await Deno.writeTextFile(
        `${at.home}/rc`,
        "export FROM_RC=1 TMPDIR=/nowhere\nhi() { echo hi; }\n",
      );
      const shell = at.environment(at.walls(), { initFiles: [`${at.home}/rc`] });
      try {
        for (let i = 0; i < 3; i++) {
          match(await say(shell, `${SECCOMP}; hi; echo $FROM_RC $TMPDIR`), /^2\nhi\n1 \S+\/tmp\n$/);
        }
        match(
          await say(shell, "echo 'hi() { touch ~/x; }' > $TMPDIR/../given/functions"),
          /Read-only|denied/,
        );
        equal(
          await say(shell, `${SECCOMP}; hi; echo $TMPDIR`, { outside: true }),
          "0\nhi\n/nowhere\n",
        );
      } finally {
        await shell.close();
      }
    }),
});

Deno.test({
  ...onLinux("the password for sudo is not there behind the walls, and outside it is out of reach"),
  fn: () =>
    withWalledHome(async (at) => {
      const { home, env, temporary } = at;
      await Deno.mkdir(`${home}/bin`);
      // Asks as the real one does, and shows what it was told.
      const lines = ["#!/bin/sh", 'echo "asked: $("$SUDO_ASKPASS" 2>/dev/null)"', "read go", ""];
      await Deno.writeTextFile(`${home}/bin/sudo`, lines.join("\n"), { mode: 0o755 });
      const shell = at.environment(at.walls(), {
        env: { ...env, PATH: `${home}/bin:${env.PATH}` },
        sudoPassword: "zq-password",
      });
      try {
        equal(await say(shell, "sudo true < /dev/null"), "asked: \n");
        const own = await privateDir(temporary);
        const spy = await shell.spawn(
          `echo ready; read go; ls -A ${own} ${own}/sudo-*; cat ${own}/sudo-*/pipe; echo over`,
        );
        await untilOutput(spy, "ready");
        const outside = await shell.spawn("sudo true", { outside: true });
        await untilOutput(outside, "asked: zq-password");
        await spy.write("\n");
        await spy.exited;
        match(spy.output().text, /given\nstate\ntmp\n[\s\S]*over\n$/);
        ok(!spy.output().text.includes("zq-password"), spy.output().text);
        await outside.write("\n");
        equal(await outside.exited, 0);
      } finally {
        await shell.close();
      }
    }),
});

walledTest(
  "time limits, kills and the end leave no process behind the walls",
  async ({ shell, wall, temporary }) => {
    const nap = uniqueNap();
    const late = await shell.exec(
      `sleep ${nap} & setsid sleep ${nap} & (trap '' TERM; sleep ${nap}) & sleep ${nap}`,
      { timeoutMs: 300 },
    );
    equal(late.timedOut, true);
    equal(await processesWith(nap), 0);
    const background = await shell.spawn(`sleep ${nap} & setsid sleep ${nap} & echo ready; wait`);
    await untilOutput(background, "ready");
    await background.kill();
    equal(await processesWith(nap), 0);
    const abort = new AbortController();
    const running = shell.exec(`echo ready; setsid sleep ${nap} & sleep ${nap}`, {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    equal((await running).interrupted, true);
    equal(await processesWith(nap), 0);
    await shell.spawn(`setsid sleep ${nap} & sleep ${nap}`);
    await shell.close();
    equal(await processesWith(nap), 0);
    equal(wall.standing, undefined);
    equal(await privateDir(temporary), undefined, "no directory");
  },
);
