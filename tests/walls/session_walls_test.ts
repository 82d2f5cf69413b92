/**
 * The walls in a session, end to end: every way in which a model's command runs is behind them,
 * and `--sandbox off` takes them all away.
 */
import { match, ok, strictEqual } from "node:assert/strict";
import { exists } from "../../src/util/exists.ts";
import type { Reply } from "../support/fake_model_server.ts";
import { type Job, withJob } from "../support/run_job.ts";
import { makeHome, secretText } from "./_home.ts";

const IGNORED = Deno.build.os !== "linux";
const TOKEN = "session";
const SECRET = secretText("ssh-key", TOKEN);

/** Reads a secret, writes beside the workspace and inside it. */
function attempt(name: string): string {
  return `cat ~/.ssh/id_ed25519; echo taken > ~/made-${name}; echo work > made-${name}; echo ended`;
}

function call(args: Record<string, unknown>): Reply {
  return { toolCalls: [{ name: "terminal", arguments: args }] };
}

function script(command: string): Reply {
  const code = `import { terminal } from "hermes_tools";\n` +
    `console.log(JSON.stringify(await terminal({ command: ${JSON.stringify(command)} })));`;
  return { toolCalls: [{ name: "execute_code", arguments: { code } }] };
}

/** Every way in which a model's command can run. */
const WAYS: Readonly<Record<string, readonly Reply[]>> = {
  terminal: [call({ command: attempt("terminal") })],
  again: [call({ command: "cd .. ; cd -" }), call({ command: attempt("again") })],
  pty: [call({ command: attempt("pty"), pty: true })],
  background: [
    call({ command: `(${attempt("background")}) > log; echo over >> log`, background: true }),
    call({ command: "until grep -q over log; do sleep 0.02; done; cat log" }),
  ],
  script: [script(attempt("script"))],
};

/** What the model read of its calls. */
function read(job: Job): string {
  const messages = job.model.requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content).join("\n");
}

interface Seen {
  job: Job;
  /** The workspace. */
  project: string;
  text: string;
}

/** Runs every way in one session with these flags. */
async function inSession(
  flags: readonly string[],
  body: (seen: Seen) => Promise<void>,
  replies: readonly Reply[] = [...Object.values(WAYS).flat(), { text: "done" }],
): Promise<void> {
  await withJob(replies, async (job) => {
    await makeHome(job.home, TOKEN);
    const project = `${job.home}/project`;
    await Deno.mkdir(project);
    const outcome = await job.run(["--quiet", "--approve", "always", ...flags, "go"], {
      cwd: project,
      env: { HERMES_REDACT_SECRETS: "false" },
    });
    strictEqual(outcome.code, 0, outcome.stderr);
    await body({ job, project, text: read(job) });
  });
}

/** Which files the commands made, by the way in which they ran. */
async function made(directory: string): Promise<string> {
  const found: string[] = [];
  for (const name of Object.keys(WAYS)) {
    if (await exists(`${directory}/made-${name}`)) found.push(name);
  }
  return found.join(" ");
}

const EVERY_WAY = Object.keys(WAYS).join(" ");

Deno.test({
  name: "commands of a session change the work alone and read no secret, however they run",
  ignore: IGNORED,
  async fn() {
    await inSession([], async ({ job, project, text }) => {
      strictEqual(text.match(/ended/g)!.length >= Object.keys(WAYS).length, true, text);
      ok(!text.includes(SECRET), text);
      strictEqual(await made(job.home), "");
      strictEqual(await made(project), EVERY_WAY);
    });
  },
});

Deno.test({
  name: "commands of a read-only session change nothing, however they run",
  ignore: IGNORED,
  async fn() {
    const ways = [WAYS.terminal!, WAYS.pty!, WAYS.script!].flat();
    await inSession(["--sandbox", "read-only"], async ({ job, project, text }) => {
      ok(!text.includes(SECRET), text);
      match(text, /ended/);
      strictEqual(await made(job.home), "");
      strictEqual(await made(project), "");
    }, [...ways, { text: "done" }]);
  },
});

Deno.test({
  name: "run --sandbox off has no walls, however commands run",
  ignore: IGNORED,
  async fn() {
    await inSession(["--sandbox", "off"], async ({ job, project, text }) => {
      ok(text.includes(SECRET), text);
      strictEqual(await made(job.home), EVERY_WAY);
      strictEqual(await made(project), EVERY_WAY);
    });
  },
});

Deno.test({
  name: "a search path that a command exports does not reach programs that hermes itself starts",
  ignore: IGNORED,
  async fn() {
    const fake = '#!/bin/sh\\ntouch "$HOME/made-fake"\\n';
    const replies = [
      call({
        command: `for p in rg grep git find sh; do printf '${fake}' > $p; chmod +x $p; done; ` +
          "export PATH=$PWD:$PATH; command -v rg",
      }),
      call({ command: "command -v rg" }),
      { toolCalls: [{ name: "search_files", arguments: { pattern: "touch", path: "." } }] },
      { toolCalls: [{ name: "read_file", arguments: { path: "rg" } }] },
      { text: "done" },
    ];
    await inSession([], async ({ job, project, text }) => {
      strictEqual(text.split(`${project}/rg`).length >= 3, true, text);
      strictEqual(await exists(`${job.home}/made-fake`), false);
    }, replies);
  },
});

Deno.test({
  name: "a session's hook file that a command wrote is gone when the command has ended",
  ignore: IGNORED,
  async fn() {
    const replies = [
      call({ command: "git init -q . && git commit -q --allow-empty -m x; echo $?" }),
      call({ command: "echo taken > .git/hooks/post-checkout; echo wrote" }),
      { text: "done" },
    ];
    await inSession([], async ({ project, text }) => {
      match(text, /wrote|Read-only|denied/);
      strictEqual(await exists(`${project}/.git/hooks/post-checkout`), false);
      ok(await exists(`${project}/.git/HEAD`));
    }, replies);
  },
});
