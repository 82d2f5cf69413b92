/** Looking after the clouds. */
import type { EnvironmentAdmin } from "../options.ts";
import { cloudHost } from "./_cloud_environment.ts";
import type { Cloud } from "./_cloud_host.ts";
import type { ModalConnect } from "./_modal_client.ts";
import { cloudSettings } from "./_cloud_settings.ts";
import { daytonaCredentials, openDaytona } from "./daytona_environment.ts";
import type { EnvironmentOptions } from "../options.ts";
import { modalCredentials, openModal } from "./modal_environment.ts";

interface CloudAccess {
  name: string;
  /** @throws UsageError when one is missing. */
  credentials(options: EnvironmentOptions): Record<string, string>;
  open(options: EnvironmentOptions): Promise<Cloud>;
}

function cloudAdmin({ name, credentials, open }: CloudAccess): EnvironmentAdmin {
  return {
    look(options) {
      return new Promise((resolve) => {
        const names = Object.keys(credentials(options)).join(" and ");
        resolve(`${names} set, image ${cloudSettings(name, options).image}`);
      });
    },
    open: async (options) => cloudHost(await open(options), options),
    async clean(options) {
      const cloud = await open(options);
      try {
        return await cloud.reap();
      } finally {
        await cloud.close();
      }
    },
  };
}

/** Modal over the given connection, default that of the SDK. */
export function modalAdmin(connect?: ModalConnect): EnvironmentAdmin {
  return cloudAdmin({
    name: "modal",
    credentials: modalCredentials,
    open: (options) => openModal(options, connect),
  });
}

export const DAYTONA_ADMIN: EnvironmentAdmin = cloudAdmin({
  name: "daytona",
  credentials: daytonaCredentials,
  open: openDaytona,
});
