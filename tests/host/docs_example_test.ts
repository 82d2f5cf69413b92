/** The example of docs/host.md runs as it is written. */
import { match, strictEqual } from "node:assert/strict";
import { tempHome, testEnv } from "../support/hermes.ts";

const DOCS = new URL("../../docs/", import.meta.url);

Deno.test("the example of docs/host.md opens a session, runs a turn and ends", async () => {
  const text = await Deno.readTextFile(new URL("host.md", DOCS));
  const [, example] = /```ts\n(import [\s\S]*?)```/.exec(text)!;
  await using home = await tempHome();
  const file = `${home.path}/example.ts`;
  await Deno.writeTextFile(file, example!.replaceAll('"../src/', `"${new URL("../src/", DOCS)}`));
  const config = new URL("../deno.json", DOCS).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--no-prompt", "--no-check", "--config", config, file],
    cwd: home.path,
    env: { ...testEnv(home.path), HERMES_MODEL: "offline" },
    clearEnv: true,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  strictEqual(code, 0, decoder.decode(stderr));
  match(decoder.decode(stdout), /^snapshot\n[\s\S]*turn_start\n[\s\S]*turn_end\n/);
});
