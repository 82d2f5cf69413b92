/** The interactive chat on a real pseudo-terminal: streaming, slash commands, approval, Ctrl-C. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { type Screen, type Seat, withScreen } from "../support/screen.ts";

async function withChat(
  replies: Reply[],
  body: (screen: Screen, seat: Seat) => Promise<void>,
): Promise<void> {
  await withScreen({ args: [], replies }, async (seat) => {
    await seat.screen.shows(/custom\/fake-model[^\n]*\/help\n> /);
    await body(seat.screen, seat);
  });
}

Deno.test("chat streams answers, runs slash commands and leaves with a way back", async () => {
  await withChat([{ text: ["Hello ", "there."] }], async (screen) => {
    await screen.type("hi\r");
    await screen.shows(/Hello there\.\n> /);
    await screen.type("/usage\r");
    await screen.shows(/tokens in/);
    await screen.type("/hlep\r");
    await screen.shows(/Did you mean \/help\?/);
    await screen.type("/tools\r");
    await screen.shows(/terminal/);
    await screen.type("/quit\r");
    strictEqual(await screen.exitCode(), 0);
    match(screen.text, /Resume with: hermes --resume [0-9a-z]{26}/);
  });
});

Deno.test("chat asks before a command that needs a yes, and enter alone is a no", async () => {
  const call = { toolCalls: [{ name: "terminal", arguments: { command: "rm -rf build" } }] };
  await withChat([call, { text: "left alone" }], async (screen, { home }) => {
    await Deno.mkdir(`${home}/build`);
    await screen.type("clean up\r");
    await screen.shows(/Allow it\?[\s\S]*4\. Deny/);
    await screen.type("\r");
    await screen.shows(/refused by you[\s\S]*left alone/);
    ok((await Deno.stat(`${home}/build`)).isDirectory);
  });
});

Deno.test("chat stops the turn at the first Ctrl-C and quits at the second", async () => {
  const call = {
    toolCalls: [{ name: "terminal", arguments: { command: "echo $$ > pid; sleep 300" } }],
  };
  await withChat([call], async (screen) => {
    await screen.type("wait\r");
    await screen.shows(/→ terminal/);
    await screen.type("\x03");
    await screen.shows(/\[interrupted\]\n> /);
    await screen.type("\x03");
    await screen.shows(/Ctrl-C again to quit/);
    await screen.type("\x03");
    strictEqual(await screen.exitCode(), 0);
  });
});

Deno.test("chat hands what is typed during a turn to the model's next call", async () => {
  const call = { toolCalls: [{ name: "terminal", arguments: { command: "sleep 1" } }] };
  await withChat([call, { text: "steered" }], async (screen, { model }) => {
    await screen.type("go\r");
    await screen.shows(/→ terminal/);
    await screen.type("use tabs\r");
    await screen.shows(/steered/);
    match(JSON.stringify(model.requests[1]!.body.messages.at(-1)), /use tabs/);
  });
});

Deno.test("clarify is answered with arrow keys, a number, marks or free text", async () => {
  const ask = (args: Record<string, unknown>) => ({
    toolCalls: [{ name: "clarify", arguments: args }],
  });
  const choices = ["red", "green", "blue"];
  await withChat([
    ask({ question: "Arrow?", choices }),
    ask({ question: "Number?", choices }),
    ask({ question: "Several?", choices, multi_select: true }),
    ask({ question: "Own words?", choices }),
    ask({ question: "Name?" }),
    { text: "asked enough" },
  ], async (screen, { model }) => {
    await screen.type("go\r");
    await screen.shows(/Arrow\?\n❯ 1\. red \(Recommended\)[\s\S]*esc cancels/);
    await screen.type("\x1b[B\r");
    await screen.shows(/Number\?\n❯[\s\S]*esc cancels/);
    await screen.type("3");
    await screen.shows(/Several\?\n❯[\s\S]*esc cancels/);
    await screen.type(" \x1b[B\x1b[B \r");
    await screen.shows(/Own words\?\n❯[\s\S]*esc cancels/);
    await screen.type("4");
    await screen.shows(/Own words\?[\s\S]*\n> /);
    await screen.type("violet\r");
    await screen.shows(/Name\?\n> /);
    await screen.type("Hermes\r");
    await screen.shows(/asked enough/);
    const results = (model.requests.at(-1)!.body.messages as { role: string; content: string }[])
      .filter((message) => message.role === "tool")
      .map((message) => JSON.parse(message.content).user_response);
    deepStrictEqual(results, ["green", "blue", ["red", "blue"], "violet", "Hermes"]);
  });
});
