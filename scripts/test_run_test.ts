import assert from "node:assert/strict";
import { linuxTest } from "../tests/support/linux.ts";
import { ROOT } from "./_tree.ts";
import type { GroupName } from "./test_groups.ts";
import { TEST_LIMIT_MS } from "./test_limits.ts";
import { loopbackNetwork } from "./test_network.ts";

interface Fixture {
  group: GroupName;
  /** The test file. */
  source: string;
  /** The limit of one test. */
  testMs?: number;
  groupMs?: number;
}

/** Runs a test file through the runner, in a process of its own: all that it says. */
async function runFixture(directory: string, fixture: Fixture): Promise<string> {
  const file = `${directory}/fixture_test.ts`;
  await Deno.writeTextFile(file, fixture.source);
  const plan = {
    args: ["--no-check"],
    groups: [{ name: fixture.group, files: [file] }],
    isWhole: false,
  };
  const program = `import { runTests } from "./scripts/test_run.ts";
    const groupMs = ${fixture.groupMs ?? 60_000};
    const { code, summary } = await runTests(${JSON.stringify(plan)}, { groupMs });
    console.log("exit", code, JSON.stringify(summary));`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    cwd: ROOT,
    env: { [TEST_LIMIT_MS]: `${fixture.testMs ?? 60_000}`, NO_COLOR: "1", A_SECRET: "not theirs" },
  }).output();
  const decoder = new TextDecoder();
  return decoder.decode(stdout) + decoder.decode(stderr);
}

/** True when the process has ended; its parent may not have asked for its status yet. */
async function isGone(pid: string): Promise<boolean> {
  try {
    return /\) Z /.test(await Deno.readTextFile(`/proc/${pid}/stat`));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}

/** 192.0.2.1 is for documents only: no machine has it. */
const REACHES_OUT = `
Deno.test("reaches out", async () => {
  const say = (error) => console.log("refused:", error.name, error.message);
  await Deno.connect({ hostname: "192.0.2.1", port: 9 }).catch(say);
  await import("https://192.0.2.1/mod.ts").catch(say);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  (await Deno.connect({ hostname: "localhost", port: listener.addr.port })).close();
  (await listener.accept()).close();
  console.log("secret:", Deno.env.get("A_SECRET"));
});`;

for (const group of ["plain", "programs"] as const) {
  linuxTest(`a test of group ${group} has loopback and no other network`, async (directory) => {
    const said = await runFixture(directory, { group, source: REACHES_OUT });
    assert.match(said, /refused: NotCapable Requires net access to "192\.0\.2\.1:9"/);
    assert.match(said, /refused: \S+ Requires import access to "192\.0\.2\.1:443"/);
    assert.match(said, /secret: undefined/);
    assert.match(said, /exit 0 \{"passed":1,"failed":0\}/);
  });
}

linuxTest(
  "a test of group plain starts no program and writes in the run's directory alone",
  async (directory) => {
    const said = await runFixture(directory, {
      group: "plain",
      source: `Deno.test("tries", async () => {
      const say = (error) => console.log("refused:", error.message);
      await Deno.writeTextFile("${directory}/mark", "").catch(say);
      await Deno.readTextFile("/etc/passwd").catch(say);
      try { new Deno.Command("true").outputSync(); } catch (error) { say(error); }
      await Deno.writeTextFile(await Deno.makeTempFile(), "");
    });`,
    });
    assert.ok(said.includes(`refused: Requires write access to "${directory}/mark"`), said);
    assert.match(said, /refused: Requires read access to "\/etc\/passwd"/);
    assert.match(said, /refused: Requires run access to "true"/);
    assert.match(said, /exit 0/);
  },
);

const { reason } = await loopbackNetwork();
const NO_WAY = "programs that a test starts have loopback and no other network";
if (reason !== undefined) {
  Deno.test({ name: `${NO_WAY} NOT TESTED HERE: ${reason}`, ignore: true, fn() {} });
} else {
  linuxTest(NO_WAY, async (directory) => {
    const said = await runFixture(directory, {
      group: "system",
      source: `${REACHES_OUT}
      Deno.test("starts a program", async () => {
        const script = "exec 3<>/dev/tcp/192.0.2.1/9";
        const { stderr } = await new Deno.Command("bash", { args: ["-c", script] }).output();
        console.log(new TextDecoder().decode(stderr));
      });`,
    });
    assert.match(said, /refused: \S+ Network is unreachable/);
    assert.match(said, /192\.0\.2\.1\/9: Network is unreachable/);
    assert.match(said, /exit 0 \{"passed":2,"failed":0\}/);
  });
}

linuxTest(
  "a test that hangs is named and ended with its programs, and the others go on",
  async (directory) => {
    const said = await runFixture(directory, {
      group: "programs",
      testMs: 500,
      source: `
    Deno.test("waits for ever", async () => {
      const child = new Deno.Command("sleep", { args: ["600"], clearEnv: true, cwd: "/" }).spawn();
      console.log("child", child.pid);
      await child.status;
    });
    Deno.test("computes for ever", () => { for (;;); });
    Deno.test("goes on", () => {});
    Deno.test({ name: "has more time", timeout: 60_000, fn: () => new Promise((r) => setTimeout(r, 600)) });`,
    });
    assert.match(
      said,
      /waits for ever => \S+fixture_test\.ts:2:10\nerror: Test timed out after 500ms/,
    );
    assert.match(
      said,
      /computes for ever => \S+fixture_test\.ts:7:10\nerror: Test timed out after/,
    );
    assert.match(said, /goes on \.\.\. ok/);
    assert.match(said, /exit 1 \{"passed":2,"failed":2\}/);
    assert.ok(await isGone(/child (\d+)/.exec(said)![1]!));
  },
);

linuxTest(
  "a group that does not end is ended, names its tests and leaves no process",
  async (directory) => {
    const said = await runFixture(directory, {
      group: "programs",
      groupMs: 2_000,
      source: `
    Deno.test("ends", () => {});
    Deno.test("blocks", () => {
      // Deno cannot end a test that waits in the operating system.
      new Deno.Command("sh", { args: ["-c", "echo child $$ >&2; exec sleep 600"], stderr: "inherit" }).outputSync();
    });
    Deno.test("has no turn", () => {});`,
    });
    assert.match(said, /group 1 of 1, programs is not done after/);
    const pending = said.slice(said.indexOf("were pending"));
    assert.match(pending, /^blocks => /m);
    assert.doesNotMatch(pending, /^(ends|has no turn) =>/m);
    assert.match(said, /left a process, now ended: sleep 600/);
    assert.ok(await isGone(/child (\d+)/.exec(said)![1]!));
    assert.match(said, /exit [1-9]\d* \{"passed":\d,"failed":1\}/);
  },
);

/** A run of tests whose runner says it is ready and waits, in a process that can be interrupted. */
const WAITING_RUN = `
import { runTests } from "./scripts/test_run.ts";
const path = await Deno.makeTempDir({ prefix: "hermes-bundle-test-" });
const program = 'console.log(Deno.pid, Deno.env.get("HERMES_TEST_BUNDLE")); setInterval(() => {}, 1e6)';
const plan = { args: [], groups: [{ name: "plain", files: [] }, { name: "system", files: [] }], isWhole: true };
const { code } = await runTests(plan, {
  command: () => [Deno.execPath(), "eval", program],
  makeBundle: () => Promise.resolve({ path, [Symbol.asyncDispose]: () => Deno.remove(path) }),
});
Deno.exit(code);
`;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  linuxTest(`runTests() leaves no bundle and no runner behind after ${signal}`, async () => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", WAITING_RUN],
      cwd: ROOT,
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let said = "";
    while (!said.includes("hermes-bundle-test-")) said += (await reader.read()).value ?? "";
    const [, pid, bundle] = /^(\d+) (\S+)$/m.exec(said)!;
    assert.ok((await Deno.stat(bundle!)).isDirectory);
    child.kill(signal);
    assert.equal((await child.status).code, 130);
    await reader.cancel();
    await assert.rejects(Deno.stat(bundle!), Deno.errors.NotFound);
    assert.ok(await isGone(pid!));
  });
}
