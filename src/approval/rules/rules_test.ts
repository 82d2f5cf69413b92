import assert from "node:assert/strict";
import { inspect } from "../decide.ts";
import type { Rule } from "./rule.ts";
import { failedExample, RULES } from "./rules.ts";

Deno.test("RULES hold on every one of their examples", () => {
  for (const rule of RULES) {
    assert.equal(failedExample(rule), undefined, rule.key);
    assert.ok(rule.match.length > 0 && rule.noMatch.length > 0, rule.key);
    for (const example of rule.match) {
      const { findings } = inspect(example);
      assert.ok(findings.some(({ key }) => key === rule.key), `${rule.key}: ${example}`);
    }
  }
});

Deno.test("RULES have one name each, and no rule's other name is another's", () => {
  const keys = RULES.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  for (const alias of RULES.flatMap(({ aliases }) => aliases ?? [])) {
    assert.ok(!keys.includes(alias), alias);
  }
});

const WRONG: Rule = {
  key: "wrong",
  kind: "hardline",
  description: "is wrong about itself",
  programs: ["ls"],
  test: () => false,
  match: ["ls"],
  noMatch: ["cat"],
};

Deno.test("failedExample() finds an example that a rule gets wrong", () => {
  assert.equal(failedExample(WRONG), "ls");
  const { programs: _, ...forAll } = WRONG;
  assert.equal(failedExample({ ...forAll, test: () => true }), "cat");
  assert.equal(failedExample({ ...WRONG, test: () => true }), undefined);
});
