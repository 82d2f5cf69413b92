/**
 * Composition: from choices and settings to a running session. The only place that wires parts
 * together. What the first request does not need is behind lazy imports.
 */
import { environmentFactory } from "../../environments/manifest.ts";
import { Budget, type BudgetLimits } from "../agent/budget.ts";
import type { LoopDeps } from "../agent/types.ts";
import type { Settings } from "../config/load.ts";
import { readProjectFiles } from "../context/project_files.ts";
import { shrinkMessages } from "../context/shrink.ts";
import { buildSystemPrompt } from "../context/system_prompt.ts";
import type { ApprovalPolicy, Approver } from "../protocol/approval.ts";
import type { Provider, ToolDefinition } from "../protocol/provider.ts";
import type { Clarifier } from "../protocol/services.ts";
import { resolveRoute, type Route } from "../providers/route.ts";
import { type Cassette, openCassette } from "./cassette.ts";
import { withImages } from "./images.ts";
import { LazyRuntime } from "./lazy_runtime.ts";
import { SessionRecords } from "./records.ts";
import { Session } from "./session.ts";
import { selectTools } from "./tool_choice.ts";

export interface OpenOptions {
  settings: Settings;
  source: "run" | "chat";
  cwd: string;
  model?: string;
  provider?: string;
  baseUrl?: string;
  toolsets?: string[];
  disableToolsets?: string[];
  environment?: string;
  maxIterations?: number;
  maxTokens?: number;
  maxCostUsd?: number;
  approve?: ApprovalPolicy;
  approver?: Approver;
  clarifier?: Clarifier;
  acceptHooks: boolean;
  resume?: string;
  resumeHere: boolean;
  system?: string;
  persist: boolean;
  record?: string;
  replay?: string;
  /** The variables hermes was started with. */
  processEnv: Record<string, string>;
  log: (line: string) => void;
}

type ModelDefaults = LoopDeps["request"];

export interface OpenedSession {
  session: Session;
  /** One line about a choice the person should know of. */
  notice?: string;
}

/** Opens a new or resumed session. @throws {HermesError} when something it needs is wrong. */
export async function openSession(options: OpenOptions): Promise<OpenedSession> {
  const { settings, cwd } = options;
  const environment = options.environment ?? settings.config.terminal.backend;
  environmentFactory(environment);
  const cassette = await openCassette(options);
  const notices: string[] = [];
  const records = new SessionRecords({
    ...(options.persist && cassette.mode !== "replay" ? { home: settings.home } : {}),
    ...(options.resume === undefined ? {} : { resume: options.resume }),
    ...(options.resumeHere ? { resumeIn: cwd } : {}),
    ...(cassette.sessionId === undefined ? {} : { id: cassette.sessionId }),
    onNotice: (text) => notices.push(text),
  });
  const [route, tools] = await Promise.all([
    findRoute(options, { records, cassette }),
    selectTools({ ...options, environment }),
  ]);
  if (route.notice !== undefined) notices.push(route.notice);
  const system = records.found?.systemPrompt ?? systemPrompt(options, { environment, tools });
  const { primary } = route;
  records.describe({
    source: options.source,
    cwd,
    provider: primary.name,
    model: primary.model.id,
    systemPrompt: system,
  });
  const images = (provider: Provider) => withImages(provider, records.blobs);
  const runtime = new LazyRuntime({
    ...options,
    environment,
    tools: tools.map((tool) => tool.name),
    sessionId: records.id,
    contextTokens: primary.model.contextTokens,
    reviewer: primary,
  });
  const session = new Session({
    id: records.id,
    cwd,
    resumed: records.found !== undefined,
    providers: { active: images(primary), fallbacks: route.fallbacks.map(images) },
    system,
    tools,
    dispatcher: async () => (await runtime.get()).dispatcher,
    history: records.history,
    budget: new Budget(limits(options)),
    retry: {
      maxAttempts: Math.max(1, settings.config.agent.api_max_retries),
      baseMs: 2000,
      maxMs: 60_000,
    },
    shrink(messages, attempt) {
      // What is no longer sent may have to be read again.
      runtime.peek()?.services.files.forgetShown();
      return shrinkMessages(messages, attempt);
    },
    request: requestSettings(settings),
    hooks: () => runtime.hooks(),
    images: records.blobs,
    logScriptCall: (call) => records.logScriptCall(call),
    onFirstRequest: () => runtime.warmSoon(),
    notices: () => runtime.peek()?.services.processes.drainNotices() ?? [],
    clock: cassette.clock,
    async dispose(reason) {
      await runtime.close();
      records.close(reason);
      await cassette.close();
    },
  });
  const notice = notices.join("\n");
  return { session, ...(notice === "" ? {} : { notice }) };
}

function findRoute(
  options: OpenOptions,
  context: { records: SessionRecords; cassette: Cassette },
): Promise<Route> {
  const { settings, model, provider, baseUrl } = options;
  const { config } = settings;
  const { found } = context.records;
  const chosen = model !== undefined || provider !== undefined || baseUrl !== undefined;
  // A resumed session goes on with its own model unless another is asked for.
  const own = !chosen && found && found.provider !== "custom"
    ? { model: found.model, provider: found.provider }
    : {};
  const { wireFetch } = context.cassette;
  return resolveRoute({
    ...own,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    config,
    env: settings.env,
    ...(wireFetch === undefined ? {} : { wireFetch }),
  });
}

function systemPrompt(
  options: OpenOptions,
  facts: { environment: string; tools: readonly ToolDefinition[] },
): string {
  const { cwd, settings } = options;
  const project = facts.environment === "local"
    ? readProjectFiles(cwd, { read: readText, exists })
    : undefined;
  const extra = [settings.config.agent.system_prompt, options.system ?? ""]
    .filter((text) => text !== "").join("\n\n");
  return buildSystemPrompt({
    cwd,
    platform: `${Deno.build.os} ${Deno.build.arch}`,
    date: new Date().toISOString().slice(0, 10),
    environment: facts.environment,
    headless: options.source === "run",
    tools: facts.tools.map((tool) => tool.name),
    ...(project === undefined ? {} : { project }),
    ...(extra === "" ? {} : { extra }),
  });
}

function limits(options: OpenOptions): BudgetLimits {
  const { maxIterations, maxTokens, maxCostUsd, settings } = options;
  return {
    maxIterations: maxIterations ?? settings.config.agent.max_turns,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  };
}

function requestSettings(settings: Settings): ModelDefaults {
  const { max_tokens: maxOutputTokens } = settings.config.model;
  const effort = settings.config.agent.reasoning_effort;
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(isEffort(effort) ? { reasoningEffort: effort } : {}),
  };
}

function isEffort(text: string): text is NonNullable<ModelDefaults["reasoningEffort"]> {
  return ["minimal", "low", "medium", "high"].includes(text);
}

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    // Project files are optional; one that cannot be read is as good as none.
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    // Only asked for the repository's mark.
    return false;
  }
}
