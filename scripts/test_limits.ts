/** How long tests may take, and the variable that tells a shorter limit to a run in a test. */

/** The variable with the limit of one test, in milliseconds. */
export const TEST_LIMIT_MS = "HERMES_TEST_LIMIT_MS";

/** Five times what the slowest test takes on two cores. Longer ones say so: `timeout` of the test. */
export const ONE_TEST_MS: number = 5 * 60_000;

/** For the few that take a minute on a quiet machine. */
export const LONG_TEST: { timeout: number } = { timeout: 15 * 60_000 };

/** Many times what a group takes: a test waits for ever in a way that Deno cannot end. */
export const GROUP_MS: number = 25 * 60_000;
