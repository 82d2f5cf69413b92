/** The interactive chat on a real pseudo-terminal: streaming, slash commands, approval, Ctrl-C. */
import { match, ok, strictEqual } from "node:assert/strict";
import { createLocalEnvironment } from "../../environments/local.ts";
import type { BackgroundProcess } from "../../src/protocol/environment.ts";
import { shellJoin } from "../../src/util/shell_quote.ts";
import { type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { hermesCommand, tempHome, testEnv } from "../support/hermes.ts";

class Screen implements AsyncDisposable {
  #process: BackgroundProcess;
  #close: () => Promise<void>;

  constructor(process: BackgroundProcess, close: () => Promise<void>) {
    this.#process = process;
    this.#close = close;
  }

  /** Everything shown so far, without colours and cursor moves. */
  get text(): string {
    // deno-lint-ignore no-control-regex -- terminal output is made of them
    return this.#process.output().text.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\r/g, "");
  }

  /** Waits until `pattern` is on the screen after what was there before. */
  async shows(pattern: RegExp): Promise<void> {
    if (pattern.test(this.text)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error(`${pattern} never came; the screen shows:\n${this.text}`)),
      20_000,
    );
    const stop = this.#process.onOutput(() => {
      if (pattern.test(this.text)) resolve();
    });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stop();
    }
  }

  async type(keys: string): Promise<void> {
    await this.#process.write(keys);
  }

  async exitCode(): Promise<number> {
    return await this.#process.exited;
  }

  async [Symbol.asyncDispose]() {
    await this.#process.kill();
    await this.#close();
  }
}

async function withChat(replies: Reply[], body: (screen: Screen, home: string) => Promise<void>) {
  await using home = await tempHome();
  await using model = startFakeModel({ replies });
  const { command, args } = hermesCommand(["--base-url", model.url, "--model", "fake-model"]);
  const environment = createLocalEnvironment({
    cwd: home.path,
    env: testEnv(home.path),
    home: home.path,
    // The harness's own variables, which commands of an agent would not get.
    passEnv: ["HERMES_HOME"],
  });
  const process = await environment.spawn(shellJoin([command, ...args]), { pty: true });
  await using screen = new Screen(process, () => environment.close());
  await screen.shows(/custom\/fake-model[^\n]*\/help\n> /);
  await body(screen, home.path);
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

Deno.test("chat asks before a command that needs a yes, and arrow keys answer", async () => {
  const call = { toolCalls: [{ name: "terminal", arguments: { command: "rm -rf build" } }] };
  await withChat([call, { text: "left alone" }], async (screen, home) => {
    await Deno.mkdir(`${home}/build`);
    await screen.type("clean up\r");
    await screen.shows(/Allow it\?[\s\S]*4\. Deny/);
    await screen.type("\x1b[A\r");
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
  await withChat([call, { text: "steered" }], async (screen) => {
    await screen.type("go\r");
    await screen.shows(/→ terminal/);
    await screen.type("use tabs\r");
    await screen.shows(/steered/);
  });
});
