/** One session in two processes: what the person sees of it, and that nothing is mixed. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { startFakeModel } from "../support/fake_model_server.ts";
import { runHermes, startHermes, tempHome } from "../support/hermes.ts";
import { withScreen } from "../support/screen.ts";
import { writtenFile } from "../support/written_file.ts";

const MOVED = "went on in another hermes meanwhile: nothing more is added to it here";

Deno.test("a chat whose session went on elsewhere says so once a line, and /resume has all of it", async () => {
  const replies = ["first", "second", "third"].map((text) => ({ text }));
  await withScreen({ args: [], replies }, async ({ screen, home, model }) => {
    await screen.shows(/\/help\n> /);
    await screen.type("one\r");
    await screen.shows(/first\n> /);
    const [, id] = /session ([0-9a-z]{26})/.exec(screen.text)!;
    const where = ["--base-url", model.url, "--model", "fake-model"];
    const { code } = await runHermes({ home, args: ["run", "--resume", id!, ...where, "two"] });
    strictEqual(code, 0);
    await screen.type("three\r");
    await screen.shows(new RegExp(`! session ${id} ${MOVED}\n[^!]*/resume ${id} in a chat\n> `));
    const count = () => screen.text.split(MOVED).length - 1;
    strictEqual(count(), 1);
    await screen.type("again\r");
    await screen.shows(new RegExp(`${MOVED}[\\s\\S]*${MOVED}\n[^\n]*/resume ${id} in a chat\n> `));
    strictEqual(count(), 2);
    await screen.type(`/resume ${id}\r`);
    await screen.shows(/\(resumed\)[^\n]*\n> /);
    await screen.type("three\r");
    await screen.shows(/third\n> /);
    const { messages } = model.requests[2]!.body as { messages: { content: string }[] };
    deepStrictEqual(messages.slice(1).map(({ content }) => content), [
      "one",
      "first",
      "two",
      "second",
      "three",
    ]);
  });
});

Deno.test("a run whose session went on elsewhere ends with one line and what to do", async () => {
  await using home = await tempHome();
  const command = "echo begun > begun; read line < fifo";
  await using model = startFakeModel({
    replies: ({ body }) =>
      body.messages.at(-1).content === "work"
        ? { toolCalls: [{ name: "terminal", arguments: { command } }] }
        : { text: "said" },
  });
  await new Deno.Command("mkfifo", { args: [`${home.path}/fifo`] }).output();
  const where = ["--base-url", model.url, "--model", "fake-model"];
  const first = startHermes({ home: home.path, args: ["run", ...where, "work"] });
  const output = first.output();
  await writtenFile(`${home.path}/begun`);
  const args = ["run", "--resume", "latest", ...where, "elsewhere"];
  const second = await runHermes({ home: home.path, args });
  strictEqual(second.code, 0, second.stderr);
  await Deno.writeTextFile(`${home.path}/fifo`, "go\n");
  const { code, stderr } = await output;
  const said = new TextDecoder().decode(stderr);
  strictEqual(code, 1, said);
  match(said, new RegExp(`\nhermes: session [0-9a-z]{26} ${MOVED}\n {2}Read what was said there`));
  ok(said.split(MOVED).length === 2, said);
});
