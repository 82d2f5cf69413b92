import assert from "node:assert/strict";
import { modelInfo, normalizeModelName } from "./model_info.ts";
import { withCost } from "./cost.ts";

Deno.test("normalizeModelName() drops vendor and variant and folds dots", () => {
  assert.equal(normalizeModelName("anthropic/Claude-Opus-4.6:beta"), "claude-opus-4-6");
});

Deno.test("modelInfo() takes the longest known name", () => {
  assert.equal(modelInfo("gpt-5.4-mini-2026-03-01").inputPrice, 0.75);
  assert.equal(modelInfo("gpt-5.4").inputPrice, 2.5);
  assert.equal(modelInfo("anthropic/claude-sonnet-4.6").contextTokens, 1_000_000);
  assert.equal(modelInfo("claude-sonnet-4-5-20250929").contextTokens, 200_000);
  assert.equal(modelInfo("qwen3:8b").contextTokens, 131_072);
  assert.equal(modelInfo("o3x").inputPrice, undefined);
});

Deno.test("modelInfo() guesses for unknown names and obeys what the person knows", () => {
  const unknown = modelInfo("nobody/has-heard-of-it");
  assert.equal(unknown.contextTokens, 128_000);
  assert.equal(unknown.inputPrice, undefined);
  assert.equal(unknown.images, true);
  assert.equal(modelInfo("x", { contextTokens: 9000 }).contextTokens, 9000);
});

Deno.test("modelInfo() makes local and free models cost nothing", () => {
  const usage = {
    inputTokens: 9,
    outputTokens: 9,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  assert.equal(withCost(usage, modelInfo("llama3.2", { local: true })).costUsd, 0);
  assert.equal(withCost(usage, modelInfo("qwen/qwen3-coder:free")).costUsd, 0);
  assert.equal(withCost(usage, modelInfo("nobody/has-heard-of-it")).costUsd, undefined);
});

Deno.test("withCost() prices cache reads and writes apart and keeps a stated cost", () => {
  const model = modelInfo("claude-sonnet-4-6");
  const usage = {
    inputTokens: 1000,
    outputTokens: 100,
    cachedInputTokens: 600,
    cacheWriteTokens: 300,
    reasoningTokens: 0,
  };
  assert.equal(withCost(usage, model).costUsd, (100 * 3 + 600 * 0.3 + 300 * 3.75 + 100 * 15) / 1e6);
  assert.equal(withCost({ ...usage, costUsd: 0.5 }, model).costUsd, 0.5);
});
