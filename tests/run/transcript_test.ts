/** `docs/transcript.md` shows a real session: this test runs it again and compares every line. */
import { strictEqual } from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { withJob } from "../support/run_job.ts";

const HERE = new URL(".", import.meta.url).pathname;
const FIXTURE = `${HERE}/../fixtures/transcript`;
const PROMPT = "test.sh fails. Find out why, fix it, and show that it passes.";

Deno.test("docs/transcript.md is what hermes prints", async () => {
  const replies = JSON.parse(await Deno.readTextFile(`${FIXTURE}/model.json`)) as Reply[];
  await withJob(replies, async (job) => {
    for await (const { name } of Deno.readDir(`${FIXTURE}/project`)) {
      await Deno.copyFile(`${FIXTURE}/project/${name}`, `${job.home}/${name}`);
    }
    const { code, stdout, stderr } = await job.run([PROMPT]);
    strictEqual(code, 0, stderr);
    const shown = `$ hermes run "${PROMPT}"\n${stderr}${stdout}`
      .replace(/session [0-9a-z]{26}/, "session 01m7ej0cn8r3rx2qey3d9yy9ej")
      .replace(/\d+ tools/, "9 tools")
      .replaceAll(/ \(\d+\.\d s\)$/gm, "");
    const page = await Deno.readTextFile(`${HERE}/../../docs/transcript.md`);
    strictEqual(/```text\n([\s\S]*?)```/.exec(page)?.[1], shown);
  });
});
