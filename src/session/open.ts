/**
 * Composition: from a spec and the parts of a host to a running session. The only place that wires
 * the parts of one session together. What the first request does not need is behind lazy imports.
 */
import { environmentFactory } from "../../environments/manifest.ts";
import { Budget, type BudgetLimits } from "../agent/budget.ts";
import type { LoopDeps, RetryPolicy } from "../agent/types.ts";
import type { Settings } from "../config/load.ts";
import { shrinkMessages, toolResultChars } from "../context/shrink.ts";
import { environmentOf } from "../context/system_prompt.ts";
import { UsageError } from "../protocol/error.ts";
import type { Message } from "../protocol/message.ts";
import type { SessionPlugins } from "../protocol/plugin.ts";
import type { Provider, ToolDefinition } from "../protocol/provider.ts";
import type { SessionSpec, SurfacePolicy } from "../protocol/session_spec.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { SessionRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import { policyOf } from "./approval_policy.ts";
import { questionApprover, questionClarifier } from "./ask.ts";
import type { Cassette } from "./cassette.ts";
import { withImages } from "./images.ts";
import { LazyRuntime } from "./lazy_runtime.ts";
import {
  addressOf,
  type EarlierModel,
  findModel,
  findReviewer,
  type FindRoute,
  otherModel,
} from "./model_choice.ts";
import type { Route } from "../providers/route.ts";
import { promptOf, type SessionPrompt } from "./prompt.ts";
import { existsSync } from "../util/exists.ts";
import { SessionRecords } from "./records.ts";
import { Session } from "./session.ts";
import { notifyHooks, type SessionCommands } from "./session_deps.ts";
import type { StartTimer } from "./timers.ts";
import { selectTools } from "./tool_choice.ts";

/** What a host gives to a session. */
export interface OpenOptions {
  spec: SessionSpec;
  surface: SurfacePolicy;
  /** With the environment of the spec in it. */
  settings: Settings;
  cwd: string;
  /** The session's own view of the tools. */
  registry: ToolRegistry;
  /** Absent: nothing is kept. */
  store?: Store;
  /** The record to go on with. */
  found?: SessionRecord;
  cassette: Cassette;
  routes: FindRoute;
  plugins?: SessionPlugins;
  commands?: SessionCommands;
  timer?: StartTimer;
  /** The variables hermes was started with. */
  processEnv: Readonly<Record<string, string>>;
  /** Leaves out notices that are only good to know. */
  quiet: boolean;
  log: (line: string) => void;
  /** What takes a while before a command can run: an image that is pulled. */
  progress: (line: string) => void;
  /** Called when the session is closed; frees what belongs to the host. */
  release: () => Promise<void>;
}

export interface OpenedSession {
  session: Session;
  /** Lines about choices the person should know of. */
  notices: string[];
}

/** Opens a new or resumed session. @throws {HermesError} when something it needs is wrong. */
export async function openSession(given: OpenOptions): Promise<OpenedSession> {
  const { settings, spec, found, surface, cassette } = given;
  await given.plugins?.begin();
  const { backend: environment } = settings.config.terminal;
  await requirePlace(given);
  const records = openRecords(given);
  const own = records.isImported ? undefined : found;
  const cwd = sessionDirectory(given, own);
  const options = { ...given, cwd, environment };
  const notices: string[] = [];
  if (cwd !== given.cwd) notices.push(`goes on in ${cwd}; -C DIR goes on elsewhere`);
  const models = {
    ...options,
    ...(spec.model === undefined ? {} : { choice: spec.model }),
    offersOffline: spec.offersOffline ?? !surface.headless,
    images: (provider: Provider) => withImages(provider, records.blobs),
  };
  const [route, tools] = await Promise.all([
    findModel(models, earlierModel(records)),
    chooseTools(options, (line) => notices.push(line)),
  ]);
  if (route.notice !== undefined && !given.quiet) notices.push(route.notice);
  const { primary } = route;
  const prompt = await choosePrompt(options, { tools, primary, own });
  if (prompt.notice !== undefined && !given.quiet) notices.push(prompt.notice);
  const { notice: _, ...told } = prompt;
  const described = { source: spec.surface, cwd, ...told };
  records.describe({ ...described, ...modelFacts(route) });
  const budget = new Budget(limits(options));
  const once = new Set(spec.approval?.once);
  const late: { session?: Session } = {};
  const runtime = createRuntime(options, { records, tools, primary, budget, once, notices, late });
  // A guard that is configured and not on duty must be known before the first call.
  const hooks = await runtime.hooks();
  const observed = hooks && {
    hooks,
    sessionId: records.id,
    withLlmHooks: (await import("./llm_hooks.ts")).withLlmHooks,
  };
  const dress = (provider: Provider) =>
    observed?.withLlmHooks(models.images(provider), observed) ?? models.images(provider);
  late.session = new Session({
    ...identity(options, records),
    ...policies(options),
    providers: { active: dress(primary), fallbacks: route.fallbacks.map(dress) },
    system: prompt.systemPrompt,
    tools,
    dispatcher: async () => (await runtime.get()).dispatcher,
    history: records.history,
    budget,
    retry: retryPolicy(settings),
    shrink: (messages, attempt) => shrink(runtime, { sessionId: records.id, messages, attempt }),
    request: requestSettings(settings),
    hooks: () => runtime.hooks(),
    images: records.blobs,
    logScriptCall: (call) => records.logScriptCall(call),
    onFirstRequest: () => runtime.warmSoon(),
    notices: () => runtime.notices(),
    approvals: runtime,
    walls: runtime,
    clock: cassette.clock,
    findModel: (name, provider) =>
      otherModel({ ...models, images: dress }, {
        name,
        ...(provider === undefined ? {} : { provider }),
      }),
    onModel: (model) => records.changeModel(model),
    leftOver: () => [...once].map(unusedYes),
    end: (reason) => records.end(reason),
    dispose: () => dispose(options, { runtime, id: records.id }),
  });
  given.plugins?.attach(late.session);
  return { session: late.session, notices };
}

/** @throws {HermesError} when commands cannot run where and behind what they should. */
async function requirePlace(given: OpenOptions): Promise<void> {
  const { backend, network: configured } = given.settings.config.terminal;
  environmentFactory(backend);
  requireSameWalls(given);
  const { sandbox, network } = given.spec;
  if (sandbox !== undefined || network !== undefined || configured !== "") {
    (await import("./wall_check.ts")).requireWalls(given);
  }
  if (backend !== "local") {
    await (await import("./environment_check.ts")).requireEnvironment(given);
  }
}

type SessionOptions = OpenOptions & { environment: string };

function identity({ spec, cwd, found }: SessionOptions, { id }: SessionRecords) {
  const { surface, origin } = spec;
  const resumed = found !== undefined;
  return { id, cwd, resumed, surface, ...(origin === undefined ? {} : { origin }) };
}

/** What the spec, the surface and the settings say about how it may be used. */
function policies({ spec, surface, settings, commands, timer }: SessionOptions) {
  const { answerers } = spec.approval ?? {};
  const seconds = surface.headless ? settings.config.agent.run_budget_seconds : 0;
  const timeMs = spec.budget?.timeMs ?? (seconds > 0 ? seconds * 1000 : undefined);
  return {
    busy: surface.busy,
    wake: surface.wake,
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(answerers === undefined ? {} : { answerers }),
    ...(commands === undefined ? {} : { commands }),
    ...(timer === undefined ? {} : { timer }),
  };
}

function earlierModel({ found, address }: SessionRecords): EarlierModel | undefined {
  return found && { ...found, ...(address === undefined ? {} : { address }) };
}

function modelFacts(route: Route) {
  const { primary } = route;
  const address = addressOf(route);
  const where = address === undefined ? {} : { address };
  return { provider: primary.name, model: primary.model.id, ...where };
}

interface RuntimeParts {
  records: SessionRecords;
  tools: readonly ToolDefinition[];
  primary: Provider;
  budget: Budget;
  /** Ids of actions that were allowed beforehand and not asked about yet. */
  once: Set<string>;
  notices: string[];
  /** Holds the session once it is there. */
  late: { session?: Session };
}

function createRuntime(options: SessionOptions, parts: RuntimeParts): LazyRuntime {
  const { spec, surface, settings } = options;
  const { records, tools, primary, budget, once, notices, late } = parts;
  const kinds = spec.approval?.questions ?? surface.questions;
  const questions = () => late.session!.questions;
  const { approvals: { timeout }, agent: { clarify_timeout: patience } } = settings.config;
  return new LazyRuntime({
    ...options,
    persist: isDurable(options),
    acceptHooks: spec.extensions?.acceptHooks ?? false,
    tools: tools.map((tool) => tool.name),
    sessionId: records.id,
    transcript: () => records.history.messages(),
    blobs: records.blobs,
    contextTokens: primary.model.contextTokens,
    approve: policyOf(options),
    approveOnce: once,
    asking: (callId) => records.asking(callId),
    ...(kinds === "none"
      ? {}
      : { approver: questionApprover({ questions, expiresMs: timeout * 1000 }) }),
    ...(kinds === "all"
      ? { clarifier: questionClarifier({ questions, expiresMs: patience * 1000 }) }
      : {}),
    reviewer: () => findReviewer(options, primary),
    spend(message) {
      if (message.usage) budget.add(message.usage);
      records.history.discard(message);
    },
    // A hook that is changed while the session runs is told when it is noticed.
    notice: (text) => late.session === undefined ? notices.push(text) : options.progress(text),
    onNotice: () => late.session?.wake(),
  });
}

async function dispose(
  options: SessionOptions,
  { runtime, id }: { runtime: LazyRuntime; id: string },
): Promise<void> {
  try {
    const hooks = () => runtime.hooks();
    await notifyHooks({ id, hooks }, { name: "on_session_finalize", payload: {} });
    await runtime.close();
    await options.plugins?.close();
  } finally {
    await options.cassette.close();
    await options.release();
  }
}

function chooseTools(
  options: SessionOptions,
  notice: (line: string) => void,
): Promise<ToolDefinition[]> {
  const { spec, surface } = options;
  return selectTools({
    ...options,
    notice,
    surface: spec.surface,
    persist: isDurable(options),
    ...(spec.toolsets === undefined ? {} : { chosen: spec.toolsets }),
    ...(surface.toolsets === undefined ? {} : { preset: surface.toolsets }),
  });
}

function choosePrompt(
  options: SessionOptions,
  { tools, primary, own }: Pick<RuntimeParts, "tools" | "primary"> & {
    own: SessionRecord | undefined;
  },
): Promise<SessionPrompt> {
  const { spec, surface, plugins } = options;
  return promptOf({
    ...options,
    tools,
    contextTokens: primary.model.contextTokens,
    headless: surface.headless,
    sections: plugins?.promptSections ?? [],
    isPlan: policyOf(options) === "plan",
    ...(spec.prompt === undefined ? {} : { ownPrompt: spec.prompt }),
  }, own);
}

/** A yes beforehand that allowed nothing: a mistyped id, or one of another action. */
function unusedYes(id: string): string {
  return `the id ${id} matched nothing: no action of that id was asked about`;
}

/** A replay stores nothing, but what it learns about this machine it may keep. */
function isDurable({ spec }: OpenOptions): boolean {
  return spec.storage !== "none";
}

function openRecords({ store, found, settings, cassette }: OpenOptions): SessionRecords {
  const { sessionId } = cassette;
  return new SessionRecords({
    ...(store === undefined ? {} : { store, blobs: settings.home.path("blobs") }),
    ...(found === undefined ? {} : { found }),
    ...(sessionId === undefined ? {} : { id: sessionId }),
  });
}

/** Makes what is sent smaller, and tells observers by how much. */
async function shrink(
  runtime: LazyRuntime,
  { sessionId, messages, attempt }: {
    sessionId: string;
    messages: readonly Message[];
    attempt: number;
  },
): Promise<Message[] | undefined> {
  // What is no longer sent may have to be read again.
  runtime.peek()?.services.files.forgetShown();
  const smaller = shrinkMessages(messages, attempt);
  const hooks = smaller && await runtime.hooks();
  if (hooks?.has("on_context_compress")) {
    await hooks.notify("on_context_compress", {
      sessionId,
      beforeChars: toolResultChars(messages),
      afterChars: toolResultChars(smaller!),
    });
  }
  return smaller;
}

/**
 * What a session did in a container, or was about to do there, must not go on upon this machine or
 * another one because a flag was forgotten.
 * @throws {UsageError} when it would.
 */
function requireSameWalls({ spec, settings, found }: OpenOptions): void {
  if (found === undefined || spec.environment !== undefined) return;
  const before = environmentOf(found.systemPrompt);
  const { backend } = settings.config.terminal;
  if (before === "local" || before === backend) return;
  const here = backend === "local" ? "on this machine" : `in ${backend}`;
  throw new UsageError(`session ${found.id} worked in ${before}, not ${here}`, {
    hint: `Go on there: --env ${before}. Or ${here}: --env ${backend}`,
  });
}

/**
 * Where the session works. What was agreed to, or is still waiting for a yes, was meant for the
 * directory it had; a person who wants another one names it.
 * @throws {UsageError} when that directory cannot be entered any more.
 */
function sessionDirectory(
  { spec, cwd, settings }: OpenOptions,
  found: SessionRecord | undefined,
): string {
  if (found === undefined || spec.cwd !== undefined || found.cwd === cwd) return cwd;
  if (settings.config.terminal.backend !== "local" || !found.cwd) return cwd;
  if (existsSync(`${found.cwd}/.`)) return found.cwd;
  throw new UsageError(`the directory of session ${found.id} cannot be entered: ${found.cwd}`, {
    hint: "Go on in another one: -C DIR",
  });
}

function limits({ spec, settings }: OpenOptions): BudgetLimits {
  const { iterations, tokens, costUsd } = spec.budget ?? {};
  return {
    // 0 in the configuration is no limit.
    maxIterations: iterations ?? (settings.config.agent.max_turns || Infinity),
    ...(tokens === undefined ? {} : { maxTokens: tokens }),
    ...(costUsd === undefined ? {} : { maxCostUsd: costUsd }),
  };
}

function retryPolicy(settings: Settings): RetryPolicy {
  const attempts = settings.config.agent.api_max_retries;
  return { maxAttempts: Math.max(1, attempts), baseMs: 2000, maxMs: 60_000 };
}

function requestSettings(settings: Settings): LoopDeps["request"] {
  const { max_tokens: maxOutputTokens } = settings.config.model;
  const effort = settings.config.agent.reasoning_effort;
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(isEffort(effort) ? { reasoningEffort: effort } : {}),
  };
}

function isEffort(text: string): text is NonNullable<LoopDeps["request"]["reasoningEffort"]> {
  return ["none", "minimal", "low", "medium", "high"].includes(text);
}
