/**
 * Everything behind a tool call: the environment, the approval gate, hooks, services and the
 * dispatcher. Loaded together when the first call is about to come, never for the first request.
 */
import { createEnvironment } from "../../environments/manifest.ts";
import { ProcessManager } from "../../environments/process_table.ts";
import { createApprovalGate } from "../approval/gate.ts";
import type { ApprovalPolicy, Approver } from "../protocol/approval.ts";
import type { ToolDispatcher } from "../protocol/dispatch.ts";
import type { Environment } from "../protocol/environment.ts";
import type { HookRunner } from "../protocol/hook.ts";
import type { Clarifier, TodoItem, ToolServices } from "../protocol/services.ts";
import { createDispatcher } from "../registry/dispatch.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { createSpillStore } from "./spill.ts";
import { FileLedgerMap } from "../util/file_ledger.ts";
import { createRedactor } from "../util/redact.ts";
import type { Settings } from "../config/load.ts";

export interface ToolRuntimeOptions {
  settings: Settings;
  registry: ToolRegistry;
  /** Names offered to the model. */
  tools: readonly string[];
  sessionId: string;
  cwd: string;
  environment: string;
  processEnv: Readonly<Record<string, string>>;
  policy: ApprovalPolicy;
  approver?: Approver;
  clarifier?: Clarifier;
  contextTokens: number;
  hooks: HookRunner;
  /** Asks the auxiliary model; absent when there is none. */
  review?: (prompt: string, signal: AbortSignal) => Promise<string>;
  log: (line: string) => void;
}

export interface ToolRuntime {
  dispatcher: ToolDispatcher;
  environment: Environment;
  services: ToolServices;
  close(): Promise<void>;
}
