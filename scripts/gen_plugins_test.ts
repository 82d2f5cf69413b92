import assert from "node:assert/strict";
import { joinModules } from "./gen_plugins.ts";

Deno.test("joinModules() leaves out imports between the files and keeps the rest", () => {
  const joined = joinModules([
    "export interface A {}\n",
    `import type { A } from "./a.ts";\nexport type { A } from "./a.ts";\nimport {\n  B,\n} from "../b.ts";\nexport const b: A = {};\n`,
  ]);
  assert.equal(joined, "export interface A {}\n\nexport const b: A = {};\n");
});
