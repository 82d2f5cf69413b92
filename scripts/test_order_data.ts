/**
 * The test files that take longest: started last, each would run on alone. Those that mostly wait
 * for containers and sessions stand between those that compute, so that no core is idle.
 */
export const SLOW_FIRST: readonly string[] = [
  "tests/conformance/environment_docker_test.ts",
  "tests/binary/suites_test.ts",
  "tests/sandbox/escapes_walls_test.ts",
  "tests/walls/everyday_test.ts",
  "tests/conformance/environment_ssh_test.ts",
  "tests/crash/kill_test.ts",
  "tests/binary/escapes_test.ts",
  "tests/conformance/environment_daytona_test.ts",
  "tests/plugins/escapes_test.ts",
  "tests/sandbox/escapes_reexec_test.ts",
  "tests/conformance/environment_modal_test.ts",
  "tests/plugins/cache_test.ts",
  "tests/run/environment_test.ts",
  "tests/plugins/remote_test.ts",
  "tests/plugins/command_test.ts",
  "tests/conformance/environment_podman_test.ts",
  "tests/sandbox/semantics_test.ts",
  "tests/plugins/broken_test.ts",
  "tests/sandbox/escapes_test.ts",
  "tests/conformance/docker_environment_test.ts",
  "tests/binary/ci_docs_test.ts",
  "tests/binary/release_workflow_test.ts",
  "tests/binary/surface_test.ts",
  "tests/binary/unpack_test.ts",
  "tests/approval/fuzz_test.ts",
  "tests/run/bad_input_test.ts",
  "tests/run/contract_test.ts",
  "scripts/release_test.ts",
];
