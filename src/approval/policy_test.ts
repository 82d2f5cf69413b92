import assert from "node:assert/strict";
import { effectivePolicy, sandboxOf } from "./policy.ts";

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
      [{ mode: "plan", interactive: false, headless: "always" }, "plan"],
      [{ mode: "ask-all", interactive: false, headless: "never" }, "ask-all"],
      [{ mode: "plan", interactive: true, flag: "ask" }, "ask"],
      [{ mode: "manual", interactive: false, headless: "plan" }, "plan"],
    ] as const
  ) assert.equal(effectivePolicy(sources), policy, JSON.stringify(sources));
});

Deno.test("sandboxOf() wants walls that change nothing for a plan, and leaves the others alone", () => {
  assert.equal(sandboxOf("plan"), "read-only");
  for (const policy of ["never", "ask", "smart", "always", "ask-all"] as const) {
    assert.equal(sandboxOf(policy), undefined);
  }
});
