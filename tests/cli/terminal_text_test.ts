/** What others wrote does nothing to a terminal, wherever hermes shows it; files and pipes get every byte. */
import assert from "node:assert/strict";
import { createLocalEnvironment } from "../../environments/local/local_environment.ts";
import { shellJoin } from "../../src/util/shell_quote.ts";
import { startFakeModel } from "../support/fake_model_server.ts";
import { hermesCommand, tempHome, testEnv } from "../support/hermes.ts";
import { parseEvents, sessionIdOf, withJob } from "../support/run_job.ts";

/** One of each: clipboard, title, cursor, colours, C1, carriage return, backspace, order, hiding. */
const PAYLOADS = {
  clipboard: "\x1b]52;c;ZXZpbA==\x07",
  title: "\x1b]0;pwned\x1b\\",
  cursor: "\x1b[1A\x1b[2K\x1b[?25l",
  conceal: "\x1b[8mhidden",
  c1: "\x9d52;c;ZXZpbA==\x9c\x9b2J\x90q\x85",
  overwrite: "shown\rHIDES",
  backspace: "rm\b\bls",
  bidi: "\u202e\u2066\u2069\u061c\u200f",
  hidden: "\u200b\u2060\u{e0041}\u{e007f}\ufeff",
} as const;
const ALL = Object.values(PAYLOADS).join("|");

/** What the terminal itself adds to a line end, and our own colours. */
// deno-lint-ignore no-control-regex -- terminal output is made of them
const OURS = /\r+\n|\x1b\[(?:[012]|22|3[12369])m/g;
const HARMFUL =
  // deno-lint-ignore no-control-regex -- control characters are exactly what must not be there
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;

/** What a terminal gets from `hermes ARGS`, run one after the other, by the marks between them. */
async function onTerminal(
  home: string,
  commands: readonly (readonly string[])[],
): Promise<string[]> {
  const environment = createLocalEnvironment({
    cwd: home,
    env: { ...testEnv(home), NO_COLOR: "", FORCE_COLOR: "1" },
    home,
    passEnv: ["HERMES_HOME", "HERMES_BIN_CACHE"],
  });
  try {
    const script = commands.map((argv) => {
      const { command, args } = hermesCommand(argv);
      return `${shellJoin([command, ...args])} </dev/null`;
    }).join("; echo ====; ");
    // A person's terminal carries no mark of a session's command.
    const process = await environment.spawn(`unset HERMES_EXEC; ${script}; echo ====`, {
      pty: true,
    });
    await process.exited;
    return process.output().text.split("====").slice(0, commands.length);
  } finally {
    await environment.close();
  }
}

function assertHarmless(text: string, what: string): void {
  const rest = text.replaceAll(OURS, "\n");
  const found = HARMFUL.exec(rest);
  if (found === null) return;
  assert.fail(
    `${what}: ${JSON.stringify(rest.slice(Math.max(0, found.index - 60), found.index + 20))}`,
  );
}

Deno.test("a run on a terminal shows answers, tools, errors and names without their tricks", async () => {
  await using home = await tempHome();
  await using model = startFakeModel({
    replies: [
      {
        status: 503,
        headers: { "retry-after": "0" },
        error: { message: `overloaded ${ALL}`, type: ALL },
      },
      {
        toolCalls: [
          { name: `x${PAYLOADS.clipboard}${PAYLOADS.c1}`, arguments: { path: ALL } },
          { name: "read_file", arguments: { path: `missing ${ALL}` } },
          { name: "terminal", arguments: { command: `printf '%s' '${ALL.replaceAll("\0", "")}'` } },
        ],
      },
      { text: `answer ${ALL}`, reasoning: `thought ${ALL}` },
      { status: 400, error: { message: `refused ${ALL}` } },
    ],
  });
  const where = ["--base-url", model.url, "--model", `fake${PAYLOADS.bidi}${PAYLOADS.clipboard}`];
  const shown = await onTerminal(home.path, [
    ["run", ...where, "--verbose", "go"],
    ["run", ...where, "go"],
    ["run", ...where, "--image", `none${ALL}.png`, "go"],
    ["config", "get", `no.such${ALL}`],
    [`no-such-command${ALL}`],
  ]);
  for (const [i, text] of shown.entries()) assertHarmless(text, `command ${i}`);
  assert.match(shown[0]!, /answer \\u001b\]52;c;ZXZpbA==\\u0007\|/);
  assert.match(shown[0]!, / x\\u001b\]52;c/);
  assert.match(shown[1]!, /refused/);
});

Deno.test("stored sessions are shown on a terminal without their tricks, and JSON stays JSON", async () => {
  await withJob([{ text: `answer needle ${ALL}` }], async (job) => {
    const first = await job.run([`question ${ALL}`]);
    const id = sessionIdOf(first);
    assert.equal((await job.hermes(["sessions", "rename", id, `title ${ALL}`])).code, 0);
    const shown = await onTerminal(job.home, [
      ["sessions", "list"],
      ["sessions", "show", id],
      ["sessions", "search", "needle"],
      ["sessions", "export", id],
      ["sessions", "show", id, "--json"],
      ["sessions", "list", "--json"],
    ]);
    for (const [i, text] of shown.entries()) assertHarmless(text, `command ${i}`);
    const answer = JSON.parse(shown[4]!).messages.at(-1).message.content.at(-1).text;
    assert.equal(answer, `answer needle ${ALL}`);

    const piped = await job.hermes(["sessions", "export", id]);
    assert.ok(piped.stdout.includes(PAYLOADS.bidi), "a file keeps every character");
  });
});

Deno.test("a run's answer in a pipe is the model's, byte for byte; progress is harmless anyway", async () => {
  const replies = [
    { toolCalls: [{ name: "read_file", arguments: { path: `missing ${ALL}` } }] },
    { text: `answer ${ALL}\n` },
    { text: `answer ${ALL}` },
  ];
  await withJob(replies, async (job) => {
    const plain = await job.run(["go"]);
    assert.equal(plain.stdout, `answer ${ALL}\n`);
    assertHarmless(plain.stderr, "standard error");
    const events = parseEvents((await job.run(["--json", "go"])).stdout);
    assert.ok(JSON.stringify(events).includes(PAYLOADS.bidi));
  });
});
