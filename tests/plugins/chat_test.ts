/** Plugins on a real pseudo-terminal: in the chat, and where somebody is asked. */
import assert from "node:assert/strict";
import { type FakeModel, type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { runHermes, tempHome } from "../support/hermes.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { manifest, pluginFiles, toolModule } from "./_bench.ts";
import { greeterSite, Site } from "./_site.ts";

interface Chat {
  home: string;
  screen: Screen;
  model: FakeModel;
}

/** A chat in a home with one enabled plugin, `demo`. */
async function withChat(
  setup: {
    module: string;
    replies?: readonly Reply[];
    args?: readonly string[];
    permissions?: Record<string, readonly string[]>;
  },
  body: (chat: Chat) => Promise<void>,
): Promise<void> {
  await using home = await tempHome();
  await using model = startFakeModel({ replies: setup.replies ?? [] });
  const folder = `${home.path}/.hermes/plugins/demo`;
  await Deno.mkdir(folder, { recursive: true });
  const { module, permissions } = setup;
  const files = permissions === undefined
    ? module
    : { "plugin.yaml": manifest("demo", permissions), "mod.ts": module };
  for (const [path, text] of Object.entries(pluginFiles("demo", files))) {
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  const enabled = await runHermes({ home: home.path, args: ["plugins", "enable", "demo"] });
  assert.equal(enabled.code, 0, enabled.stderr);
  const where = ["--base-url", model.url, "--model", "fake-model"];
  await using screen = await openScreen(home.path, [...where, ...setup.args ?? []]);
  await screen.shows(/\/help\n[\s\S]*> /);
  await body({ home: home.path, screen, model });
}

Deno.test("the chat shows plugins and runs their commands; its own stay its own", async () => {
  const module = toolModule("hello", "return {}").replace(
    /\}\n$/,
    `ctx.registerCommand({ name: "shout", description: "Shouts", args: "TEXT", run: (t) => t.toUpperCase() });
     ctx.registerCommand({ name: "fail", description: "Fails", run: () => { throw new Error("no luck"); } });
     ctx.registerCommand({ name: "quit", description: "Takes over", run: () => "taken" });
     ctx.registerCommand({ name: "run", description: "Takes over", run: () => "taken" });\n}\n`,
  );
  await withChat({ module }, async ({ screen }) => {
    await screen.shows(/Plugin demo: command "quit" is left out: hermes has one of that name/);
    await screen.shows(/Plugin demo: command "run" is left out: hermes has one of that name/);
    await screen.type("/plugins\r");
    await screen.shows(/Plugins \(1\):\n {2}✓ demo v1\.0\.0 \(1 tools, 0 hooks\)\n> /);
    await screen.type("/shout hello there\r");
    await screen.shows(/HELLO THERE\n> /);
    await screen.type("/fail\r");
    await screen.shows(/fail failed: no luck\n> /);
    await screen.type("/help\r");
    await screen.shows(/\/shout TEXT +Shouts\n/);
    await screen.type("/quit\r");
    assert.equal(await screen.exitCode(), 0);
  });
});

Deno.test("a plugin's command gets its text as typed and ends with Ctrl-C", async () => {
  const module = `export function register(ctx) {
    const command = (name, run) => ctx.registerCommand({ name, description: "x", run });
    command("echo", (text) => "<" + text + ">\\n");
    command("object", () => ({ a: 1 }));
    command("nothing", () => {});
    command("hang", (_, call) => {
      ctx.log("hanging");
      call.signal.addEventListener("abort", () => ctx.log("let go"));
      return new Promise(() => {});
    });
  }`;
  await withChat({ module, args: ["--verbose"] }, async ({ screen }) => {
    await screen.type("/echo two  spaces \r");
    await screen.shows(linesAmongLogs("<two  spaces>", "> "));
    await screen.type("/object\r");
    await screen.shows(linesAmongLogs("/object", '{"a":1}', "> "));
    await screen.type("/nothing\r");
    await screen.shows(linesAmongLogs("/nothing", "> "));
    await screen.type("/hang\r");
    await screen.shows(/demo: hanging\n/);
    await screen.type("\x03");
    await screen.shows(linesAmongLogs("hang failed: interrupted", "> "));
    await screen.shows(/demo: let go\n/);
    await screen.type("/echo on we go\r");
    await screen.shows(linesAmongLogs("<on we go>", "> "));
  });
});

/** These lines in this order; what hermes logs may come before any of them but the first. */
function linesAmongLogs(...lines: readonly string[]): RegExp {
  const escaped = lines.map((line) => line.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return new RegExp(escaped.join("\\n(?:hermes: .*\\n)*"));
}

Deno.test("what a plugin says while somebody types leaves them a prompt", async () => {
  const module = `export function register(ctx) {
    ctx.registerCommand({ name: "later", description: "x", run: () => {
      setTimeout(() => Deno.exit(3), 500);
      return "soon";
    } });
  }`;
  await withChat({ module }, async ({ screen }) => {
    await screen.type("/later\r");
    await screen.shows(/soon\n> /);
    await screen.type("half a line");
    await screen.shows(/> half a line\nhermes: Plugin demo is disabled for this run: .*\n> $/);
  });
});

/** Pushes to the session of the command when a file with the kind of the push appears. */
const PUSHING = `export function register(ctx) {
  ctx.registerCommand({ name: "watch", description: "x", run: (_, { sessionId }) => {
    for (const kind of ["wake", "notify"]) {
      const timer = setInterval(async () => {
        if (!await Deno.stat(ctx.dataDir + "/" + kind).catch(() => undefined)) return;
        clearInterval(timer);
        await ctx[kind]({ sessionId, text: kind + " of the plugin" });
      }, 20);
    }
    return "watching";
  } });
}`;

Deno.test("a turn and a line that a plugin pushes name it, and keep off the line that is typed on", async () => {
  const permissions = { sessions: ["wake", "notify"] };
  const replies = [{ text: ["Seen ", "it."] }, { text: "Answered." }];
  const setup = { module: PUSHING, permissions, replies };
  await withChat(setup, async ({ screen, home, model }) => {
    const push = (kind: string) =>
      Deno.writeTextFile(`${home}/.hermes/plugin-data/demo/${kind}`, "");
    await screen.type("/watch\r");
    await screen.shows(/watching\n> $/);
    await screen.type("half a");
    await screen.shows(/> half a$/);
    await push("wake");
    await screen.shows(/> half a\n· turn begun by the plugin demo\nSeen it\.\n> $/);
    // The terminal has kept what was typed, and shows it when it is asked to.
    await screen.type("\x12");
    await screen.shows(/Seen it\.\n> \^R\nhalf a$/);
    await push("notify");
    await screen.shows(/half a\n! demo: notify of the plugin\n> $/);
    await screen.type(" line\r");
    await screen.shows(/Answered\.\n> $/);
    const said = model.requests[1]!.body.messages.at(-1);
    assert.deepEqual([said.role, said.content], ["user", "half a line"]);
  });
});

Deno.test("Ctrl-C interrupts a turn that a plugin began, and the chat goes on", async () => {
  const permissions = { sessions: ["wake"] };
  const replies = [{ text: ["Half ", "of ", "it ", "all"], stall: true }, { text: "Back." }];
  await withChat({ module: PUSHING, permissions, replies }, async ({ screen, home }) => {
    await screen.type("/watch\r");
    await screen.shows(/watching\n> $/);
    await Deno.writeTextFile(`${home}/.hermes/plugin-data/demo/wake`, "");
    await screen.shows(/turn begun by the plugin demo\nHalf /);
    await screen.type("\x03");
    await screen.shows(/\[interrupted\]\n> $/);
    await screen.type("hello\r");
    await screen.shows(/Back\.\n> $/);
  });
});

Deno.test("what is half typed when a plugin's turn asks for a yes is no answer", async () => {
  const permissions = { sessions: ["wake"] };
  const call = { toolCalls: [{ name: "terminal", arguments: { command: "git push --force" } }] };
  const replies = [call, { text: "Left alone." }];
  const args = ["--sandbox", "off"];
  await withChat({ module: PUSHING, permissions, replies, args }, async ({ screen, home }) => {
    await screen.type("/watch\r");
    await screen.shows(/watching\n> $/);
    await screen.type("1 more");
    await screen.shows(/> 1 more$/);
    await Deno.writeTextFile(`${home}/.hermes/plugin-data/demo/wake`, "");
    await screen.shows(/Allow it\?[\s\S]*5\. Deny\n[^\n]*esc is no\s*$/);
    await screen.type("n");
    await screen.shows(/refused by you[\s\S]*Left alone\.\n> $/);
  });
});

/** Writes down every hook it can have of a chat. */
const WITNESS = `export function register(ctx) {
  for (const name of ["pre_tool_call", "post_tool_call", "pre_llm_call", "post_llm_call",
    "pre_turn", "post_turn", "on_session_start", "on_session_end", "on_session_finalize",
    "on_session_reset", "pre_approval_request", "post_approval_response",
    "on_context_compress"]) {
    ctx.registerHook(name, ({ sessionId, oldSessionId, newSessionId, answer, ...more }) => {
      const smaller = more.beforeChars > 8_000 && more.afterChars < 1_000 && "smaller";
      const line = [name, sessionId, oldSessionId, newSessionId, answer, smaller]
        .filter(Boolean).join(" ");
      Deno.writeTextFileSync(ctx.dataDir + "/seen", line + "\\n", { append: true });
    });
  }
}`;

Deno.test("hooks see a session from start to end, with all that happens on the way", async () => {
  const dangerous = { name: "terminal", arguments: { command: "git push --force" } };
  const long = { name: "terminal", arguments: { command: "seq 1 3000" } };
  const replies = [
    { toolCalls: [dangerous] },
    { text: "cleaned" },
    { toolCalls: [long] },
    { status: 400, error: "prompt is too long: 9 tokens > 8 maximum" },
    { text: "counted" },
  ];
  const args = ["--sandbox", "off"];
  await withChat({ module: WITNESS, replies, args }, async ({ screen, home }) => {
    await screen.type("clean up\r");
    await screen.shows(/git push --force[\s\S]*Allow this once[\s\S]*esc is no/);
    await screen.type("y");
    await screen.shows(/cleaned\n> /);
    await screen.type("count\r");
    await screen.shows(/counted\n> /);
    await screen.type("/new\r");
    await screen.shows(/session [\s\S]*session [0-9a-z]{26}[^\n]*\n> /);
    await screen.type("/quit\r");
    assert.equal(await screen.exitCode(), 0);
    const ids = [...screen.text.matchAll(/session ([0-9a-z]{26})/g)].map(([, id]) => id);
    const [first, second] = ids;
    const seen = await Deno.readTextFile(`${home}/.hermes/plugin-data/demo/seen`);
    assert.deepEqual(seen.trim().split("\n"), [
      `on_session_start ${first}`,
      `pre_turn ${first}`,
      `pre_llm_call ${first}`,
      `post_llm_call ${first}`,
      `pre_tool_call ${first}`,
      `pre_approval_request ${first}`,
      `post_approval_response ${first} once`,
      `post_tool_call ${first}`,
      `pre_llm_call ${first}`,
      `post_llm_call ${first}`,
      `post_turn ${first}`,
      `pre_turn ${first}`,
      `pre_llm_call ${first}`,
      `post_llm_call ${first}`,
      `pre_tool_call ${first}`,
      `post_tool_call ${first}`,
      `pre_llm_call ${first}`,
      `on_context_compress ${first} smaller`,
      `pre_llm_call ${first}`,
      `post_llm_call ${first}`,
      `post_turn ${first}`,
      `on_session_end ${first}`,
      `on_session_finalize ${first}`,
      `on_session_reset ${second} ${first} ${second}`,
      `on_session_start ${second}`,
      `on_session_end ${second}`,
      `on_session_finalize ${second}`,
    ]);
  });
});

Deno.test("a person is asked before a plugin is installed, and Ctrl-C is a no", async () => {
  await using site = new Site();
  const url = greeterSite(site);
  await using home = await tempHome();
  const listed = async () =>
    (await runHermes({ home: home.path, args: ["plugins", "list"] })).stdout;
  for (const keys of ["\x03", "n\r"]) {
    await using screen = await openScreen(home.path, ["plugins", "install", url]);
    await screen.shows(/greeter v1\.0\.0[\s\S]*tools: greet[\s\S]*Install greeter\? \[y\/N\] /);
    await screen.type(keys);
    assert.notEqual(await screen.exitCode(), 0);
    assert.ok(!(await listed()).includes("greeter"));
  }
  await using screen = await openScreen(home.path, ["plugins", "install", url]);
  await screen.shows(/Install greeter\? \[y\/N\] /);
  await screen.type("y\r");
  await screen.shows(/greeter v1\.0\.0 is installed/);
  assert.equal(await screen.exitCode(), 0);
  assert.match(await listed(), /^greeter +1\.0\.0 +url +enabled/m);
});

Deno.test("a person is asked about an address that is named for one chat", async () => {
  await using site = new Site();
  await using home = await tempHome();
  await using model = startFakeModel({ replies: [] });
  const args = ["--base-url", model.url, "--model", "fake-model", "--plugin", greeterSite(site)];
  await using screen = await openScreen(home.path, args);
  await screen.shows(/greeter v1\.0\.0: Greets[\s\S]*Use it in this run\? \[y\/N\] /);
  await screen.type("y\r");
  await screen.shows(/greeter: greet\n> /);
});

Deno.test("a person is asked about an enabled plugin that has changed, and the yes is kept", async () => {
  await using home = await tempHome();
  await using model = startFakeModel({ replies: [] });
  const folder = `${home.path}/.hermes/plugins/demo`;
  await Deno.mkdir(folder, { recursive: true });
  for (
    const [path, text] of Object.entries(pluginFiles("demo", toolModule("hello", "return {}")))
  ) {
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  const enabled = await runHermes({ home: home.path, args: ["plugins", "enable", "demo"] });
  assert.equal(enabled.code, 0, enabled.stderr);
  await Deno.writeTextFile(
    `${folder}/plugin.yaml`,
    manifest("demo", { net: ["a.test"], hooks: ["see_results"] }),
  );
  const args = ["--base-url", model.url, "--model", "fake-model"];
  for (
    const [answer, outcome] of [["n", /Plugin demo disabled[\s\S]*\n> /], [
      "y",
      /demo: hello\n> /,
    ]] as const
  ) {
    await using screen = await openScreen(home.path, args);
    await screen.shows(/demo: .*has changed since it was enabled: plugin\.yaml is another/);
    await screen.shows(/MORE THAN BEFORE, it may also:\n +connect to: a\.test\n +see the results/);
    await screen.shows(/Agree to demo as it is now, and use it\? \[y\/N\] /);
    await screen.type(`${answer}\r`);
    await screen.shows(outcome);
  }
  await using screen = await openScreen(home.path, args);
  await screen.shows(/demo: hello\n> /);
  assert.doesNotMatch(screen.text, /Agree to/);
});
