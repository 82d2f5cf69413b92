/** What goes wrong outside hermes: one clear line, the right exit code, no stack trace, nothing lost. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { RunOutcome } from "../support/hermes.ts";
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
    match(outcome.stderr, /damaged/);
    const names = await Array.fromAsync(Deno.readDir(`${job.home}/.hermes`), (entry) => entry.name);
    ok(names.some((name) => name.includes(".damaged-")), names.join(" "));
  });
});

Deno.test("a server that lies is said, not obeyed", async () => {
  const html = "<html><body>502 Bad Gateway</body></html>";
  await withJob(() => ({ garbage: html }), async (job) => {
    complains(await job.run(["hi"]), { code: 5, line: /127\.0\.0\.1/ });
  });
  await withJob([{ text: "plain", plainJson: true }], async (job) => {
    const outcome = await job.run(["hi"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, "plain\n"], outcome.stderr);
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
    strictEqual(job.model.requests.length, 0);
  });
});

Deno.test("broken YAML and wrong types name the file, the line and the fix", async () => {
  await withJob([], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`);
    const file = `${job.home}/.hermes/config.yaml`;
    await Deno.writeTextFile(file, "model:\n  default: [unclosed\n");
    complains(await job.run(["hi"]), { code: 2, line: /config\.yaml:\d+/ });
    await Deno.writeTextFile(file, "agent:\n  max_turns: many\n");
    complains(await job.run(["hi"]), { code: 2, line: /config\.yaml:2.*agent\.max_turns/ });
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
