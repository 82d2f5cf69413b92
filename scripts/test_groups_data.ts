/**
 * Test files that need more than most: a folder ends in `/` and means everything below it. A file
 * that is not here may read the tree, write below the run's temporary directory and use loopback.
 */

/** Tests that start programs, or that make symbolic links: Deno asks for every path for a link. */
export const STARTS_PROGRAMS: readonly string[] = [
  "environments/",
  "scripts/",
  "tests/",
  "src/cli/commands/tools/report_test.ts",
  "src/cli/commands/update/install_test.ts",
  "src/cli/session_listener_test.ts",
  "src/cli/stray_test.ts",
  "src/config/",
  "src/host/",
  "src/plugins/",
  "src/providers/openai_wire_test.ts",
  "src/providers/watchdog_test.ts",
  "src/registry/hooks/",
  "src/session/",
  "src/store/",
  "src/text/foreign_text_test.ts",
  "src/util/reason_test.ts",
  "src/util/remove_tree_test.ts",
  "tools/",
];

/**
 * Tests whose code reads `/proc`, `/sys` or devices, or that listen on a socket of the file
 * system: Deno gives these to nobody who has not everything.
 */
export const NEEDS_ALL: readonly string[] = [
  "environments/cloud/",
  "environments/local/environment_test.ts",
  "environments/process_table_test.ts",
  "environments/singularity/environment_test.ts",
  "scripts/services/",
  "scripts/test_leftovers_test.ts",
  "scripts/test_run_test.ts",
  "src/plugins/push/cpu_watch_test.ts",
  "src/process/",
  "src/sandbox/",
  "src/store/open_test.ts",
  "src/util/hide_memory_test.ts",
  "tests/binary/",
  "tests/conformance/",
  "tests/crash/",
  "tests/host/",
  "tests/plugins/",
  "tests/sandbox/",
  "tools/patch_test.ts",
  "tools/process_test.ts",
  "tools/read_file_test.ts",
  "tools/terminal_test.ts",
  "tools/write_file_test.ts",
];
