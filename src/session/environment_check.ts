/**
 * Whether the place where commands shall run can be used at all, asked before a model is: a
 * missing program or address must not cost a request. Starts nothing there.
 */
import { ADMINS } from "../../environments/admin.ts";
import type { EnvironmentOptions } from "../../environments/manifest.ts";
import { HermesError, UsageError } from "../protocol/error.ts";
import { reasonOf } from "../util/reason.ts";

/** @throws {UsageError} that says why commands cannot run in `name`. */
export async function requireEnvironment(
  name: string,
  options: EnvironmentOptions,
): Promise<void> {
  const admin = await ADMINS[name]?.();
  try {
    await admin?.look(options);
  } catch (error) {
    if (error instanceof HermesError) throw error;
    throw new UsageError(`commands cannot run in ${name}: ${reasonOf(error)}`, { cause: error });
  }
}
