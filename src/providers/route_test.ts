import assert from "node:assert/strict";
import { FakeTime } from "../../tests/support/fake_time.ts";
import { EXIT, HermesError } from "../protocol/error.ts";
import type { ModelRequest, Provider, WireRequest } from "../protocol/provider.ts";
import { resolveRoute, type Route, type RouteConfig, type RouteOptions } from "./route.ts";

interface Sent {
  url: string;
  init: WireRequest;
}

const REQUEST: ModelRequest = { system: "", messages: [], tools: [] };

/** A route whose first request is captured instead of sent. */
async function sentBy(provider: Provider, wire: { sent: Sent[] }): Promise<Sent> {
  await Array.fromAsync(provider.stream(REQUEST, new AbortController().signal));
  return wire.sent.at(-1)!;
}

interface Setup extends Pick<RouteOptions, "model" | "provider" | "baseUrl"> {
  env?: Record<string, string>;
  config?: RouteConfig;
  /** Models by address of local servers that are up, or the page they send instead. */
  servers?: Record<string, string[] | string>;
  /** How the model's server answers; default 500. */
  status?: number;
}

function setup(options: Setup = {}) {
  const sent: Sent[] = [];
  const probed: string[] = [];
  const { env = {}, config = {}, servers = {}, status = 500, ...flags } = options;
  const all: RouteOptions = {
    ...flags,
    config,
    env: (name) => env[name],
    wireFetch: (url, init) => {
      sent.push({ url, init });
      return Promise.resolve(new Response("{}", { status }));
    },
    probeFetch: (input) => {
      const url = String(input);
      probed.push(url);
      const models = servers[new URL(url).origin];
      if (models === undefined) return Promise.reject(new TypeError("connection refused"));
      if (typeof models === "string") return Promise.resolve(new Response(models));
      return Promise.resolve(Response.json({ data: models.map((id) => ({ id })) }));
    },
  };
  return { sent, probed, resolve: () => resolveRoute(all) };
}

function place(route: Route): string {
  return `${route.source} ${route.target.provider} ${route.target.model}`;
}

async function refuses(
  { exitCode = EXIT.usage, ...options }: Setup & { exitCode?: number },
  message: RegExp,
): Promise<void> {
  await assert.rejects(setup(options).resolve(), (error) => {
    assert.ok(error instanceof HermesError && error.exitCode === exitCode, String(error));
    assert.match(error.message, message);
    assert.ok(!error.message.includes("\n"));
    return true;
  });
}

Deno.test("resolveRoute() prefers flags to config to keys to local servers to offline", async () => {
  const env = { ANTHROPIC_API_KEY: "sk-ant", OPENAI_API_KEY: "sk-oai" };
  const config = { model: { provider: "openai", default: "gpt-5" } };
  const servers = { "http://127.0.0.1:11434": ["nomic-embed-text", "llama3.2"] };
  const steps: [Setup, string][] = [
    [{ provider: "anthropic", env, config, servers }, "flag anthropic claude-sonnet-5"],
    [{ env, config, servers }, "config openai gpt-5"],
    [{ env, servers }, "key anthropic claude-sonnet-5"],
    [{ servers }, "local ollama llama3.2"],
    [{}, "offline offline offline"],
  ];
  for (const [options, expected] of steps) {
    assert.equal(place(await setup(options).resolve()), expected);
  }
});

Deno.test("resolveRoute() takes the model offline for the embedded one, whatever is configured", async () => {
  const env = { OPENROUTER_API_KEY: "or-key" };
  const pinned = { model: { provider: "openrouter", default: "a/b" } };
  const steps: [Setup, string][] = [
    [{ model: "offline" }, "flag offline offline"],
    [{ model: "offline", env, config: pinned }, "flag offline offline"],
    [{ env, config: { model: { default: "offline" } } }, "config offline offline"],
    [
      { env, config: { model: { default: "offline", provider: "openrouter" } } },
      "config offline offline",
    ],
    [
      { model: "x/y", env, config: { model: { default: "offline" } } },
      "flag openrouter x/y",
    ],
    [{ model: "offline", provider: "openrouter", env }, "flag openrouter offline"],
  ];
  for (const [options, expected] of steps) {
    const run = setup(options);
    assert.equal(place(await run.resolve()), expected);
    assert.deepEqual(run.probed, []);
  }
});

Deno.test("resolveRoute() says which key it held back when a foreign server wants one", async () => {
  const baseUrl = "https://llm.example/v1";
  const cases: [Setup, RegExp][] = [
    [
      { baseUrl, env: { OPENAI_API_KEY: "oai-key" } },
      /check HERMES_API_KEY: OPENAI_API_KEY was not sent to another host.*HERMES_API_KEY="\$OPENAI_API_KEY"$/,
    ],
    [
      { baseUrl, provider: "groq", env: { GROQ_API_KEY: "gsk" } },
      /check HERMES_API_KEY: GROQ_API_KEY was not sent/,
    ],
    [{ baseUrl }, /check HERMES_API_KEY$/],
    [{ provider: "groq", env: { GROQ_API_KEY: "gsk" } }, /check GROQ_API_KEY$/],
  ];
  for (const [options, said] of cases) {
    const run = setup({ model: "m", status: 401, ...options });
    const { primary } = await run.resolve();
    const events = await Array.fromAsync(primary.stream(REQUEST, new AbortController().signal));
    const last = events.at(-1)!;
    assert.ok(last.type === "failure");
    assert.match(last.failure.message, said);
  }
});

Deno.test("resolveRoute() probes local servers only when nothing else is left", async () => {
  const keyed = setup({ env: { OPENROUTER_API_KEY: "k" } });
  await keyed.resolve();
  assert.deepEqual(keyed.probed, []);
  const bare = setup();
  const route = await bare.resolve();
  assert.deepEqual(bare.probed.toSorted(), [
    "http://127.0.0.1:11434/v1/models",
    "http://127.0.0.1:1234/v1/models",
  ]);
  assert.match(route.notice!, /offline model answers; set OPENROUTER_API_KEY/);
});

Deno.test("resolveRoute() gives up on a local server that does not answer", async () => {
  using time = new FakeTime();
  const probing = resolveRoute({
    config: {},
    env: () => undefined,
    probeFetch: (_, init) =>
      new Promise((_, reject) =>
        init!.signal!.addEventListener("abort", () => reject(new Error()))
      ),
  });
  await time.tick(5_000);
  assert.equal(time.waiting, 0, "nobody waits any more");
  assert.equal((await probing).source, "offline");
});

Deno.test("resolveRoute() reads provider and model out of one name", async () => {
  const both = { OPENROUTER_API_KEY: "or", ANTHROPIC_API_KEY: "ant" };
  const router = { OPENROUTER_API_KEY: "or" };
  const cases: [string, Record<string, string>, string][] = [
    ["anthropic/claude-opus-5", both, "flag anthropic claude-opus-5"],
    ["anthropic/claude-opus-5", router, "flag openrouter anthropic/claude-opus-5"],
    ["openrouter/anthropic/claude-opus-5", both, "flag openrouter anthropic/claude-opus-5"],
    ["openrouter:qwen/qwen3-coder:free", both, "flag openrouter qwen/qwen3-coder:free"],
    ["openrouter/auto", router, "flag openrouter openrouter/auto"],
    ["meta-llama/llama-4", router, "flag openrouter meta-llama/llama-4"],
    ["groq/openai/gpt-oss-120b", { GROQ_API_KEY: "g" }, "flag groq openai/gpt-oss-120b"],
    ["claude-opus-5", both, "flag anthropic claude-opus-5"],
    ["gemini-3.6-flash", router, "flag openrouter google/gemini-3.6-flash"],
    ["some-unknown", { GROQ_API_KEY: "g" }, "flag groq some-unknown"],
    ["ollama:qwen3:8b", {}, "flag ollama qwen3:8b"],
    ["offline/offline", {}, "flag offline offline"],
  ];
  for (const [model, env, expected] of cases) {
    assert.equal(place(await setup({ model, env }).resolve()), expected, model);
  }
});

Deno.test("resolveRoute() finds a bare model on a local server when no key fits", async () => {
  const servers = { "http://127.0.0.1:1234": ["qwen/qwen3-8b", "other"] };
  assert.equal(place(await setup({ model: "other", servers }).resolve()), "flag lmstudio other");
  const slug = setup({ model: "qwen/qwen3-8b", servers });
  assert.equal(place(await slug.resolve()), "flag lmstudio qwen/qwen3-8b");
});

Deno.test("resolveRoute() keeps the configured endpoint when only the model changes", async () => {
  const config = {
    model: { provider: "custom", base_url: "http://10.0.0.5:8000/v1", api_key: "secret" },
  };
  const run = setup({ model: "vendor/big", config });
  const route = await run.resolve();
  assert.equal(place(route), "flag custom vendor/big");
  const { url, init } = await sentBy(route.primary, run);
  assert.equal(url, "http://10.0.0.5:8000/v1/chat/completions");
  assert.equal(init.headers["authorization"], "Bearer secret");
});

Deno.test("resolveRoute() asks a server that was named without a model", async () => {
  const servers = { "http://127.0.0.1:9999": ["served-model"] };
  const run = setup({ baseUrl: "http://127.0.0.1:9999", servers });
  assert.equal(place(await run.resolve()), "flag custom served-model");
  assert.deepEqual(run.probed, ["http://127.0.0.1:9999/v1/models"]);
  const moved = setup({ env: { OPENAI_BASE_URL: "http://127.0.0.1:9999/v1" }, servers });
  assert.equal(place(await moved.resolve()), "key openai served-model");
  const baseUrl = "http://127.0.0.1:9998";
  await refuses(
    { baseUrl, servers: { [baseUrl]: [] } },
    /9998\/v1 has no model loaded: pass --model/,
  );
  await refuses(
    { baseUrl, servers: { [baseUrl]: "<html>" } },
    /does not say which models.*--model/,
  );
  await refuses({ baseUrl, exitCode: EXIT.provider }, /9998\/v1 does not answer: start it/);
});

Deno.test("resolveRoute() never sends a vendor's key to another host", async () => {
  const env = {
    OPENROUTER_API_KEY: "or-key",
    OPENAI_API_KEY: "oai-key",
    ANTHROPIC_API_KEY: "ant-key",
  };
  const foreign: Partial<RouteOptions>[] = [
    { baseUrl: "https://evil.example/v1" },
    { baseUrl: "https://evil.example/v1", provider: "openrouter" },
    { baseUrl: "https://evil.example", provider: "anthropic" },
    { baseUrl: "https://openrouter.ai.evil.example/api/v1", provider: "openrouter" },
    { baseUrl: "http://openrouter.ai/api/v1", provider: "openrouter" },
    { baseUrl: "https://openrouter.ai:8443/api/v1", provider: "openrouter" },
  ];
  for (const options of foreign) {
    const config = { model: { provider: "openai", api_key: "configured-key" } };
    const run = setup({ ...options, model: "m", env, config });
    const { init } = await sentBy((await run.resolve()).primary, run);
    const headers = JSON.stringify(init.headers);
    assert.ok(
      !/or-key|oai-key|ant-key|configured-key/.test(headers),
      `${options.baseUrl} ${headers}`,
    );
  }
});

Deno.test("resolveRoute() sends the keys that belong to an address", async () => {
  const url = "https://llm.example/v1";
  const cases: [Setup, string | undefined][] = [
    [{ env: { OPENROUTER_API_KEY: "a" }, provider: "openrouter" }, "a"],
    [{ env: { HERMES_API_KEY: "b" }, baseUrl: url, model: "m" }, "b"],
    [{ env: { OPENAI_API_KEY: "c", OPENAI_BASE_URL: url }, model: "openai:m" }, "c"],
    [{ config: { model: { base_url: url, api_key: "d", default: "m" } } }, "d"],
    [{
      env: { MINE: "e" },
      config: { providers: { mine: { base_url: url, key_env: "MINE" } } },
      model: "mine:m",
    }, "e"],
    [{ env: { HERMES_API_KEY: "f" }, provider: "ollama", model: "m" }, undefined],
  ];
  for (const [options, key] of cases) {
    const run = setup(options);
    const { init } = await sentBy((await run.resolve()).primary, run);
    assert.equal(init.headers["authorization"], key && `Bearer ${key}`);
  }
});

Deno.test("resolveRoute() chooses the wire format by provider, address and setting", async () => {
  const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", HERMES_API_KEY: "k" };
  const cases: [Setup, string][] = [
    [{ provider: "openai" }, "https://api.openai.com/v1/responses"],
    [{ provider: "anthropic" }, "https://api.anthropic.com/v1/messages"],
    [
      { provider: "openai", baseUrl: "http://h:81/v1", model: "m" },
      "http://h:81/v1/chat/completions",
    ],
    [{ baseUrl: "https://h/anthropic", model: "m" }, "https://h/anthropic/v1/messages"],
    [
      { baseUrl: "http://h:81/v1/chat/completions/", model: "m" },
      "http://h:81/v1/chat/completions",
    ],
    [
      { config: { model: { base_url: "http://h:81", default: "m", api_mode: "codex_responses" } } },
      "http://h:81/v1/responses",
    ],
  ];
  for (const [options, url] of cases) {
    const run = setup({ env, ...options });
    assert.equal((await sentBy((await run.resolve()).primary, run)).url, url);
  }
});

Deno.test("resolveRoute() builds fallbacks and leaves out the unusable with a line", async () => {
  const run = setup({
    env: { OPENROUTER_API_KEY: "or", ANTHROPIC_API_KEY: "ant" },
    config: {
      fallback_providers: [
        { provider: "anthropic", model: "claude-opus-5" },
        { provider: "groq", model: "x" },
        { provider: "nope", model: "x" },
      ],
    },
  });
  const route = await run.resolve();
  assert.deepEqual(route.fallbacks.map((each) => `${each.name}/${each.model.id}`), [
    "anthropic/claude-opus-5",
  ]);
  assert.match(
    route.notice!,
    /fallback groq is left out: groq needs a key.*\nfallback nope is left out/,
  );
  const sent = await sentBy(route.fallbacks[0]!, run);
  assert.equal(sent.init.headers["x-api-key"], "ant");
});

Deno.test("resolveRoute() refuses what cannot be, in one line", async () => {
  await refuses(
    { provider: "antropic" },
    /unknown provider "antropic"\. Did you mean "anthropic"\?/,
  );
  await refuses({ provider: "zzzzzzzz" }, /Known: openrouter/);
  await refuses({ provider: "groq" }, /groq needs a key: set GROQ_API_KEY/);
  await refuses({ provider: "custom" }, /needs an address: pass --base-url/);
  await refuses(
    { model: "claude-opus-5" },
    /no provider for model "claude-opus-5": .*set ANTHROPIC_API_KEY/,
  );
  await refuses({ model: "antropic/claude" }, /Did you mean "anthropic"/);
  await refuses({ baseUrl: "localhost:8000", model: "m" }, /is not an http\(s\) address/);
  await refuses({ baseUrl: "http://a:b@h/v1", model: "m" }, /must not carry credentials/);
  await refuses({ env: { OPENROUTER_API_KEY: "a\nb" } }, /OPENROUTER_API_KEY holds characters/);
});

Deno.test("resolveRoute() follows a cassette without key or settings, and tells a recorder", async () => {
  const target = {
    provider: "mine",
    model: "m",
    baseUrl: "https://llm.example/v1",
    wire: "openai_responses",
  } as const;
  const sent: string[] = [];
  const told: unknown[] = [];
  const fetch = Object.assign((url: string) => {
    sent.push(url);
    return Promise.resolve(new Response("{}", { status: 500 }));
  }, { target, describe: (seen: unknown) => told.push(seen) });
  const route = await resolveRoute({ config: {}, env: () => undefined, wireFetch: fetch });
  assert.deepEqual(route.target, target);
  assert.deepEqual(told, [target]);
  await Array.fromAsync(route.primary.stream(REQUEST, new AbortController().signal));
  assert.deepEqual(sent, ["https://llm.example/v1/responses"]);
});
