/** Prompts, sessions and files as `hermes run` takes and leaves them. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { startFakeModel } from "../support/fake_model_server.ts";
import { runHermes, startHermes, tempHome } from "../support/hermes.ts";
import { parseEvents, sessionIdOf, withJob } from "../support/run_job.ts";
import { openScreen } from "../support/screen.ts";

function lastUserText(
  request: { body: { messages: { role: string; content: unknown }[] } },
): string {
  const message = request.body.messages.findLast((one) => one.role === "user");
  return JSON.stringify(message?.content);
}

Deno.test("run takes the prompt from an argument, a file, stdin, and joins piped text", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    await Deno.writeTextFile(`${job.home}/prompt.txt`, "from a file");
    await job.run(["from an argument"]);
    await job.run(["-f", `${job.home}/prompt.txt`]);
    await job.run(["-"], { stdin: "from stdin" });
    await job.run(["summarise"], { stdin: "piped text" });
    const texts = job.model.requests.map(lastUserText);
    match(texts[0]!, /from an argument/);
    match(texts[1]!, /from a file/);
    match(texts[2]!, /from stdin/);
    match(texts[3]!, /summarise\\n\\npiped text/);
  });
});

Deno.test("run gives up on standard input that never ends: after --timeout, or at Ctrl-C", async () => {
  await withJob([], async (job) => {
    const start = (...flags: string[]) =>
      startHermes({ home: job.home, args: ["run", ...flags, "go"], stdin: "" });
    const limited = start("--timeout", "0.3s");
    const over = await limited.output();
    strictEqual(over.code, 4);
    strictEqual(
      new TextDecoder().decode(over.stderr),
      "hermes: time budget spent: 0.3s are over while standard input was read\n",
    );
    const stopped = start();
    let said = "";
    for await (const text of stopped.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      if (/waiting for standard input to end.*\n$/.test(said)) stopped.kill("SIGINT");
    }
    strictEqual((await stopped.status).code, 130);
    match(said, /\nhermes: interrupted while standard input was read\n$/);
    await stopped.stdout.cancel();
    // Whoever wrote may find the pipe closed.
    await Promise.allSettled([limited.stdin.close(), stopped.stdin.close()]);
  });
});

Deno.test("run refuses binary and empty stdin in one line", async () => {
  await withJob([], async (job) => {
    const binary = await job.run(["-"], { stdin: new Uint8Array([1, 0, 2]) });
    deepStrictEqual([binary.code, binary.stdout], [2, ""]);
    match(binary.stderr, /binary/);
    const empty = await job.run(["-"], { stdin: "" });
    deepStrictEqual([empty.code, empty.stdout], [2, ""]);
    match(empty.stderr, /empty/);
  });
});

Deno.test("run --resume and --continue send the whole conversation again, byte-stable", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    const first = await job.run(["one"]);
    await job.run(["--continue", "two"]);
    await job.run(["--resume", sessionIdOf(first).slice(0, 12), "three"]);
    const [a, b, c] = job.model.requests.map((request) => request.body);
    strictEqual(JSON.stringify(a.messages[0]), JSON.stringify(c.messages[0]));
    strictEqual(JSON.stringify(a.tools), JSON.stringify(b.tools));
    deepStrictEqual(
      c.messages.map((message: { role: string }) => message.role),
      ["system", "user", "assistant", "user", "assistant", "user"],
    );
    // The offline model must not answer for the one that was asked so far.
    const elsewhere = await job.hermes(["run", "--continue", "four"]);
    deepStrictEqual([elsewhere.code, elsewhere.stdout], [2, ""]);
    const { url } = job.model;
    match(
      elsewhere.stderr,
      new RegExp(`used fake-model at ${url}\\n.*--base-url ${url} --model fake-model`),
    );
  });
});

Deno.test("run --no-session leaves nothing in the home", async () => {
  const command = "echo $npm_config_cache; mkdir -p $npm_config_cache";
  const call = { toolCalls: [{ name: "terminal", arguments: { command } }] };
  await withJob([call, { text: "ok" }], async (job) => {
    const outcome = await job.run(["--no-session", "hi"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    const left = await Array.fromAsync(Deno.readDir(job.home));
    deepStrictEqual(left.map((entry) => entry.name), []);
  });
});

Deno.test("run --output-last-message writes the answer to a file too", async () => {
  await withJob([{ text: "the answer" }], async (job) => {
    const outcome = await job.run(["-o", `${job.home}/answer.txt`, "hi"]);
    strictEqual(outcome.stdout, "the answer\n");
    strictEqual(await Deno.readTextFile(`${job.home}/answer.txt`), "the answer");
  });
});

Deno.test("run --image shows the model an image and stores it by reference", async () => {
  await withJob(() => ({ text: "a dot" }), async (job) => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
    await Deno.writeFile(`${job.home}/dot.png`, png);
    const outcome = await job.run(["--image", `${job.home}/dot.png`, "what is it?"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    match(lastUserText(job.model.requests[0]!), /data:image\/png;base64,iVBORw0KGgoBAgM=/);
    await job.run(["--continue", "sure?"]);
    match(JSON.stringify(job.model.requests[1]!.body), /iVBORw0KGgoBAgM=/);
    await Deno.writeTextFile(`${job.home}/not.png`, "text");
    strictEqual((await job.run(["--image", `${job.home}/not.png`, "x"])).code, 2);
  });
});

Deno.test("run writes a job summary in GitHub Actions", async () => {
  await withJob([{ text: "summary me" }], async (job) => {
    const file = `${job.home}/summary.md`;
    await job.run(["hi"], { env: { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: file } });
    match(await Deno.readTextFile(file), /### hermes run: done \(exit code 0\)[\s\S]*summary me/);
  });
});

Deno.test("run --record and --replay give the same bytes without a model", async () => {
  const replies = [
    { toolCalls: [{ id: "call_a", name: "terminal", arguments: { command: "echo hi" } }] },
    { text: "It said hi." },
  ];
  await withJob(replies, async (job) => {
    const cassette = `${job.home}/run.cassette`;
    const env = { HERMES_API_KEY: "sk-recorded-0123456789abcdef" };
    const recorded = await job.run(["--record", cassette, "--json", "say hi"], { env });
    strictEqual(recorded.code, 0, recorded.stderr);
    match(job.model.requests[0]!.headers.authorization!, /sk-recorded/);
    ok(!(await Deno.readTextFile(cassette)).includes("sk-recorded"));
    const args = ["run", "--replay", cassette, "--json", "say hi"];
    // Another home and directory, no key, no server named.
    await using elsewhere = await tempHome();
    const first = await runHermes({ home: elsewhere.path, args });
    const second = await runHermes({ home: elsewhere.path, args });
    strictEqual(first.code, 0, first.stderr);
    strictEqual(first.stdout, second.stdout);
    const lasting = (text: string) =>
      parseEvents(text).map(({ ts: _, sessionId: __, cwd: ___, durationMs: ____, ...rest }) =>
        rest
      );
    deepStrictEqual(lasting(first.stdout), lasting(recorded.stdout));
    strictEqual(job.model.requests.length, 2);
    const other = await job.run(["--replay", cassette, "--quiet", "say ho"]);
    deepStrictEqual([other.code, other.stdout], [5, ""]);
    strictEqual(
      other.stderr,
      `hermes: request 1 is not the one in cassette ${cassette}: at body.messages[1].content ` +
        `recorded "say hi", now "say ho"; record it again with --record ${cassette}\n`,
    );
  });
});

Deno.test("run sends a key only to its own host", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    const env = {
      OPENAI_API_KEY: "sk-test-secret-1234567890abcdef",
      OPENROUTER_API_KEY: "sk-or-x",
    };
    const outcome = await job.run(["hi"], { env });
    strictEqual(outcome.code, 0, outcome.stderr);
    ok(!JSON.stringify(job.model.requests[0]!.headers).includes("sk-"));
  });
});

Deno.test("run takes keys from the environment, .env and the settings, and keeps them from redirects", async () => {
  await using other = startFakeModel({ replies: () => ({ text: "stolen" }) });
  const replies = (_: unknown, index: number) =>
    index < 3 ? { text: "ok" } : { status: 308, headers: { location: `${other.url}/chat` } };
  await withJob(replies, async (job) => {
    await job.run(["hi"], { env: { HERMES_API_KEY: "key-of-environment" } });
    await Deno.writeTextFile(`${job.home}/.hermes/.env`, "HERMES_API_KEY=key-of-file\n");
    await job.run(["hi"]);
    await Deno.writeTextFile(
      `${job.home}/.hermes/config.yaml`,
      `providers: { lab: { base_url: "${job.model.url}", api_key: key-of-settings } }\n`,
    );
    await job.hermes(["run", "--provider", "lab", "--model", "m", "hi"]);
    const sent = job.model.requests.map(({ headers }) => headers.authorization);
    deepStrictEqual(sent, [
      "Bearer key-of-environment",
      "Bearer key-of-file",
      "Bearer key-of-settings",
    ]);
    const redirected = await job.run(["hi"]);
    deepStrictEqual([redirected.code, redirected.stdout], [5, ""]);
    match(redirected.stderr, /redirects to .*which is not followed/);
    strictEqual(other.requests.length, 0);
    const elsewhere = ["run", "--provider", "lab", "--base-url", other.url, "-m", "m", "hi"];
    await Deno.remove(`${job.home}/.hermes/.env`);
    strictEqual((await job.hermes(elsewhere)).code, 0);
    strictEqual(other.requests[0]!.headers.authorization, undefined);
  });
});

Deno.test("run finds a local server by itself when nothing else says which model", async () => {
  await using ollama = startFakeModel({
    replies: () => ({ text: "from here" }),
    models: ["nomic-embed-text", "llama3.2"],
  });
  await withJob([], async (job) => {
    const env = { OLLAMA_HOST: `127.0.0.1:${ollama.port}` };
    const outcome = await job.hermes(["run", "hi"], { env });
    deepStrictEqual([outcome.code, outcome.stdout], [0, "from here\n"], outcome.stderr);
    match(outcome.stderr, /^hermes: using llama3\.2 of ollama at 127\.0\.0\.1:\d+\n/);
    strictEqual(ollama.requests[0]!.body.model, "llama3.2");
  });
});

Deno.test("run falls back to the next provider of the chain", async () => {
  await withJob([{ text: "from the second" }], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`);
    await Deno.writeTextFile(
      `${job.home}/.hermes/config.yaml`,
      `model: { default: m, provider: custom, base_url: "http://127.0.0.1:2/v1" }
agent: { api_max_retries: 1 }
fallback_providers:
  - { provider: custom, model: m2, base_url: "${job.model.url}" }
`,
    );
    const outcome = await job.hermes(["run", "hi"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, "from the second\n"], outcome.stderr);
    match(outcome.stderr, /switching to/);
  });
});

Deno.test("run survives a reader that goes away", async () => {
  await withJob(() => ({ text: "x".repeat(300_000) }), async (job) => {
    const child = startHermes({
      home: job.home,
      args: ["run", "--base-url", job.model.url, "--model", "m", "--json", "hi"],
    });
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    const stderr = await new Response(child.stderr).text();
    deepStrictEqual([(await child.status).code, stderr], [0, ""]);
    const kept = await job.hermes(["sessions", "show", "latest"]);
    ok(kept.stdout.includes("x".repeat(300_000)), "the answer was not stored");
  });
});

/** No server of this machine may be taken for a model. */
const NO_SERVERS = { OLLAMA_HOST: "127.0.0.1:9", LM_BASE_URL: "http://127.0.0.1:9/v1" };

Deno.test("run without a model and a terminal refuses, and uses the offline model on request", async () => {
  await withJob([], async (job) => {
    const env = { ...NO_SERVERS, CI: "true" };
    const refused = await job.hermes(["run", "fix the failing test"], { env });
    deepStrictEqual([refused.code, refused.stdout], [2, ""]);
    match(
      refused.stderr,
      /^hermes: no model is configured.*\n.*OPENROUTER_API_KEY.*--model offline\n$/,
    );
    strictEqual((await job.hermes(["sessions", "list", "--json"])).stdout, "");
    const asked = await job.hermes(["run", "--model", "offline", "run `echo offline-works`"]);
    strictEqual(asked.code, 0, asked.stderr);
    match(asked.stdout, /offline-works/);
    await job.hermes(["config", "set", "model", "offline"]);
    strictEqual((await job.hermes(["run", "run `true`"])).code, 0);
  });
});

Deno.test("run on a terminal without a model says so and uses the offline model", async () => {
  await withJob([], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`);
    const servers = Object.entries(NO_SERVERS).map(([name, value]) => `${name}=${value}\n`);
    await Deno.writeTextFile(`${job.home}/.hermes/.env`, servers.join(""));
    await using screen = await openScreen(job.home, ["run", "run `echo offline-works`"]);
    strictEqual(await screen.exitCode(), 0, screen.text);
    match(screen.text, /no model is configured: the embedded offline model answers/);
    match(screen.text, /offline-works/);
  });
});
