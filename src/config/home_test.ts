import assert from "node:assert/strict";
import { requireProfile, resolveHome } from "./home.ts";

Deno.test("resolveHome() prefers HERMES_HOME to the user's home", () => {
  assert.equal(resolveHome({ env: { HOME: "/u" } }).dir, "/u/.hermes");
  assert.equal(resolveHome({ env: { HOME: "/u", HERMES_HOME: "/x/" } }).dir, "/x");
  assert.equal(resolveHome({ env: { HOME: "/u", HERMES_HOME: "~/h" } }).dir, "/u/h");
  assert.equal(resolveHome({ env: { HERMES_HOME: "rel" }, cwd: "/w" }).dir, "/w/rel");
  assert.equal(resolveHome({ env: { HOME: "/u", HERMES_HOME: " " } }).dir, "/u/.hermes");
});

Deno.test("resolveHome() puts a profile below the root", () => {
  const home = resolveHome({ env: { HOME: "/u" }, profile: "work" });
  assert.equal(home.root, "/u/.hermes");
  assert.equal(home.path("state.db"), "/u/.hermes/profiles/work/state.db");
  assert.equal(resolveHome({ env: { HOME: "/u" }, profile: "default" }).dir, "/u/.hermes");
});

Deno.test("resolveHome() refuses names that could leave the profiles directory", () => {
  for (const profile of ["..", "a/b", "", "A", "-x", "a".repeat(65)]) {
    assert.throws(() => resolveHome({ env: { HOME: "/u" }, profile }), /is no profile name/);
  }
});

Deno.test("resolveHome() says what to set when there is no home at all", () => {
  assert.throws(() => resolveHome({ env: {} }), /neither HERMES_HOME nor HOME/);
});

Deno.test("requireProfile() refuses a profile that does not exist", async () => {
  const root = await Deno.makeTempDir();
  try {
    const env = { HERMES_HOME: root };
    await requireProfile(resolveHome({ env }));
    await assert.rejects(
      requireProfile(resolveHome({ env, profile: "work" })),
      /no profile "work"/,
    );
    await Deno.mkdir(`${root}/profiles/work`, { recursive: true });
    await requireProfile(resolveHome({ env, profile: "work" }));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
