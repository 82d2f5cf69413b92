import assert from "node:assert/strict";
import { fitResult, resultLimits } from "./result_limits.ts";

const LIMITS = resultLimits(() => undefined);

function fit(text: string, options: {
  name?: string;
  maxResultChars?: number;
  usedChars?: number;
  spill?: () => Promise<string>;
} = {}) {
  const { name = "t", maxResultChars, usedChars = 0 } = options;
  return fitResult(text, {
    facts: {
      name,
      toolset: "x",
      description: "",
      schema: {},
      ...(maxResultChars === undefined ? {} : { maxResultChars }),
    },
    callId: "c1",
    limits: LIMITS,
    usedChars,
    spill: { write: options.spill ?? (() => Promise.resolve("/spill/c1.txt")) },
  });
}

Deno.test("resultLimits() takes the configuration and shrinks with the context window", () => {
  assert.deepEqual(LIMITS, {
    perResult: 100_000,
    perBatch: 200_000,
    perMcpResult: 50_000,
    preview: 1_500,
  });
  const small = resultLimits(() => undefined, 8_000);
  assert.deepEqual([small.perResult, small.perBatch, small.perMcpResult], [8_000, 16_000, 8_000]);
  const middle = resultLimits(() => undefined, 32_000);
  assert.deepEqual([middle.perResult, middle.perBatch], [19_200, 38_400]);
  const set = resultLimits((path) => path === "tool_budget.result_size_chars" ? 500 : undefined);
  assert.equal(set.perResult, 500);
});

Deno.test("fitResult() keeps what fits, by the tool's own limit too", async () => {
  const text = "x".repeat(60_000);
  assert.equal(await fit(text), text);
  assert.match(await fit(text, { maxResultChars: 50_000 }), /^<persisted-output>/);
  assert.match(await fit(text, { name: "mcp__s__t" }), /^<persisted-output>/);
  const long = "x".repeat(180_000);
  assert.equal(await fit(long, { maxResultChars: 1_000_000 }), long);
  assert.match(await fit(text, { usedChars: 150_000 }), /^<persisted-output>/);
});

Deno.test("fitResult() says where the rest is and cuts the preview at a line", async () => {
  const line = `${"y".repeat(99)}\n`;
  const text = await fit(line.repeat(1_001));
  assert.match(text, /100100 characters \(101 KB\)/);
  assert.match(text, /Full output saved to: \/spill\/c1\.txt/);
  assert.match(text, /first 1499 characters/);
  assert.match(text, /y{99}\n\.\.\.\n<\/persisted-output>$/);
});

Deno.test("fitResult() truncates when the file cannot be written and splits no character", async () => {
  const spill = () => Promise.reject(new Error("disk full"));
  const text = await fit("a" + "😀".repeat(60_000), { spill });
  assert.match(text, /Truncated: the result had 120001 characters.*disk full/);
  assert.ok(text.isWellFormed());
});
