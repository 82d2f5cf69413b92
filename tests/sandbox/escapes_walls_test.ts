import { testEscapes } from "./_escape_suite.ts";

await testEscapes("deno", ({ without }) => without.length > 0);
