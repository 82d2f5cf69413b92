import { testEscapes } from "./_escape_suite.ts";

await testEscapes("reexec");
