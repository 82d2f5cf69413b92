/**
 * Commands and files in a sandbox of Modal, through its SDK. The sandbox lives as long as the
 * session; what stays is a snapshot of its file system, which the next one begins with.
 */
import type { Environment } from "../../src/protocol/environment.ts";
import { UsageError } from "../../src/protocol/error.ts";
import { createCloudEnvironment } from "./_cloud_environment.ts";
import type { ModalAccess, ModalClient, ModalConnect, ModalConnection } from "./_modal_client.ts";
import { MODAL_CREDENTIALS, ModalCloud } from "./_modal_cloud.ts";
import { cloudCredentials, cloudSettings, cloudVariable } from "./_cloud_settings.ts";
import type { EnvironmentOptions } from "../options.ts";

/**
 * Not a literal in the import: Deno would follow it and fetch the whole SDK for every command of
 * everybody. `scripts/build_app.ts` knows this text and bundles the module.
 */
const SDK_MODULE: string = "../../src/deps/modal.ts";

const SERVER = "https://api.modal.com:443";

/** Makes the sandbox. @throws UsageError without credentials or with ones that Modal refuses. */
export async function createModalEnvironment(
  options: EnvironmentOptions,
  connect?: ModalConnect,
): Promise<Environment> {
  return await createCloudEnvironment(await openModal(options, connect), options);
}

/** Connects to nothing yet. @throws UsageError without credentials. */
export async function openModal(
  options: EnvironmentOptions,
  connect: ModalConnect = connectModal,
): Promise<ModalCloud> {
  const keys = modalCredentials(options);
  const connection = await connect({
    tokenId: keys.MODAL_TOKEN_ID,
    tokenSecret: keys.MODAL_TOKEN_SECRET,
    serverUrl: cloudVariable(options, "MODAL_SERVER_URL") ?? SERVER,
    environment: cloudVariable(options, "MODAL_ENVIRONMENT"),
  });
  return new ModalCloud({
    ...connection,
    settings: cloudSettings("modal", options),
    onProgress: options.onProgress ?? (() => {}),
  });
}

/** Loads the SDK. */
async function connectModal(access: ModalAccess): Promise<ModalConnection> {
  const sdk: typeof import("../../src/deps/modal.ts") = await import(SDK_MODULE);
  const client: ModalClient = sdk.modalClient(access);
  return { client, isRefusal: sdk.isModalRefusal, isMissing: sdk.isModalMissing };
}

/** @throws UsageError when one is missing. */
export function modalCredentials(
  options: EnvironmentOptions,
): Record<typeof MODAL_CREDENTIALS[number], string> {
  if (options.settings?.modal_mode === "managed") {
    throw new UsageError("A managed Modal is not part of hermes", {
      hint: "Set terminal.modal_mode to direct and use a Modal token of your own",
    });
  }
  return cloudCredentials(options, {
    names: MODAL_CREDENTIALS,
    cloud: "Modal",
    from: "https://modal.com/settings/tokens",
  });
}
