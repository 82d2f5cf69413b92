/** Puts the environment of a cloud together. */
import type { Environment } from "../../src/protocol/environment.ts";
import { type Cloud, CloudHost } from "./_cloud_host.ts";
import { cloudSettings } from "./_cloud_settings.ts";
import { createRemoteEnvironment } from "../remote/remote_environment.ts";
import type { EnvironmentOptions } from "../options.ts";

export async function createCloudEnvironment(
  cloud: Cloud,
  options: EnvironmentOptions,
): Promise<Environment> {
  const { exports } = cloudSettings(cloud.name, options);
  return await createRemoteEnvironment({
    name: cloud.name,
    sharesHost: false,
    host: cloudHost(cloud, options),
    exports,
    settings: options.settings,
  });
}

export function cloudHost(cloud: Cloud, options: EnvironmentOptions): CloudHost {
  const { idleMs } = cloudSettings(cloud.name, options);
  return new CloudHost(cloud, { idleMs, onProgress: options.onProgress ?? (() => {}) });
}
