/** `docs/configuration.md` and `docs/cli.md` say what the code does. */
import assert from "node:assert/strict";
import { docTables, readTable } from "../../scripts/gen_docs.ts";

for (const { file, heading, rows } of docTables()) {
  Deno.test(`${file} lists everything under "${heading}"`, async () => {
    const text = await Deno.readTextFile(new URL(`../../${file}`, import.meta.url));
    const stale = `${file} is stale: run "deno run -A scripts/gen_docs.ts"`;
    assert.deepEqual(readTable(text, heading), rows, stale);
  });
}
