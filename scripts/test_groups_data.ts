/**
 * Test files that need more than most: a folder ends in `/` and means everything below it. A file
 * that is not here may read the tree, write below the run's temporary directory and use loopback.
 */

/** Tests that start programs. */
export const STARTS_PROGRAMS: readonly string[] = [
  "environments/",
  "scripts/",
  "tests/",
  "src/cli/commands/tools/report_test.ts",
  "src/cli/commands/update/install_test.ts",
  "src/cli/session_listener_test.ts",
  "src/cli/stray_test.ts",
  "src/host/host_test.ts",
  "src/plugins/",
  "src/process/",
  "src/registry/hooks/",
  "src/sandbox/",
  "src/session/",
  "src/store/",
  "tools/",
];

/** Tests whose code reads `/proc` or `/sys`, which Deno gives to nobody who has not everything. */
export const NEEDS_ALL: readonly string[] = [];
