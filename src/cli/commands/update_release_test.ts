import assert from "node:assert/strict";
import { compareVersions } from "./update_release.ts";

Deno.test("compareVersions() orders by number, and a pre-release before its release", () => {
  const ordered = ["0.9.0", "0.10.0-alpha", "0.10.0-rc.2", "0.10.0-rc.10", "0.10.0", "1.0.0"];
  for (let i = 1; i < ordered.length; i++) {
    assert.ok(compareVersions(ordered[i - 1]!, ordered[i]!) < 0, `${ordered[i - 1]} ${ordered[i]}`);
    assert.ok(compareVersions(ordered[i]!, ordered[i - 1]!) > 0);
  }
  assert.equal(compareVersions("1.2.3", "1.2.3"), 0);
});
