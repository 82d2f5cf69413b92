import assert from "node:assert/strict";
import { effectivePolicy } from "./policy.ts";

Deno.test("effectivePolicy() lets the flag win, then off, then who is present", () => {
  for (
    const [sources, policy] of [
      [{ mode: "manual", interactive: true }, "ask"],
      [{ mode: "smart", interactive: true }, "smart"],
      [{ mode: "off", interactive: true }, "always"],
      [{ mode: "manual", interactive: false }, "never"],
      [{ mode: "smart", interactive: false }, "never"],
      [{ mode: "smart", interactive: false, headless: "smart" }, "smart"],
      [{ mode: "off", interactive: false, headless: "never" }, "always"],
      [{ mode: "off", interactive: false, flag: "never" }, "never"],
      [{ mode: "manual", interactive: true, flag: "always" }, "always"],
    ] as const
  ) assert.equal(effectivePolicy(sources), policy, JSON.stringify(sources));
});
