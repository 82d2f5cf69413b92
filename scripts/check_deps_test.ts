import assert from "node:assert/strict";
import { dependencyProblems } from "./check_deps.ts";

const DOCS =
  "| name | version | reason |\n| --- | --- | --- |\n| `zod` | 4.6.7 | validates |\n| @a/b | 1.0.0 | why |\n";
const IMPORTS = { zod: "npm:zod@4.6.7", "@a/b/x": "npm:@a/b@1.0.0/x" };
const NO_SOURCES: ReadonlyMap<string, string> = new Map();

Deno.test("dependencyProblems() accepts exact pins with a documented reason", () => {
  assert.deepEqual(dependencyProblems({ imports: IMPORTS, docs: DOCS, sources: NO_SOURCES }), []);
});

Deno.test("dependencyProblems() rejects ranges, tags and bare names", () => {
  for (const loose of ["npm:zod@^4.6.7", "npm:zod@latest", "npm:zod", "jsr:@std/fs@1.0.0"]) {
    const imports = { ...IMPORTS, extra: loose };
    const problems = dependencyProblems({ imports, docs: DOCS, sources: NO_SOURCES });
    assert.deepEqual(problems, [`deno.json: "extra" is ${loose}: write npm:name@x.y.z`]);
  }
});

Deno.test("dependencyProblems() finds missing and left-over rows", () => {
  const imports = { zod: "npm:zod@4.7.0" };
  const problems = dependencyProblems({ imports, docs: DOCS, sources: NO_SOURCES });
  assert.equal(problems.length, 2);
  assert.match(problems[0]!, /no row "\| zod \| 4\.7\.0/);
  assert.match(problems[1]!, /@a\/b is no longer/);
});

Deno.test("dependencyProblems() finds imports around the import map", () => {
  const specifier = ["npm", "left-pad@1.0.0"].join(":");
  for (const form of [`import x from "${specifier}";`, `await import('${specifier}')`]) {
    const sources = new Map([["src/a.ts", form]]);
    const problems = dependencyProblems({ imports: IMPORTS, docs: DOCS, sources });
    assert.match(problems[0]!, /^src\/a\.ts: imports npm:left-pad@1\.0\.0 directly/);
  }
});

Deno.test("dependencyProblems() lets the doors in src/deps name a package, exactly pinned", () => {
  const exact = ["npm", "heavy@1.2.3"].join(":");
  const docs = `${DOCS}| heavy | 1.2.3 | rarely needed |\n`;
  const open = new Map([["src/deps/heavy.ts", `export { a } from "${exact}";`]]);
  assert.deepEqual(dependencyProblems({ imports: IMPORTS, docs, sources: open }), []);
  const loose = new Map([["src/deps/heavy.ts", `export { a } from "${exact.slice(0, -6)}";`]]);
  assert.match(
    dependencyProblems({ imports: IMPORTS, docs, sources: loose })[0]!,
    /^src\/deps\/heavy\.ts is npm:heavy: write/,
  );
});
