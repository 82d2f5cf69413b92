/**
 * Commands and files in a sandbox of Daytona, through its SDK. A kept sandbox is stopped when
 * it is unused, and found again by its name; others are deleted with the session.
 */
import type { Environment } from "../../src/protocol/environment.ts";
import { DAYTONA_CREDENTIAL, DaytonaCloud } from "./_daytona_cloud.ts";
import { createCloudEnvironment } from "./_cloud_environment.ts";
import { cloudCredentials, cloudSettings, cloudVariable } from "./_cloud_settings.ts";
import type { EnvironmentOptions } from "../options.ts";

/**
 * Not a literal in the import: Deno would follow it and fetch the whole SDK for every command of
 * everybody. `scripts/build_app.ts` knows this text and bundles the module.
 */
const SDK_MODULE: string = "../../src/deps/daytona.ts";

const SERVER = "https://app.daytona.io/api";

/** Makes or finds the sandbox. @throws UsageError without a key or with one that is refused. */
export async function createDaytonaEnvironment(options: EnvironmentOptions): Promise<Environment> {
  return await createCloudEnvironment(await openDaytona(options), options);
}

/** Connects to nothing yet. @throws UsageError without a key. */
export async function openDaytona(options: EnvironmentOptions): Promise<DaytonaCloud> {
  const keys = daytonaCredentials(options);
  const target = cloudVariable(options, "DAYTONA_TARGET");
  const sdk: typeof import("../../src/deps/daytona.ts") = await import(SDK_MODULE);
  const client = new sdk.Daytona({
    apiKey: keys[DAYTONA_CREDENTIAL],
    apiUrl: cloudVariable(options, "DAYTONA_API_URL") ?? SERVER,
    ...(target === undefined ? {} : { target }),
    // Instead of a second connection for events, which would have to be kept open.
    useDeprecatedPolling: true,
  });
  return new DaytonaCloud({ sdk, client, settings: cloudSettings("daytona", options) });
}

/** @throws UsageError when it is missing. */
export function daytonaCredentials(
  options: EnvironmentOptions,
): Record<typeof DAYTONA_CREDENTIAL, string> {
  return cloudCredentials(options, {
    names: [DAYTONA_CREDENTIAL],
    cloud: "Daytona",
    from: "https://app.daytona.io/dashboard/keys",
  });
}
