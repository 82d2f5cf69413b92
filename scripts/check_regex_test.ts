import assert from "node:assert/strict";
import { auditRegexes } from "./check_regex.ts";
import { growthOf } from "./_regex_growth.ts";
import { regexesIn } from "./_regex_list.ts";

const SLOW: [source: string, flags?: string][] = [
  ["[^\\n]*\\r"],
  ["(a+)+b"],
  ["(?:(?:(?:a?)?)?b?)*c"],
  ["^(\\w+\\s?)*$"],
  ["(x+x+)+y"],
  ["\\s*,\\s*"],
  ["^\\s+|\\s+$"],
  ["\\/+$"],
  ["<!--[^]*?-->"],
  ["<[^]*[^=]>\\s*[(`]"],
  ["<!\\[CDATA\\[[\\s\\S]*?\\]\\]>"],
  ["model.*(?:not found|missing)", "i"],
  ["^\\s*```\\s*\\n([^]*?)\\n\\s*```\\s*$"],
  ["(\\w+)\\1z"],
  ["^\\d+\\.?\\d*$"],
  ["(?<=a*)b"],
  ["(?=.*x)y"],
  ["^\\*{3} Move:\\s*(.+?)\\s*$"],
];
const LINEAR: [source: string, flags?: string][] = [
  ["a|b"],
  ["\\w+"],
  ["^[a-z]+$"],
  ['"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"'],
  ["\\x1b\\[[0-?]*[ -/]*[@-~]"],
  ["model(?:(?!model).)*(?:not found|missing)", "i"],
  ["^\\s+"],
  ["<[^<>]*>"],
  ["(?<![a-z])[a-z]+="],
];

Deno.test("growthOf() finds a text for every expression that is not linear, and for no other", () => {
  for (const [source, flags = ""] of SLOW) assert.ok(growthOf(source, flags).slow, source);
  for (const [source, flags = ""] of LINEAR) {
    const { slow } = growthOf(source, flags);
    assert.equal(slow, undefined, `${source} ${JSON.stringify(slow)}`);
  }
});

Deno.test("regexesIn() finds literals and constructions, with their text where it is constant", () => {
  const found = regexesIn(
    "a.ts",
    "const a: RegExp = /x+/gi;\nnew RegExp('y' + `z`, 'm');\nRegExp(String.raw`\\d`);\n" +
      "new RegExp(name);\nconst no = '/not one/'; // /nor this/\n",
  );
  assert.deepEqual(
    found.map(({ line, source, flags }) => [line, source, flags]),
    [[1, "x+", "gi"], [2, "yz", "m"], [3, "\\d", ""], [4, undefined, ""]],
  );
});

Deno.test("auditRegexes() wants a reason for each that is slow or built, and no reason without one", async () => {
  const found = regexesIn("a.ts", "/\\s+$/; /[^x]*y/; new RegExp(name);");
  const none = await auditRegexes(found, { bounded: [], built: [] });
  assert.equal(none.problems.length, 3, none.problems.join("\n"));
  const bounded = [
    { file: "a.ts", source: "\\s+$", why: "short" },
    { file: "a.ts", source: "gone", why: "gone" },
  ];
  const { problems } = await auditRegexes(found.slice(0, 2), { bounded, built: [] });
  assert.equal(problems.length, 2, problems.join("\n"));
  assert.match(problems[0]!, /a\.ts:1: \/\[\^x\]\*y\/ is not linear/);
  assert.match(problems[1]!, /no expression for "gone"/);
});
