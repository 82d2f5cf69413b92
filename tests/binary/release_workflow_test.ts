/**
 * Every step of `.github/workflows/release.yml` that is a script, run in order with the files
 * that one job hands to the next. Built for this platform only, published by a stand-in for `gh`.
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { hostTarget } from "../../scripts/_targets.ts";
import { VERSION } from "../../src/util/version.ts";
import { ROOT, run, skip } from "./support.ts";
import { evaluate, evaluateAll, type Step } from "./workflow.ts";
import { LONG_TEST } from "../../scripts/test_limits.ts";

interface Workflow {
  env: Record<string, string>;
  jobs: Record<string, {
    env?: Record<string, string>;
    strategy?: { matrix: { include: { file: string }[] } };
    steps: (Step & { "working-directory"?: string })[];
  }>;
}

/** What is not run: this is that test. */
const TESTS = "deno task test tests/binary";
const HOST = hostTarget().name;

/** Programs that reach out: `npm install` does nothing, `gh` notes what it was asked. */
async function writeStandIns(directory: string): Promise<void> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "command -v npm"] }).output();
  const npm = new TextDecoder().decode(stdout).trim();
  const scripts = {
    npm: `[ "$1" = install ] || exec ${npm} "$@"`,
    gh: `printf '%s\\n' "$@" > ${directory}/published`,
    deno: `exec ${Deno.execPath()} "$@"`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    await Deno.writeTextFile(`${directory}/${name}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
}

/** What an upload and a download leave of a directory: its files, not their modes. */
async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(`${from}/${name}`, `${to}/${name}`);
    else await Deno.writeFile(`${to}/${name}`, await Deno.readFile(`${from}/${name}`));
  }
}

async function runJobs(work: string, tag: string): Promise<void> {
  const workflow = load(
    await Deno.readTextFile(`${ROOT}/.github/workflows/release.yml`),
  ) as Workflow;
  const bin = `${work}/bin`;
  await Deno.mkdir(bin);
  await writeStandIns(bin);
  const released = `${work}/released`;
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const workspace = `${work}/${name}`;
    await Deno.mkdir(workspace);
    const github = {
      "server_url": "https://releases.invalid",
      repository: "owner/hermes",
      token: "none",
      workspace,
    };
    const matrix = job.strategy?.matrix.include.find(({ file }) => file === `hermes-${HOST}`);
    const context = { github, matrix };
    for (const step of job.steps) {
      if (step.uses?.startsWith("actions/upload-artifact@")) {
        await copyTree(`${workspace}/${step.with!.path}`, released);
      } else if (step.uses?.startsWith("actions/download-artifact@")) {
        await copyTree(released, `${workspace}/${step.with!.path}`);
      }
      if (step.run === undefined || step.run === TESTS) continue;
      const script = evaluate(step.run, context)
        .replaceAll(/--target \S+/g, "")
        .replace("release.ts", `release.ts --target ${HOST} --out ${workspace}/dist/release`);
      const outcome = await run(["bash", "-eo", "pipefail", "-c", script], {
        cwd: name === "build" ? ROOT : `${workspace}/${step["working-directory"] ?? ""}`,
        env: {
          ...Deno.env.toObject(),
          PATH: `${bin}:${Deno.env.get("PATH")}`,
          GITHUB_REF_NAME: tag,
          GITHUB_REPOSITORY: github.repository,
          ...evaluateAll({ ...workflow.env, ...job.env, ...step.env }, context),
        },
      });
      assert.equal(outcome.code, 0, `${step.run}\n${outcome.stdout}${outcome.stderr}`);
    }
  }
}

Deno.test("release.yml builds, tests and publishes a release", LONG_TEST, async () => {
  if (Deno.build.os !== "linux") return skip("the workflow's scripts run on Linux");
  const work = await Deno.makeTempDir({ prefix: "hermes-workflow-" });
  try {
    await runJobs(work, `v${VERSION}`);
    const [, , tag, ...args] = (await Deno.readTextFile(`${work}/bin/published`)).trim().split(
      "\n",
    );
    assert.equal(tag, `v${VERSION}`);
    assert.deepEqual(args.filter((arg) => arg.startsWith("release/")).sort(), [
      "release/Dockerfile",
      "release/SHA256SUMS",
      `release/hermes-agent-cli-${VERSION}.tgz`,
      `release/hermes-${HOST}`,
      "release/hermes.rb",
      "release/install.sh",
      "release/manifest.json",
      "release/sbom.cdx.json",
    ]);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
});

Deno.test("release.yml stops at a tag that is not the version", async () => {
  const work = await Deno.makeTempDir({ prefix: "hermes-workflow-" });
  try {
    await assert.rejects(runJobs(work, "v99.0.0"), /test "\$GITHUB_REF_NAME"/);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
});
