/** Hermes on a real pseudo-terminal, against a fake model: what is shown, what is typed. */
import { createLocalEnvironment } from "../../environments/local/local_environment.ts";
import type { BackgroundProcess } from "../../src/protocol/environment.ts";
import { shellJoin } from "../../src/util/shell_quote.ts";
import { type FakeModel, type Reply, startFakeModel } from "./fake_model_server.ts";
import { hermesCommand, tempHome, testEnv } from "./hermes.ts";

export class Screen implements AsyncDisposable {
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
      60_000,
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

export interface Seat {
  screen: Screen;
  home: string;
  model: FakeModel;
}

/** Runs `hermes ARGS` on a terminal of its own and ends it with the body. */
export async function withScreen(
  setup: {
    args: readonly string[];
    replies: readonly Reply[];
    config?: string;
    /** A directory of the home to work in. */
    directory?: string;
  },
  body: (seat: Seat) => Promise<void>,
): Promise<void> {
  await using home = await tempHome();
  await using model = startFakeModel({ replies: setup.replies });
  if (setup.config !== undefined) {
    await Deno.mkdir(`${home.path}/.hermes`);
    await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, setup.config);
  }
  const { directory } = setup;
  if (directory !== undefined) await Deno.mkdir(`${home.path}/${directory}`, { recursive: true });
  const at = directory === undefined ? [] : ["-C", directory];
  const where = ["--base-url", model.url, "--model", "fake-model", ...at];
  await using screen = await openScreen(home.path, [...setup.args, ...where]);
  await body({ screen, home: home.path, model });
}

/** Starts `hermes ARGS` in a home that is there already, on a terminal of its own. */
export async function openScreen(home: string, argv: readonly string[]): Promise<Screen> {
  const { command, args } = hermesCommand(argv);
  const environment = createLocalEnvironment({
    cwd: home,
    env: testEnv(home),
    home,
    // The harness's own variables, which commands of an agent would not get.
    passEnv: ["HERMES_HOME", "HERMES_BIN_CACHE"],
  });
  // A person's terminal carries no mark of a session's command.
  const line = `unset HERMES_EXEC; ${shellJoin([command, ...args])}`;
  const process = await environment.spawn(line, { pty: true });
  return new Screen(process, () => environment.close());
}
