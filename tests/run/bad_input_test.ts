/** What goes wrong outside hermes: one clear line, the right exit code, no stack trace, nothing lost. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { hermesCommand, type RunOutcome, testEnv } from "../support/hermes.ts";
import { withJob } from "../support/run_job.ts";

/** The complaint is one line and its hint, never a stack. */
function complains(outcome: RunOutcome, expected: { code: number; line: RegExp }): void {
  strictEqual(outcome.code, expected.code, outcome.stderr);
  match(outcome.stderr, expected.line);
  ok(!/\n\s+at .*:\d+/.test(outcome.stderr), outcome.stderr);
  strictEqual(outcome.stdout, "");
}

Deno.test("a home that cannot be written is said, with the way out", async () => {
  await withJob([{ text: "ok" }], async (job) => {
    const env = { HERMES_HOME: "/proc/no-home-here" };
    complains(await job.run(["hi"], { env }), { code: 1, line: /\/proc\/no-home-here/ });
    const without = await job.run(["--no-session", "hi"], { env });
    deepStrictEqual([without.code, without.stdout], [0, "ok\n"], without.stderr);
  });
});

Deno.test("a database locked by somebody else is waited for, then said", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    strictEqual((await job.run(["first"])).code, 0);
    const other = new DatabaseSync(`${job.home}/.hermes/state.db`);
    other.exec("BEGIN EXCLUSIVE");
    const locked = job.run(["second"]);
    try {
      complains(await locked, { code: 1, line: /locked|busy|another/i });
    } finally {
      other.exec("ROLLBACK");
      other.close();
    }
    const after = await job.run(["--continue", "third"]);
    strictEqual(after.code, 0, after.stderr);
  });
});

Deno.test("a damaged database is kept aside, rebuilt, and the run goes on", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    strictEqual((await job.run(["first"])).code, 0);
    const path = `${job.home}/.hermes/state.db`;
    await Deno.remove(`${path}-wal`).catch(() => {});
    await Deno.writeTextFile(path, "this is not a database ".repeat(500));
    const outcome = await job.run(["second"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, "ok\n"], outcome.stderr);
    match(
      outcome.stderr,
      /^hermes: The session database was damaged: saved 0 messages of 0 sessions/m,
    );
    const names = await Array.fromAsync(Deno.readDir(`${job.home}/.hermes`), (entry) => entry.name);
    ok(names.some((name) => name.includes(".damaged-")), names.join(" "));
  });
});

Deno.test("a full home is said before the model is asked, and what was stored stays", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    strictEqual((await job.run(["first"])).code, 0);
    const { command, args } = hermesCommand(["run", "--base-url", job.model.url, "-m", "m", "-"]);
    // No file may grow beyond 256 KB, and the message of 400 KB must not be half there.
    const script = `trap '' XFSZ; ulimit -f 256; exec "$@"`;
    const child = new Deno.Command("bash", {
      args: ["-c", script, "bash", command, ...args],
      env: testEnv(job.home),
      clearEnv: true,
      cwd: job.home,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode("a ".repeat(200_000)));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    complains({ code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) }, {
      code: 1,
      line: /cannot write the session database .*state\.db: .*\n {2}Free some disk space/,
    });
    strictEqual(job.model.requests.length, 1);
    const kept = await job.hermes(["sessions", "show", "latest"]);
    match(kept.stdout, /user\nfirst\n/);
  });
});

Deno.test("a cassette that is none or of another version is refused", async () => {
  await withJob([], async (job) => {
    const file = `${job.home}/x.cassette`;
    await Deno.writeTextFile(file, "not a cassette\n");
    complains(await job.run(["--replay", file, "hi"]), { code: 2, line: /x\.cassette/ });
    await Deno.writeTextFile(file, '{"cassette":99,"hermes":"9.9.9"}\n');
    complains(await job.run(["--replay", file, "hi"]), { code: 2, line: /99|version|format/ });
  });
});

Deno.test("a prompt of many megabytes is refused before anything is sent", async () => {
  await withJob([], async (job) => {
    const outcome = await job.run(["-"], { stdin: "a".repeat(5_000_000) });
    complains(outcome, { code: 2, line: /5000000 characters/ });
    const huge = await job.run(["-"], { stdin: new Uint8Array(50_000_000).fill(97) });
    complains(huge, { code: 2, line: /larger than the 4000000 characters of a prompt\n {2}Save/ });
    await Deno.writeFile(`${job.home}/huge`, new Uint8Array(50_000_000).fill(97));
    complains(await job.run(["-f", "huge"]), { code: 2, line: /50000000 (characters|bytes)/ });
    strictEqual(job.model.requests.length, 0);
  });
});

Deno.test("broken YAML and wrong types name the file, the line and the fix", async () => {
  await withJob([], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`);
    const file = `${job.home}/.hermes/config.yaml`;
    await Deno.writeTextFile(file, "model:\n  default: [unclosed\n");
    const broken = /config\.yaml:\d+:\d+: broken YAML: .*\n {2}Correct that line/;
    complains(await job.run(["hi"]), { code: 2, line: broken });
    await Deno.writeTextFile(file, "agent:\n  max_turns: many\n");
    const wrong =
      /config\.yaml:2:3: agent\.max_turns must be a number, not "many"\n {2}Set it: hermes config set agent\.max_turns 500/;
    complains(await job.run(["hi"]), { code: 2, line: wrong });
  });
});

Deno.test("an unknown setting warns with the nearest name and the run goes on", async () => {
  await withJob([{ text: "ok" }], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`);
    await Deno.writeTextFile(`${job.home}/.hermes/config.yaml`, "agnet:\n  max_turns: 5\n");
    const outcome = await job.run(["hi"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, "ok\n"], outcome.stderr);
    match(outcome.stderr, /agnet.*agent/);
  });
});
