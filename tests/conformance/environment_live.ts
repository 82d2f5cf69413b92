/** Conformance of an environment that needs a service; where it cannot run, the reason is a test's name. */
import { type HeldService, ServiceUnavailable } from "../../scripts/services/_service.ts";
import {
  type EnvironmentCase,
  type EnvironmentTarget,
  testEnvironment,
} from "./environment_suite.ts";

/** Holds the service for all of the tests of this file. */
export async function testLiveEnvironment(
  target: EnvironmentTarget,
  options: { hold: () => Promise<HeldService<unknown>>; cases: readonly EnvironmentCase[] },
): Promise<void> {
  const held = await holdOrSkip(target.name, options.hold);
  if (!held) return;
  Deno.test.afterAll(() => held.release());
  testEnvironment(target, options.cases);
}

/** The service, or undefined after a test that is ignored and says why. */
export async function holdOrSkip<T>(
  name: string,
  hold: () => Promise<HeldService<T>>,
): Promise<HeldService<T> | undefined> {
  try {
    return await hold();
  } catch (error) {
    if (!(error instanceof ServiceUnavailable)) throw error;
    console.error(`${name} is not tested: ${error.message}`);
    Deno.test({
      name: `environment ${name} NOT TESTED HERE: ${error.message}`,
      ignore: true,
      fn() {},
    });
    return undefined;
  }
}

/** Gives the service back when what needed it could not be opened. */
export async function orRelease<T>(held: HeldService<unknown>, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await held.release();
    throw error;
  }
}
