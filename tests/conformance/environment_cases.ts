/** Every conformance case an environment has to pass. */
import { END_CASES } from "./environment_end_cases.ts";
import { EXEC_CASES } from "./environment_exec_cases.ts";
import { FILE_CASES } from "./environment_file_cases.ts";
import { MEMORY_CASES } from "./environment_memory_cases.ts";
import { PROCESS_CASES } from "./environment_process_cases.ts";
import { STATE_CASES } from "./environment_state_cases.ts";
import type { EnvironmentCase } from "./environment_suite.ts";

export const ENVIRONMENT_CASES: readonly EnvironmentCase[] = [
  ...EXEC_CASES,
  ...STATE_CASES,
  ...END_CASES,
  ...PROCESS_CASES,
  ...FILE_CASES,
  ...MEMORY_CASES,
];
