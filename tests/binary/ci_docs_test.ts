/**
 * Every example of `docs/ci.md`, executed: the executable comes from a release on 127.0.0.1, the
 * answers from a fake model. Workflows run through a small interpreter of what they use.
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { type FakeModel, type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { type ReleaseServer, serveRelease } from "./release_server.ts";
import { artefact, bareMachine, type Machine, ROOT, run } from "./support.ts";
import { evaluate, evaluateAll, type Step } from "./workflow.ts";

interface Job {
  steps?: Step[];
  variables?: Record<string, string>;
  "before_script"?: string[];
  script?: string[];
}

interface Bench {
  machine: Machine;
  release: ReleaseServer;
  model: FakeModel;
  /** The job's checkout. */
  work: string;
  env: Record<string, string>;
}

async function withBench(replies: Reply[], body: (bench: Bench) => Promise<void>): Promise<void> {
  await using machine = await bareMachine();
  await using release = await serveRelease("1.0.0", await Deno.readFile(await artefact()));
  release.files.set("install.sh", await Deno.readFile(`${ROOT}/scripts/install.sh`));
  await using model = startFakeModel({ replies });
  const work = `${machine.home}/work`;
  await Deno.mkdir(work);
  const env = {
    ...machine.env,
    HERMES_RELEASES_URL: release.url,
    MODEL_URL: model.url,
    MODEL: "fake-model",
  };
  await body({ machine, release, model, work, env });
}

/** The code blocks of a language, in order. */
async function examples(language: string): Promise<string[]> {
  const text = await Deno.readTextFile(`${ROOT}/docs/ci.md`);
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language).map(([, , code]) => code!);
}

interface StepResult {
  code: number;
  log: string;
  outputs: Record<string, string>;
  summary: string;
}

/** Runs one script as the runner does and reads what it left in the runner's files. */
async function runScript(
  bench: Bench,
  step: { script: string; env: Record<string, string> },
): Promise<StepResult> {
  const directory = await Deno.makeTempDir({ dir: bench.machine.home });
  const files = {
    GITHUB_OUTPUT: `${directory}/output`,
    GITHUB_STEP_SUMMARY: `${directory}/summary`,
    GITHUB_PATH: `${directory}/path`,
  };
  for (const path of Object.values(files)) await Deno.writeTextFile(path, "");
  const { HERMES_RELEASES_URL: _url, ...env } = bench.env;
  const outcome = await run(["bash", "-eo", "pipefail", "-c", step.script], {
    cwd: bench.work,
    env: { ...env, ...files, RUNNER_TEMP: directory, ...step.env },
  });
  const outputs: Record<string, string> = {};
  const written = await Deno.readTextFile(files.GITHUB_OUTPUT);
  for (const [, name, , value] of written.matchAll(/^([\w-]+)<<(\w+)\n(.*?)\n\2$/gms)) {
    outputs[name!] = value!;
  }
  return {
    code: outcome.code,
    log: outcome.stdout + outcome.stderr,
    outputs,
    summary: await Deno.readTextFile(files.GITHUB_STEP_SUMMARY),
  };
}

/** Runs `action.yml` with these inputs. */
async function runAction(bench: Bench, given: Record<string, string>): Promise<StepResult> {
  const action = load(await Deno.readTextFile(`${ROOT}/action.yml`)) as {
    inputs: Record<string, { default?: string }>;
    outputs: Record<string, { value: string }>;
    runs: { steps: Step[] };
  };
  const github = { workspace: bench.work, "action_path": ROOT };
  const inputs: Record<string, string> = { "releases-url": bench.release.url };
  for (const [name, { default: value }] of Object.entries(action.inputs)) {
    inputs[name] ??= evaluate(value ?? "", { github });
  }
  for (const name of Object.keys(given)) assert.ok(name in action.inputs, `no input ${name}`);
  const context = { github, inputs: { ...inputs, ...given } };
  const [step] = action.runs.steps;
  const script = evaluate(step!.run!, context);
  const result = await runScript(bench, { script, env: evaluateAll(step!.env, context) });
  const steps = { [step!.id!]: { outputs: result.outputs } };
  const outputs = Object.entries(action.outputs)
    .map(([name, { value }]) => [name, evaluate(value, { steps })]);
  return { ...result, outputs: Object.fromEntries(outputs) };
}

/** Runs the steps of a GitHub workflow's only job and returns what the action said. */
async function runWorkflow(bench: Bench, source: string): Promise<StepResult> {
  const workflow = load(source) as { jobs: Record<string, Job> };
  const [job] = Object.values(workflow.jobs);
  const vars = { MODEL: bench.env.MODEL, MODEL_URL: bench.env.MODEL_URL };
  const steps: Record<string, { outputs: Record<string, string> }> = {};
  let said: StepResult | undefined;
  for (const step of job!.steps!) {
    const context = { vars, steps };
    if (step.uses?.startsWith("actions/checkout@")) continue;
    const result = step.uses === undefined
      ? await runScript(bench, {
        script: evaluate(step.run!, context),
        env: evaluateAll(step.env, context),
      })
      : said = await runAction(bench, evaluateAll(step.with, context));
    assert.equal(result.code, 0, result.log);
    if (step.id !== undefined) steps[step.id] = { outputs: result.outputs };
  }
  return said!;
}

Deno.test("docs/ci.md: the review workflow", async () => {
  const [review] = await examples("yaml");
  const answer = "50 % done\n::error::not a command";
  await withBench([{ text: answer }], async (bench) => {
    const result = await runWorkflow(bench, review!);
    assert.equal(result.outputs["exit-code"], "0");
    assert.match(result.outputs["session-id"]!, /^[0-9a-z]{26}$/);
    assert.match(result.summary, /### hermes run: done \(exit code 0\)[^]+50 % done/);
    assert.equal(await Deno.readTextFile(`${bench.work}/review.md`), `${answer}\n`);
    const [, mark] = /^::stop-commands::(\w+)$/m.exec(result.log) ?? [];
    const shielded = result.log.slice(0, result.log.indexOf(`::${mark}::`));
    assert.ok(shielded.includes("::error::not a command"), "the answer cannot command the runner");
    const tools = bench.model.requests[0]!.body.tools.map((tool: { function: { name: string } }) =>
      tool.function.name
    );
    assert.ok(tools.includes("terminal") && !tools.includes("clarify"), tools.join(" "));
  });
});

Deno.test("docs/ci.md: the triage workflow", async () => {
  const [, triage] = await examples("yaml");
  await withBench([{ text: '{"label":"bug"}' }], async (bench) => {
    const result = await runWorkflow(bench, triage!);
    assert.deepEqual(JSON.parse(result.outputs.answer!), { label: "bug" });
  });
});

Deno.test("action.yml fails with the exit code of hermes run and an annotation", async () => {
  const denied: Reply = { status: 401, error: "no such key" };
  await withBench([denied, denied, denied, denied], async (bench) => {
    const inputs = { prompt: "go", model: "fake-model", "base-url": bench.env.MODEL_URL! };
    const failed = await runAction(bench, inputs);
    assert.equal(failed.code, 5, failed.log);
    assert.match(failed.log, /^::error title=hermes run::hermes: .+ \(exit code 5\)$/m);
    const allowed = await runAction(bench, { ...inputs, "allow-failure": "true" });
    assert.deepEqual([allowed.code, allowed.outputs["exit-code"]], [0, "5"]);
    assert.match(allowed.log, /^::warning title=hermes run::/m);
    const usage = await runAction(bench, { ...inputs, args: "--nonsense\n" });
    assert.equal(usage.code, 2, usage.log);
    const none = await runAction(bench, { ...inputs, version: "0.0.0" });
    assert.equal(none.code, 1);
    assert.match(none.log, /^::error title=hermes run::hermes could not be installed/m);
  });
});

Deno.test("docs/ci.md: the GitLab job", async () => {
  const [, , gitlab] = await examples("yaml");
  const job = (load(gitlab!) as Record<string, Job>).review!;
  await withBench([{ text: "fine" }], async (bench) => {
    const git = (...args: string[]) =>
      run(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
        cwd: bench.work,
        env: bench.env,
      });
    await git("init", "-q");
    await git("commit", "-q", "--allow-empty", "-m", "one");
    await Deno.writeTextFile(`${bench.work}/changed.txt`, "new line\n");
    await git("add", "changed.txt");
    await git("commit", "-q", "-m", "two");
    const variables = Object.entries(job.variables!).map(([name, text]) => [
      name,
      text.replace("$CI_PROJECT_DIR", bench.work),
    ]);
    const script = [...job.before_script!, ...job.script!].join("\n");
    const env = { ...bench.env, ...Object.fromEntries(variables) };
    const outcome = await run(["bash", "-eo", "pipefail", "-c", script], { cwd: bench.work, env });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal(await Deno.readTextFile(`${bench.work}/review.md`), "fine");
    assert.match(JSON.stringify(bench.model.requests[0]!.body.messages), /\+new line/);
  });
});

Deno.test("docs/ci.md: the shell examples", async () => {
  const [plain, events] = await examples("sh");
  await withBench([{ text: "yes" }], async (bench) => {
    const outcome = await run(["sh", "-c", plain!], { cwd: bench.work, env: bench.env });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stdout, /^yes$/m);
  });
  await withBench([{ status: 401, error: "no" }], async (bench) => {
    const outcome = await run(["sh", "-c", plain!], { cwd: bench.work, env: bench.env });
    assert.equal(outcome.code, 5, outcome.stderr);
    assert.match(outcome.stderr, /the model is unreachable/);
  });
  const replies: Reply[] = [
    { toolCalls: [{ name: "terminal", arguments: { command: "ls" } }] },
    { text: "done" },
  ];
  await withBench(replies, async (bench) => {
    const outcome = await run(["sh", "-c", events!], { cwd: bench.work, env: bench.env });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stdout, /^1$/m);
  });
});

Deno.test("docs/ci.md has no example that is not run", async () => {
  assert.equal((await examples("yaml")).length, 3);
  assert.equal((await examples("sh")).length, 2);
});
