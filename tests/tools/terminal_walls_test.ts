/** The terminal and the file tools behind walls, end to end: who may let something out, and how. */
import { deepStrictEqual as deepEqual, match, ok, strictEqual as equal } from "node:assert/strict";
import { exists } from "../../src/util/exists.ts";
import type { Reply } from "../support/fake_model_server.ts";
import { type Job, parseEvents, withJob } from "../support/run_job.ts";
import { withScreen } from "../support/screen.ts";
import { onLinux } from "../support/linux.ts";

/** `2` behind walls, `0` outside. */
const SECCOMP = "sed -n 's/^Seccomp:.//p' /proc/self/status";

function call(args: Record<string, unknown>): Reply {
  return { toolCalls: [{ name: "terminal", arguments: args }] };
}

function write(path: string): Reply {
  return { toolCalls: [{ name: "write_file", arguments: { path, content: "1;\n" } }] };
}

/** The results of its calls that the model read, in order. */
function results(job: Pick<Job, "model">): Record<string, unknown>[] {
  const messages = job.model.requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.parse(content));
}

/** Runs a job in a project below its home. */
function projectTest(
  name: string,
  replies: (home: string) => readonly Reply[],
  body: (
    job: Job & { go(...flags: string[]): ReturnType<Job["run"]>; project: string },
  ) => Promise<void>,
): void {
  Deno.test({
    ...onLinux(name),
    async fn() {
      let script: readonly Reply[] = [];
      const reply = (_: unknown, index: number) => script[index] ?? { text: "done" };
      await withJob(reply, async (job) => {
        const project = `${job.home}/project`;
        for (const path of [`${project}/.git`, `${project}/build`, `${job.home}/notes`]) {
          await Deno.mkdir(path, { recursive: true });
        }
        script = replies(job.home);
        const go = (...flags: string[]) => job.run(["--json", ...flags, "go"], { cwd: project });
        await body({ ...job, project, go });
      });
    },
  });
}

const OUTSIDE = { command: SECCOMP, outside: "needs the kernel" };

for (const flags of [[], ["--yolo"], ["--approve", "always"], ["--approve", "never"]]) {
  projectTest(
    `outside is refused where nobody is asked (${flags.join(" ") || "the default"})`,
    () => [call(OUTSIDE), call({ command: SECCOMP })],
    async (job) => {
      const outcome = await job.go(...flags);
      equal(outcome.code, 0, outcome.stderr);
      const [refused, inside] = results(job);
      equal(refused!.status, "blocked");
      match(String(refused!.error), /^BLOCKED: .*sandbox/);
      equal(inside!.output, "2");
      const [asked] = parseEvents(outcome.stdout).filter(({ type }) => type === "approval_start");
      const request = asked!.request as Record<string, unknown>;
      deepEqual([request.subject, request.rule], [SECCOMP, "sandbox: outside"]);
      match(
        String(request.description),
        /runs outside the sandbox; the reason given: needs the kernel/,
      );
    },
  );
}

projectTest(
  "outside ends a run that may ask with 3 and an id, and a yes to it holds once",
  () => [call(OUTSIDE), call({ command: SECCOMP }), call(OUTSIDE), { text: "not reached" }],
  async (job) => {
    const outcome = await job.go("--approve", "ask");
    equal(outcome.code, 3, outcome.stderr);
    const words = /Allow this one action: hermes (.*)\n/.exec(outcome.stderr)![1]!;
    match(words, / --approve-once \S+/);
    const resumed = await job.hermes(words.split(" "), { cwd: job.project });
    equal(resumed.code, 3, resumed.stderr);
    const [out, inside] = results(job);
    deepEqual([out!.output, out!.approval], ["0", "Approved by your yes to this action"]);
    equal(inside!.output, "2", "the next one is inside again");
  },
);

projectTest(
  "outside means nothing where no walls stand",
  () => [call(OUTSIDE), call({ command: SECCOMP })],
  async (job) => {
    const outcome = await job.go("--sandbox", "off");
    equal(outcome.code, 0, outcome.stderr);
    deepEqual(results(job).map(({ output }) => output), ["0", "0"]);
    ok(!outcome.stdout.includes("approval_start"));
  },
);

projectTest(
  "what never runs does not run outside either, and nobody is asked",
  () => [call({ command: "rm -rf /", outside: "why not" })],
  async (job) => {
    equal((await job.go("--approve", "ask")).code, 0);
    match(String(results(job)[0]!.error), /^BLOCKED \(hardline\)/);
  },
);

projectTest(
  "a result says what the sandbox kept the command from, and nothing else",
  (home) => [
    call({ command: `echo x > ${home}/notes/x` }),
    call({ command: "false" }),
    call({ command: "echo x > made && cat made" }),
  ],
  async (job) => {
    equal((await job.go()).code, 0);
    const [stopped, failed, fine] = results(job);
    match(
      String(stopped!.sandbox),
      /^The sandbox \(workspace-write\) closes \/\S+\/notes\/x \(read-only\); .*outside: why/,
    );
    deepEqual([failed!.sandbox, fine!.sandbox, fine!.output], [undefined, undefined, "x"]);
    ok(!await exists(`${job.home}/notes/x`));
  },
);

projectTest(
  "a command that the walls bound needs no yes, one that loses the history does",
  () => [
    call({ command: "rm -rf build" }),
    call({ command: "rm -rf .git" }),
    call({ command: "cd .. && rm -rf project" }),
  ],
  async (job) => {
    equal((await job.go("--approve", "never")).code, 0);
    const [bounded, ...lost] = results(job);
    deepEqual([bounded!.exit_code, bounded!.approval], [0, undefined]);
    for (const result of lost) match(String(result.error), /^BLOCKED: /);
    ok(!await exists(`${job.project}/build`));
    ok(await exists(`${job.project}/.git`));
  },
);

projectTest(
  "no rule is relaxed where the sandbox is off",
  () => [call({ command: "rm -rf build" })],
  async (job) => {
    equal((await job.go("--approve", "never", "--sandbox", "off")).code, 0);
    match(String(results(job)[0]!.error), /^BLOCKED: /);
    ok(await exists(`${job.project}/build`));
  },
);

projectTest(
  "a file outside is written after a yes to that very file",
  (home) => [write(`${home}/notes/a.ts`), write(`${home}/notes/b.ts`), { text: "not reached" }],
  async (job) => {
    const outcome = await job.go("--approve", "ask");
    equal(outcome.code, 3, outcome.stderr);
    const [asked] = parseEvents(outcome.stdout).filter(({ type }) => type === "approval_start");
    const request = asked!.request as Record<string, unknown>;
    deepEqual([request.subject, request.rule], [
      `write to ${job.home}/notes/a.ts`,
      "sandbox: path-write",
    ]);
    const words = /Allow this one action: hermes (.*)\n/.exec(outcome.stderr)![1]!;
    const resumed = await job.hermes(words.split(" "), { cwd: job.project });
    equal(resumed.code, 3, "the other file is another question");
    ok(await exists(`${job.home}/notes/a.ts`));
    ok(!await exists(`${job.home}/notes/b.ts`));
  },
);

projectTest(
  "a file outside is not written where nobody is asked, and --yolo is no person",
  (home) => [write(`${home}/notes/a.ts`)],
  async (job) => {
    equal((await job.go("--yolo")).code, 0);
    match(String(results(job)[0]!.error), /outside what the sandbox/);
    ok(!await exists(`${job.home}/notes/a.ts`));
  },
);

Deno.test({
  ...onLinux("a yes for the session opens the file to tools and the next command alike"),
  async fn() {
    const replies = [
      write("/tmp/nothing"), // Replaced below, once the home is known.
      write("/tmp/nothing"),
      call({ command: "echo more >> ../notes/a.ts && cat ../notes/a.ts" }),
      call({ command: "echo more > ../notes/b.ts" }),
      { text: "over" },
    ];
    for (const reply of replies.slice(0, 2)) {
      Object.assign(reply, write("../notes/a.ts"));
    }
    const args = ["run", "--approve", "ask", "go"];
    await withScreen({ args, replies, directory: "project" }, async (seat) => {
      const { screen, home } = seat;
      await Deno.mkdir(`${home}/notes`, { recursive: true });
      await screen.shows(/write to \S+\/notes\/a\.ts\nAllow it\?[\s\S]*esc is no/);
      await screen.type("2");
      await screen.type("\r");
      await screen.shows(/over\n/);
      equal(await screen.exitCode(), 0);
      const [first, again, inside, other] = results(seat);
      ok(!("error" in first!) && !("error" in again!), JSON.stringify([first, again]));
      match(String(inside!.output), /more/);
      equal(other!.exit_code, 1, "that very file");
    });
  },
});
