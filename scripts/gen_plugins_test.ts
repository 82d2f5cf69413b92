import assert from "node:assert/strict";
import { joinModules, typesOnly } from "./gen_plugins.ts";

Deno.test("joinModules() leaves out imports between the files and keeps the rest", () => {
  const joined = joinModules([
    "export interface A {}\n",
    `import type { A } from "./a.ts";\nexport type { A } from "./a.ts";\nimport {\n  B,\n} from "../b.ts";\nexport const b: A = {};\n`,
  ]);
  assert.equal(joined, "export interface A {}\n\nexport const b: A = {};\n");
});

Deno.test("typesOnly() leaves out functions and what is written above them", () => {
  const source = `/** A file. */

/** A type. */
export interface A {
  b(): void;
}

/** Makes one. */
export function make(): A {
  return { b() {} };
}

export type C = A;
`;
  assert.equal(
    typesOnly(source),
    "/** A file. */\n\n/** A type. */\nexport interface A {\n  b(): void;\n}\n\nexport type C = A;\n",
  );
});
