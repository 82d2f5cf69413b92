/** Hermes from its sources, as `deno task hermes` starts it: a whole run of the suite uses a bundle. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { VERSION } from "../../src/util/version.ts";
import { runHermes, tempHome } from "../support/hermes.ts";
import { withJob } from "../support/run_job.ts";

const CALLS = [
  { name: "terminal", arguments: { command: "echo from $((40 + 2))" } },
  {
    name: "execute_code",
    arguments: {
      code: `import { terminal } from "hermes_tools";
const shown: { output: string } = await terminal({ command: "echo script $((1 + 2))" });
console.log(shown.output);`,
    },
  },
];

for (const mode of ["deno", "reexec"]) {
  Deno.test(`run from the sources calls tools and scripts in ${mode} mode`, async () => {
    const replies = [...CALLS.map((call) => ({ toolCalls: [call] })), { text: "done" }];
    await withJob(replies, async (job) => {
      const env = { HERMES_SANDBOX_MODE: mode };
      const outcome = await job.run(["go"], { fromSource: true, env });
      deepStrictEqual([outcome.code, outcome.stdout], [0, "done\n"], outcome.stderr);
      const [command, script] = job.model.requests.at(-1)!.body.messages
        .filter((message: { role: string }) => message.role === "tool");
      match(command.content, /from 42/);
      match(script.content, /script 3/);
    });
  });
}

Deno.test("hermes from the sources tells its version and answers a wrong command", async () => {
  await using home = await tempHome();
  const options = { home: home.path, fromSource: true };
  strictEqual((await runHermes({ ...options, args: ["--version"] })).stdout, `hermes ${VERSION}\n`);
  const wrong = await runHermes({ ...options, args: ["no-such-command"] });
  deepStrictEqual([wrong.code, wrong.stdout], [2, ""]);
  match(wrong.stderr, /no-such-command/);
});
