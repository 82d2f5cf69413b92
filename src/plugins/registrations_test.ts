import assert from "node:assert/strict";
import { checkRegistrations } from "./registrations.ts";

const TOOL = { name: "t", description: "d", schema: { type: "object" } };

Deno.test("checkRegistrations() survives anything", () => {
  for (
    const value of [undefined, null, 1, "x", [], { tools: 1, hooks: {} }, { tools: [null, 1] }]
  ) {
    const { registrations } = checkRegistrations(value);
    assert.deepEqual(registrations.tools, []);
  }
});

Deno.test("checkRegistrations() keeps known fields of a tool and bounds its time", () => {
  const { registrations } = checkRegistrations({
    tools: [{
      ...TOOL,
      timeoutMs: 1e9,
      parallel: true,
      checked: false,
      toolset: "terminal",
      handler: "x",
    }],
  });
  assert.deepEqual(registrations.tools, [{ ...TOOL, timeoutMs: 420_000, parallel: true }]);
});

Deno.test("checkRegistrations() leaves out tools the model could not use", () => {
  const { registrations, problems } = checkRegistrations({
    tools: [
      { ...TOOL, name: "bad name" },
      { ...TOOL, name: "x".repeat(65) },
      { ...TOOL, description: " " },
      { ...TOOL, schema: { type: "string" } },
      { ...TOOL, schema: { type: "object", x: "y".repeat(30_000) } },
      TOOL,
    ],
  });
  assert.equal(registrations.tools.length, 1);
  assert.equal(problems.length, 5);
  const many = checkRegistrations({ commands: Array(130).fill({ name: "c", description: "d" }) });
  assert.equal(many.registrations.commands.length, 128);
  assert.deepEqual(many.problems, ["2 commands are left out: 128 are enough"]);
});

Deno.test("checkRegistrations() keeps the place of each hook", () => {
  const { registrations, problems } = checkRegistrations({
    hooks: [
      { name: "nothing", index: 0 },
      { name: "post_tool_call", index: 1 },
      { name: "pre_tool_call", index: 2, timeoutMs: 1e6 },
      { name: "subagent_stop", index: 3 },
    ],
  });
  assert.deepEqual(registrations.hooks, [
    { name: "post_tool_call", index: 1, timeoutMs: 5_000 },
    { name: "pre_tool_call", index: 2, timeoutMs: 60_000 },
  ]);
  assert.match(problems[0]!, /there is no such hook/);
  assert.match(problems[1]!, /hermes has no sub-agents/);
});

Deno.test("checkRegistrations() bounds what goes into the prompt", () => {
  const section = (id: string, length: number) => ({ id, text: "x".repeat(length) });
  const { registrations, problems } = checkRegistrations({
    sections: [section("a", 4_000), section("b", 4_001), section("c", 3_000), section("d", 2_000)],
  });
  assert.deepEqual(registrations.sections.map(({ id }) => id), ["a", "c"]);
  assert.equal(problems.length, 2);
});

Deno.test("checkRegistrations() keeps skills inside the plugin", () => {
  const { registrations } = checkRegistrations({
    skills: [
      { name: "up", description: "", path: "../x.md" },
      { name: "root", description: "", path: "/etc/passwd" },
      { name: "none", description: "" },
      { name: "good", description: "g", path: "skills/x.md" },
    ],
  });
  assert.deepEqual(registrations.skills, [{ name: "good", description: "g", path: "skills/x.md" }]);
});

Deno.test("checkRegistrations() throws for nothing that a plugin can send", () => {
  const odd = { toString: 1, toJSON: 1 };
  const keys = ["tools", "hooks", "commands", "skills", "sections", "services", "timers"];
  for (const key of [...keys, "routes", "platforms", "providers"]) {
    const named = { name: "a", id: "a", path: "/a", index: odd, description: odd, args: odd };
    const items = [odd, { name: odd, path: odd, id: odd }, named, null, 1, []];
    const { problems } = checkRegistrations({ [key]: items });
    assert.ok(problems.length > 0, key);
  }
  assert.deepEqual(checkRegistrations({ tools: odd, hooks: "x" }).problems, []);
});
