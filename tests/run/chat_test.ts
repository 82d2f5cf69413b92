/** The interactive chat on a real pseudo-terminal: streaming, slash commands, approval, Ctrl-C. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { runHermes, tempHome } from "../support/hermes.ts";
import { openScreen, type Screen, type Seat, withScreen } from "../support/screen.ts";
import { isRunning, writtenFile } from "../support/written_file.ts";

/** Without walls: behind them fewer commands need a yes, and the home is no place to write to. */
async function withChat(
  replies: Reply[],
  body: (screen: Screen, seat: Seat) => Promise<void>,
): Promise<void> {
  await withScreen({ args: ["--sandbox", "off"], replies }, async (seat) => {
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

Deno.test("chat begins anew, goes back and changes the model without losing the conversation", async () => {
  const replies = ["first", "second", "third", "fourth"].map((text) => ({ text }));
  await withChat(replies, async (screen, { model }) => {
    const banner = (id: string) => new RegExp(`session (?!${id})[0-9a-z]{26}[^\n]*\n> `);
    const texts = (index: number) =>
      (model.requests[index]!.body.messages as { role: string; content: string }[])
        .filter(({ role }) => role !== "system").map(({ content }) => content);
    await screen.type("one\r");
    await screen.shows(/first\n> /);
    const [, id] = /session ([0-9a-z]{26})/.exec(screen.text)!;
    await screen.type("/new\r");
    await screen.shows(banner(id!));
    await screen.type("two\r");
    await screen.shows(/second\n> /);
    deepStrictEqual(texts(1), ["two"]);
    await screen.type(`/resume ${id}\r`);
    await screen.shows(/\(resumed\)[^\n]*\n> /);
    await screen.type("three\r");
    await screen.shows(/third\n> /);
    deepStrictEqual(texts(2), ["one", "first", "three"]);
    await screen.type("/model other-model\r");
    await screen.shows(/\n {2}custom\/other-model\n> /);
    await screen.type("four\r");
    await screen.shows(/fourth\n> /);
    strictEqual(model.requests[3]!.body.model, "other-model");
    deepStrictEqual(texts(3), ["one", "first", "three", "third", "four"]);
    await screen.type("/resume nothing-like-it\r");
    await screen.shows(/no session is called "nothing-like-it"[\s\S]*> /);
    await screen.type("/help\r");
    await screen.shows(
      /\/help [\s\S]*\/new [\s\S]*\/resume [\s\S]*\/model [\s\S]*\/tools [\s\S]*\/usage [\s\S]*\/quit /,
    );
  });
});

Deno.test("chat names the walls, and /sandbox changes them or says what its words mean", async () => {
  const call = { toolCalls: [{ name: "terminal", arguments: { command: "echo x > kept.txt" } }] };
  const args = ["--sandbox", "workspace-write"];
  await withScreen({ args, replies: [call, { text: "over" }] }, async ({ screen }) => {
    const answers = async (typed: string, shown: RegExp) => {
      await screen.type(`${typed}\r`);
      await screen.shows(shown);
    };
    await screen.shows(/fake-model · workspace-write · session [^\n]*\n> /);
    await answers("/sandbox", /\n {2}workspace-write, network on\n> /);
    await answers("/sandbox readonly", /readonly means nothing here: say read-only/);
    await answers("/sandbox off loopback", /Without walls nothing keeps a command/);
    await answers("/sandbox loopback", /\n {2}workspace-write, network loopback\n> /);
    await answers("/sandbox read-only off", /\n {2}read-only, network off\n> /);
    await answers("go", /exit 1 · held back by the sandbox · [^\n]*kept\.txt[\s\S]*over\n> /);
    await answers("/approve plan", /\n {2}plan\n> /);
    await answers("/sandbox off", /\/approve plan keeps the sandbox as it is\n {2}read-only/);
    await screen.type("/quit\r");
    strictEqual(await screen.exitCode(), 0);
  });
});

/** How the settings name a server of the person's own, and the provider that it then is. */
const OWN_SERVERS: [provider: string, config: (url: string) => string][] = [
  [
    "lab",
    (url) =>
      `model: { provider: lab, default: one }\n` +
      `providers: { lab: { base_url: "${url}", api_key: some-key } }\n`,
  ],
  ["custom", (url) => `model: { base_url: "${url}", default: one }\n`],
];

for (const [provider, config] of OWN_SERVERS) {
  Deno.test(`chat resumes a session of ${provider} with the model it had last`, async () => {
    await resumesModels(provider, config);
  });
}

/** Two sessions with a model each: going back to one is going back to its model. */
async function resumesModels(provider: string, config: (url: string) => string): Promise<void> {
  await using home = await tempHome();
  const replies = ["first", "second", "third", "fourth"].map((text) => ({ text }));
  await using model = startFakeModel({ replies });
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, config(model.url));
  await using screen = await openScreen(home.path, []);
  await screen.shows(new RegExp(`${provider}/one · [^\n]+ · session [^\n]*/help\n> `));
  const [, id] = /session ([0-9a-z]{26})/.exec(screen.text)!;
  await screen.type("a\r");
  await screen.shows(/first\n> /);
  await screen.type("/new\r");
  await screen.shows(new RegExp(`session (?!${id})[0-9a-z]{26}[^\n]*\n> `));
  const [, other] = new RegExp(`session ((?!${id})[0-9a-z]{26})`).exec(screen.text)!;
  await screen.type("/model two\r");
  await screen.shows(new RegExp(`\n {2}${provider}/two\n> `));
  await screen.type("b\r");
  await screen.shows(/second\n> /);
  await screen.type(`/resume ${id}\r`);
  await screen.shows(
    new RegExp(`${provider}/one · [^\n]+ · session [0-9a-z]{26} \\(resumed\\)[^\n]*\n> `),
  );
  await screen.type("c\r");
  await screen.shows(/third\n> /);
  await screen.type("/quit\r");
  strictEqual(await screen.exitCode(), 0);
  deepStrictEqual(model.requests.map(({ body }) => body.model), ["one", "two", "one"]);
  // A new hermes, too, goes on with the model that /model chose.
  const again = await runHermes({ home: home.path, args: ["run", "--resume", other!, "d"] });
  match(again.stderr, new RegExp(`${provider}/two · `));
  strictEqual(model.requests[3]!.body.model, "two");
}

Deno.test("chat leaves nothing behind when its terminal goes away in the middle of a turn", async () => {
  const command = "echo $PPID $$ > pids; exec sleep 300";
  const call = { toolCalls: [{ name: "terminal", arguments: { command } }] };
  await withChat([call], async (screen, { home }) => {
    await screen.type("wait\r");
    await screen.shows(/→ terminal/);
    const [hermes, child] = (await writtenFile(`${home}/pids`)).split(" ");
    Deno.kill(Number(hermes), "SIGHUP");
    strictEqual(await screen.exitCode(), 130);
    ok(!await isRunning(child!), "the command outlived the chat");
  });
});

Deno.test("chat asks before a command that needs a yes, and enter alone is a no", async () => {
  const call = { toolCalls: [{ name: "terminal", arguments: { command: "rm -rf build" } }] };
  await withChat([call, { text: "left alone" }], async (screen, { home }) => {
    await Deno.mkdir(`${home}/build`);
    await screen.type("clean up\r");
    await screen.shows(/Allow it\?[\s\S]*5\. Deny[\s\S]*esc is no/);
    await screen.type("\r");
    await screen.shows(/refused by you[\s\S]*left alone\n> /);
    ok((await Deno.stat(`${home}/build`)).isDirectory);
    await screen.type("\x04");
    strictEqual(await screen.exitCode(), 0);
  });
});

Deno.test("chat /approve changes what needs a yes, and tells the model when it may only plan", async () => {
  const write = { name: "write_file", arguments: { path: "x.txt", content: "x" } };
  const [touch, list] = ["touch y.txt", "ls"].map((command) => ({
    name: "terminal",
    arguments: { command },
  }));
  const replies = [{ toolCalls: [write, touch!, list!] }, { text: "the plan" }, {
    toolCalls: [write],
  }, { text: "written" }];
  await withChat(replies, async (screen, { home, model }) => {
    await screen.type("/approve\r");
    await screen.shows(/\n {2}ask\n> /);
    await screen.type("/approve nonsense\r");
    await screen.shows(/No mode nonsense; there are never, ask, smart, always, ask-all, plan\n/);
    await screen.type("/approve plan\r");
    await screen.shows(/\n {2}plan\n> /);
    await screen.type("go\r");
    await screen.shows(/the plan\n> /);
    match(JSON.stringify(model.requests[0]!.body.messages), /Plan mode: change nothing/);
    const results = (model.requests[1]!.body.messages as { role: string; content: string }[])
      .filter(({ role }) => role === "tool").map(({ content }) => content);
    match(results[0]!, /BLOCKED: write_file changes files\. This session only plans/);
    match(results[1]!, /BLOCKED: the command is not known to change nothing/);
    match(results[2]!, /"exit_code":0/);
    const names = (await Array.fromAsync(Deno.readDir(home))).map(({ name }) => name);
    deepStrictEqual(names.filter((name) => name.endsWith(".txt")), []);
    await screen.type("/approve always\r");
    await screen.shows(/\n {2}always\n> /);
    await screen.type("now\r");
    await screen.shows(/written\n> /);
    match(JSON.stringify(model.requests[2]!.body.messages), /Plan mode is over/);
    strictEqual(await Deno.readTextFile(`${home}/x.txt`), "x");
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
    strictEqual(await screen.exitCode(), 0);
  });
});

Deno.test("chat takes one Ctrl-C at a question for one: the turn ends, the chat stays", async () => {
  const call = { toolCalls: [{ name: "terminal", arguments: { command: "rm -rf build" } }] };
  await withChat([call, { text: "still here" }], async (screen, { model }) => {
    await screen.type("clean up\r");
    await screen.shows(/Allow it\?[\s\S]*5\. Deny[\s\S]*esc is no/);
    await screen.type("\x03");
    await screen.shows(/\[interrupted\]\n> /);
    strictEqual(model.requests.length, 1);
    await screen.type("hello\r");
    await screen.shows(/still here\n> /);
    await screen.type("\x04");
    strictEqual(await screen.exitCode(), 0);
  });
});

Deno.test("chat gives a line that was typed too late for the turn a turn of its own", async () => {
  const slow = { text: ["first", " answer"], delayMs: 600 };
  await withChat([slow, { text: "second answer" }], async (screen, { model }) => {
    await screen.type("one\r");
    await screen.shows(/> one\n/);
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await screen.type("two\r");
    await screen.shows(/first answer\n[\s\S]*second answer\n> /);
    match(JSON.stringify(model.requests[1]!.body.messages.at(-1)), /two/);
  });
});

Deno.test("chat warns at the first Ctrl-C when there is nothing to stop", async () => {
  await withChat([{ text: "still here" }], async (screen) => {
    await screen.type("\x03");
    await screen.shows(/Ctrl-C again to quit/);
    await screen.type("hello\r");
    await screen.shows(/still here\n> /);
    await screen.type("\x03");
    await screen.shows(/Ctrl-C again to quit[\s\S]*Ctrl-C again to quit/);
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
    await screen.type("3\r");
    await screen.shows(/Several\?\n❯[\s\S]*esc cancels/);
    await screen.type(" \x1b[B\x1b[B \r");
    await screen.shows(/Own words\?\n❯[\s\S]*esc cancels/);
    await screen.type("4\r");
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
