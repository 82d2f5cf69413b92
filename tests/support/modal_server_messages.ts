/** Field numbers of Modal's messages, as far as the SDK uses them for sandboxes. */
import type { Schema } from "./modal_server_wire.ts";

const RESULT: Schema = { status: [1, "int"], exception: [2, "string"], exitcode: [3, "int"] };
const TAG: Schema = { tagName: [1, "string"], tagValue: [2, "string"] };
const ACCESS: Schema = { jwt: [1, "string"], url: [2, "string"] };
const PAIR: Schema = { key: [1, "string"], value: [2, "string"] };
const SECRET_SOURCE: Schema = { env: [2, { contents: [1, [PAIR]] }] };
const EXEC: Schema = { taskId: [1, "string"], execId: [2, "string"] };
const SANDBOX_ID: Schema = { sandboxId: [1, "string"] };
const EXIT: Schema = { code: [1, "int"], signal: [2, "int"] };
const SANDBOX: Schema = {
  entrypointArgs: [1, ["string"]],
  imageId: [3, "string"],
  resources: [5, { memoryMb: [2, "int"], milliCpu: [3, "int"] }],
  timeoutSecs: [7, "int"],
  workdir: [8, "string"],
  name: [30, "string"],
  idleTimeoutSecs: [33, "int"],
};

/** Request and response of every method. */
export const MESSAGES = {
  AuthTokenGet: [{}, { token: [1, "string"] }],
  AppGetOrCreate: [
    { appName: [1, "string"], environmentName: [2, "string"], objectCreationType: [3, "int"] },
    { appId: [1, "string"] },
  ],
  EnvironmentGetOrCreate: [
    { deploymentName: [1, "string"] },
    {
      environmentId: [1, "string"],
      metadata: [2, { name: [1, "string"], settings: [2, { imageBuilderVersion: [1, "string"] }] }],
    },
  ],
  ImageGetOrCreate: [
    { image: [2, { dockerfileCommands: [6, ["string"]] }], appId: [4, "string"] },
    { imageId: [1, "string"], result: [2, RESULT] },
  ],
  ImageFromId: [{ imageId: [1, "string"] }, { imageId: [1, "string"] }],
  ImageDelete: [{ imageId: [1, "string"] }, {}],
  SandboxCreateV2: [
    {
      appId: [1, "string"],
      definition: [2, SANDBOX],
      tags: [4, [TAG]],
      secretSources: [5, [SECRET_SOURCE]],
    },
    { sandboxId: [1, "string"], taskId: [3, "string"], commandRouterAccess: [5, ACCESS] },
  ],
  SandboxTerminateV2: [SANDBOX_ID, { existingResult: [1, RESULT] }],
  SandboxWaitV2: [{ ...SANDBOX_ID, timeout: [2, "float"] }, { result: [1, RESULT] }],
  SandboxGetTaskIdV2: [SANDBOX_ID, { taskId: [1, "string"], taskResult: [2, RESULT] }],
  SandboxGetCommandRouterAccess: [SANDBOX_ID, ACCESS],
  SandboxGetFromNameV2: [
    { sandboxName: [1, "string"], environmentName: [2, "string"], appName: [3, "string"] },
    SANDBOX_ID,
  ],
  SandboxListV2: [
    { appId: [1, "string"], beforeTimestamp: [2, "double"], tags: [5, [TAG]] },
    { sandboxes: [1, [{ id: [1, "string"], createdAt: [3, "double"], tags: [6, [TAG]] }]] },
  ],
  TaskExecStart: [
    {
      ...EXEC,
      commandArgs: [3, ["string"]],
      stdoutConfig: [4, "int"],
      stderrConfig: [5, "int"],
      workdir: [7, "string"],
      ptyInfo: [9, { enabled: [1, "bool"], winszRows: [2, "int"], winszCols: [3, "int"] }],
      secretSources: [12, [SECRET_SOURCE]],
    },
    {},
  ],
  TaskExecStdioRead: [
    { ...EXEC, offset: [3, "int"], fileDescriptor: [4, "int"] },
    { data: [1, "bytes"] },
  ],
  TaskExecStdinWrite: [
    { ...EXEC, offset: [3, "int"], data: [4, "bytes"], eof: [5, "bool"] },
    {},
  ],
  TaskExecWait: [EXEC, EXIT],
  TaskExecPoll: [EXEC, EXIT],
  TaskSnapshotFilesystem: [
    { taskId: [1, "string"], snapshotId: [2, "string"], ttlSeconds: [3, "int"] },
    { imageId: [1, "string"] },
  ],
} as const satisfies Record<string, readonly [Schema, Schema]>;
