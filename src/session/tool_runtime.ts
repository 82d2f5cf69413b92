/**
 * Everything behind a tool call: the environment, the approval gate, services and the
 * dispatcher. Loaded together when the first call is about to come, never for the first request.
 */
import { createProcessTable } from "../../environments/process_table.ts";
import type { SessionGate } from "../approval/gate.ts";
import type { Settings } from "../config/load.ts";
import type { ApprovalPolicy, Approver } from "../protocol/approval.ts";
import type { ToolDispatcher } from "../protocol/dispatch.ts";
import type { HookRunner } from "../protocol/hook.ts";
import type { AssistantMessage, Message } from "../protocol/message.ts";
import type { Provider } from "../protocol/provider.ts";
import type { BlobSink, Clarifier, ToolServices } from "../protocol/services.ts";
import { createDispatcher } from "../registry/dispatch/dispatch.ts";
import { Hooks } from "../registry/hooks/hooks.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { parseChildMode } from "../sandbox/child/child_command.ts";
import { SandboxRunner } from "../sandbox/script/runner.ts";
import { SessionFileLedger } from "../util/file_ledger.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { createGate } from "./gate.ts";
import { projectRedactor } from "./project_secrets.ts";
import type { WallChoice } from "./wall_choice.ts";
import { createSpillStore } from "./spill.ts";
import { openPlace, wallsOfGate } from "./tool_place.ts";
import { createTodoList } from "./todo_list.ts";

export interface ToolRuntimeOptions {
  settings: Settings;
  /** The session's own view of the tools. */
  registry: ToolRegistry;
  /** Names offered to the model. */
  tools: readonly string[];
  sessionId: string;
  cwd: string;
  environment: string;
  persist: boolean;
  processEnv: Readonly<Record<string, string>>;
  approve: ApprovalPolicy;
  /** The walls chosen now, which hold instead of those of the settings. */
  wallChoice: () => WallChoice;
  /** Ids of actions that may run one time; what was used is taken out. */
  approveOnce: Set<string>;
  /** Told which call a person is asked about; undefined when the question is over. */
  asking: (callId: string | undefined) => void;
  approver?: Approver;
  clarifier?: Clarifier;
  contextTokens: number;
  /** The conversation as it was stored; a resumed session goes on with the task list in it. */
  transcript: () => readonly Message[];
  /** Where the bytes of images go. */
  blobs: () => BlobSink;
  /** The model that judges under the policy `smart`. */
  reviewer: () => Promise<Provider>;
  /** Accounts for a model call outside the conversation. */
  spend: (message: AssistantMessage) => void;
  /** Told when background work left something to say. */
  onNotice: () => void;
  /** Absent when nothing listens. */
  hooks?: HookRunner;
  log: (line: string) => void;
  /** What takes a while before a command can run: an image that is pulled. */
  progress: (line: string) => void;
}

export interface ToolRuntime {
  /** The gate that asks before a call runs. */
  gate: SessionGate;
  dispatcher: ToolDispatcher;
  services: ToolServices;
  /** Called when other walls are chosen: the next command gets them. */
  changeWalls(): Promise<void>;
  /** What background processes reported since the last call, without secrets. */
  notices(): string[];
  close(): Promise<void>;
}

const NOBODY: Clarifier = { ask: () => Promise.resolve(undefined) };

/** Builds the runtime of one session. @throws {UsageError} for an unknown environment. */
export async function createToolRuntime(options: ToolRuntimeOptions): Promise<ToolRuntime> {
  const { settings, processEnv } = options;
  const hooks = options.hooks ?? new Hooks({ log: options.log });
  const userHome = processEnv.HOME ?? "/";
  const redact = projectRedactor(settings, options.cwd);
  const processes = createProcessTable({ onNotice: options.onNotice });
  const { environment, walls, facts } = await openPlace({ ...options, userHome, processes });
  const sandbox = new SandboxRunner({
    searchPath: processEnv.PATH ?? "",
    mode: parseChildMode(processEnv.HERMES_SANDBOX_MODE),
  });
  let places: Promise<ProtectedPlaces> | undefined;
  const spill = createSpillStore({
    ...spillPlace(options),
    sessionId: options.sessionId,
    redact: (text) => redact(text, "code"),
  });
  const services: ToolServices = {
    todo: createTodoList(options.transcript()),
    clarifier: options.clarifier ?? NOBODY,
    processes,
    files: new SessionFileLedger((path) => walls?.noteAllowed(path)),
    spill,
    blobs: { put: (bytes) => options.blobs().put(bytes) },
    sandbox,
    protectedPlaces: () => places ??= findPlaces(options, userHome),
    sandboxPolicy: () => facts.policy(),
  };
  const gate = createGate({
    ...options,
    hooks,
    userHome,
    redact,
    sharesHost: environment.sharesHost,
    ...wallsOfGate({ environment, walls, facts }),
  });
  const dispatcher = createDispatcher({
    registry: options.registry,
    environment,
    services,
    hooks,
    gate,
    fetch,
    tools: options.tools,
    session: { id: options.sessionId, contextTokens: options.contextTokens },
    config: settings.get,
    redact,
    log: options.log,
  });
  return {
    gate,
    dispatcher,
    services,
    async changeWalls() {
      facts.changed();
      await walls?.discard();
    },
    notices: () => services.processes.drainNotices().map((text) => redact(text, "code")),
    async close() {
      await sandbox.close();
      await services.processes.closeAll();
      await environment.close();
      await walls?.close();
      await spill.close();
    },
  };
}

/** What file tools never write; looked up when the first of them runs. */
async function findPlaces(
  { settings, processEnv: env }: ToolRuntimeOptions,
  userHome: string,
): Promise<ProtectedPlaces> {
  const { protectedPlaces } = await import("./protected_places.ts");
  return protectedPlaces({ home: settings.home, userHome, env });
}

/** A session that keeps nothing still needs somewhere for a result of megabytes. */
function spillPlace({ persist, settings, processEnv }: ToolRuntimeOptions) {
  if (persist) return { root: settings.home.path("cache", "spillover") };
  return processEnv.TMPDIR ? { tempRoot: processEnv.TMPDIR } : {};
}
