import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { testEnvironment } from "./environment_suite.ts";

testEnvironment(
  { name: "local", module: new URL("./environment_local.ts", import.meta.url).href },
  ENVIRONMENT_CASES,
);
