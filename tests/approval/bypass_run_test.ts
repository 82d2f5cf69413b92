/** Bypasses that really ran: headless, with all defaults, against files of a throw-away home. */
import assert from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { hermesCommand, testEnv } from "../support/hermes.ts";
import { type Job, withJob } from "../support/run_job.ts";

function call(args: Record<string, unknown>, name = "terminal"): Reply {
  return { toolCalls: [{ name, arguments: args }] };
}

/** What the model read of its calls, in order. */
function results({ model }: Job): Record<string, unknown>[] {
  const messages = model.requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.parse(content));
}

async function survives(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

const BYPASSES = [
  "eval -- rm -rf ~/kept",
  "$SHELL -c 'rm -rf ~/kept'",
  `x='$(rm -rf ~/kept)'; echo "\${x@P}"`,
  "PS4='$(rm -rf ~/kept)'; set -x; :",
  "test -v 'a[$(rm -rf ~/kept)]'",
  "x='a[$(rm -rf ~/kept)]'; echo $((x))",
  "mapfile -C 'rm -rf ~/kept; :' -c 1 a <<< x",
  "hash -p /bin/rm zz; zz -rf ~/kept",
  "/proc/self/exe -c 'rm -rf ~/kept'",
  "printf 'rm -rf ~/kept' > todo; eval \"$(< todo)\"",
  "declare -n r='a[$(rm -rf ~/kept)]'; r=1",
  "env -C ~ rm -rf kept",
];

Deno.test("run lets no bypass delete a file", async () => {
  const replies = [...BYPASSES.map((command) => call({ command })), { text: "over" }];
  await withJob(replies, async (job) => {
    await Deno.mkdir(`${job.home}/kept`);
    await Deno.mkdir(`${job.home}/project`);
    const { code } = await job.run(["--sandbox", "off", "go"], { cwd: `${job.home}/project` });
    assert.equal(code, 0);
    const allowed = results(job).flatMap(({ status }, i) =>
      status === "blocked" ? [] : BYPASSES[i]
    );
    assert.deepEqual(allowed, []);
    assert.ok(await survives(`${job.home}/kept`));
  });
});

Deno.test("run judges a command where it runs: workdir, cd before it, and links", async () => {
  const replies = [
    call({ command: "rm -rf *", workdir: "~" }),
    call({ command: "rm -rf *", workdir: ".." }),
    call({ command: "ln -s ~ link; cd link" }),
    call({ command: "rm -rf *" }),
    call({ command: "rm -rf *", background: true }),
    call({ command: "rm -rf *", workdir: "nowhere" }),
    { text: "over" },
  ];
  await withJob(replies, async (job) => {
    await Deno.mkdir(`${job.home}/project`);
    await Deno.writeTextFile(`${job.home}/kept`, "");
    await job.run(["go"], { cwd: `${job.home}/project` });
    const read = results(job);
    for (const at of [0, 1, 3, 4]) {
      assert.equal(read[at]!.status, "blocked", JSON.stringify(read[at]));
    }
    assert.match(String(read[5]!.error), /Nothing ran/);
    assert.ok(await survives(`${job.home}/kept`));
  });
});

Deno.test("run lets no command change hermes by another name", async () => {
  const main = hermesCommand([]);
  const self = [main.command, ...main.args].join(" ");
  const replies = [
    call({ command: `${self} config set approvals.headless always` }),
    call({ command: `ln -s ${main.command} tool; ./tool hooks approve` }),
    call({ command: "HERMES_HOME=/tmp/other hermes run x" }),
    { text: "over" },
  ];
  await withJob(replies, async (job) => {
    await job.run(["go"]);
    assert.deepEqual(
      results(job).map(({ status }) => status),
      // A link to the runtime is not hermes; what it is asked to do is.
      ["blocked", "blocked", "blocked"],
    );
    assert.equal(await survives(`${job.home}/.hermes/config.yaml`), false);
  });
});

Deno.test("hermes refuses to be changed by a command of a session", async () => {
  await withJob([], async (job) => {
    const env = { HERMES_EXEC: "marker" };
    const refused = await job.hermes(["config", "set", "approvals.headless", "always"], { env });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /may not change hermes/);
    const looked = await job.hermes(["config", "get", "approvals.headless"], { env });
    assert.equal(looked.stdout, "never\n");
  });
});

/** Root enters every directory, unless it gives that power away. */
const WITHOUT_POWERS = ["--bounding-set", "-all", "--inh-caps", "-all"];

Deno.test("run -C with a directory that cannot be entered is refused", async () => {
  await withJob([call({ command: "rm -f kept" }), { text: "over" }], async (job) => {
    const locked = `${job.home}/locked`;
    await Deno.mkdir(locked);
    await Deno.writeTextFile(`${job.home}/kept`, "");
    await Deno.chmod(locked, 0);
    const { command, args } = hermesCommand([
      ...["run", "-C", locked, "--base-url", job.model.url, "--model", "m", "go"],
    ]);
    const [program, ...rest] = Deno.uid() === 0
      ? ["setpriv", ...WITHOUT_POWERS, command, ...args]
      : [command, ...args];
    let output: Deno.CommandOutput;
    try {
      output = await new Deno.Command(program!, {
        args: rest,
        cwd: job.home,
        env: testEnv(job.home),
        clearEnv: true,
      }).output();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      console.log("skipped: root enters every directory, and there is no setpriv to prevent it");
      return;
    } finally {
      await Deno.chmod(locked, 0o700);
    }
    assert.equal(output.code, 2);
    assert.match(new TextDecoder().decode(output.stderr), /-C \(--cwd\) cannot be entered/);
    assert.equal(job.model.requests.length, 0);
    assert.ok(await survives(`${job.home}/kept`));
  });
});

Deno.test("run runs nothing once its directory is gone", async () => {
  const replies = [
    call({ command: "rmdir ../project" }),
    call({ command: "rm -f ../kept kept" }),
    call({ command: "rm -f kept", pty: true }),
    { text: "over" },
  ];
  await withJob(replies, async (job) => {
    await Deno.mkdir(`${job.home}/project`);
    await Deno.writeTextFile(`${job.home}/kept`, "");
    await job.run(["--sandbox", "off", "-C", `${job.home}/project`, "go"]);
    const [gone, ...after] = results(job);
    assert.equal(gone!.exit_code, 0);
    for (const { error } of after) assert.match(String(error), /Nothing ran/);
    assert.ok(await survives(`${job.home}/kept`));
  });
});
