/**
 * Composition: from choices and settings to a running session. The only place that wires parts
 * together. What the first request does not need is behind lazy imports.
 */
import { environmentFactory } from "../../environments/manifest.ts";
import { startDirectory } from "../../environments/start_directory.ts";
import { Budget, type BudgetLimits } from "../agent/budget.ts";
import type { LoopDeps, RetryPolicy } from "../agent/types.ts";
import type { Settings } from "../config/load.ts";
import { readProjectFiles } from "../context/project_files.ts";
import { shrinkMessages, toolResultChars } from "../context/shrink.ts";
import { buildSystemPrompt, environmentOf, isPromptFor } from "../context/system_prompt.ts";
import type { ApprovalPolicy, Approver } from "../protocol/approval.ts";
import { UsageError } from "../protocol/error.ts";
import type { SessionPlugins } from "../protocol/plugin.ts";
import type { Message } from "../protocol/message.ts";
import type { Provider, ToolDefinition } from "../protocol/provider.ts";
import type { Clarifier } from "../protocol/services.ts";
import type { StreamTimeouts } from "../providers/watchdog.ts";
import { resolveRoute, type Route } from "../providers/route.ts";
import { type Cassette, openCassette } from "./cassette.ts";
import { ENV_FILES } from "./env_files_data.ts";
import { withImages } from "./images.ts";
import { LazyRuntime } from "./lazy_runtime.ts";
import { existsSync } from "../util/exists.ts";
import { mayHoldSecret } from "../util/secret_hint.ts";
import { readProjectText } from "./project_text.ts";
import { SessionRecords } from "./records.ts";
import { Session } from "./session.ts";
import { selectTools } from "./tool_choice.ts";

export interface OpenOptions {
  settings: Settings;
  source: "run" | "chat";
  cwd: string;
  /** The person named `cwd`; otherwise a resumed session goes on where it was. */
  cwdGiven?: boolean;
  /** What the person named with `--env`; `settings` has it, or what is configured. */
  environment?: string;
  model?: string;
  provider?: string;
  baseUrl?: string;
  toolsets?: string[];
  disableToolsets?: string[];
  maxIterations?: number;
  maxTokens?: number;
  maxCostUsd?: number;
  approve?: ApprovalPolicy;
  approver?: Approver;
  clarifier?: Clarifier;
  /** Opened by the surface, closed by the session. */
  plugins?: SessionPlugins;
  acceptHooks: boolean;
  resume?: string;
  resumeHere: boolean;
  system?: string;
  persist: boolean;
  record?: string;
  replay?: string;
  /** The variables hermes was started with. */
  processEnv: Record<string, string>;
  /** Leaves out what is only good to know. */
  quiet: boolean;
  log: (line: string) => void;
  /** What takes a while before a command can run: an image that is pulled. */
  progress: (line: string) => void;
}

type ModelDefaults = LoopDeps["request"];

export interface OpenedSession {
  session: Session;
  /** One line about a choice the person should know of. */
  notice?: string;
}

/** Opens a new or resumed session. @throws {HermesError} when something it needs is wrong. */
export async function openSession(given: OpenOptions): Promise<OpenedSession> {
  const { settings } = given;
  await given.plugins?.begin();
  const { backend: environment } = settings.config.terminal;
  environmentFactory(environment);
  const cassette = await openCassette(given);
  const notices: string[] = [];
  let isOpen = false;
  const records = openRecords(given, { cassette, onNotice: (text) => notices.push(text) });
  requireSameWalls(given, records.found);
  const own = records.isImported ? undefined : records.found;
  const options: OpenOptions = { ...given, cwd: sessionDirectory(given, own) };
  const { cwd } = options;
  if (cwd !== given.cwd) notices.push(`goes on in ${cwd}; -C DIR goes on elsewhere`);
  const [route, tools] = await Promise.all([
    findRoute(options, { records, cassette }),
    selectTools({ ...options, environment }),
  ]);
  if (route.notice !== undefined && !options.quiet) notices.push(route.notice);
  const before = own?.systemPrompt;
  const system = before !== undefined && isPromptFor(before, environment)
    ? before
    : await systemPrompt(options, { environment, tools });
  const { primary } = route;
  const described = { source: options.source, cwd, systemPrompt: system };
  records.describe({ ...described, provider: primary.name, model: primary.model.id });
  const images = (provider: Provider) => withImages(provider, records.blobs);
  const budget = new Budget(limits(options));
  const runtime = new LazyRuntime({
    ...options,
    environment,
    tools: tools.map((tool) => tool.name),
    sessionId: records.id,
    contextTokens: primary.model.contextTokens,
    reviewer: () => findReviewer(options, { primary, cassette }),
    spend(message) {
      if (message.usage) budget.add(message.usage);
      records.history.discard(message);
    },
    // A hook that is changed while the session runs is told when it is noticed.
    notice: (text) => isOpen ? options.progress(text) : notices.push(text),
  });
  // A guard that is configured and not on duty must be known before the first call.
  await runtime.hooks();
  const session = new Session({
    id: records.id,
    cwd,
    resumed: records.found !== undefined,
    providers: { active: images(primary), fallbacks: route.fallbacks.map(images) },
    system,
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
    notices: () => runtime.peek()?.notices() ?? [],
    clock: cassette.clock,
    end: (reason) => records.end(reason),
    async dispose() {
      try {
        await runtime.close();
        await options.plugins?.close();
      } finally {
        records.close();
        await cassette.close();
      }
    },
  });
  isOpen = true;
  const notice = notices.join("\n");
  return { session, ...(notice === "" ? {} : { notice }) };
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
 * another one because somebody forgot a flag.
 * @throws {UsageError} when it would.
 */
function requireSameWalls(
  { environment, settings }: OpenOptions,
  found: SessionRecords["found"],
): void {
  if (found === undefined || environment !== undefined) return;
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
  { cwd, cwdGiven, settings }: OpenOptions,
  found: SessionRecords["found"],
): string {
  if (found === undefined || cwdGiven === true || found.cwd === cwd) return cwd;
  if (settings.config.terminal.backend !== "local" || !found.cwd) return cwd;
  if (existsSync(`${found.cwd}/.`)) return found.cwd;
  throw new UsageError(`the directory of session ${found.id} cannot be entered: ${found.cwd}`, {
    hint: "Go on in another one: -C DIR",
  });
}

function openRecords(
  options: OpenOptions,
  context: { cassette: Cassette; onNotice: (text: string) => void },
): SessionRecords {
  const { mode, sessionId } = context.cassette;
  return new SessionRecords({
    ...(options.persist && mode !== "replay" ? { home: options.settings.home } : {}),
    ...(options.resume === undefined ? {} : { resume: options.resume }),
    ...(options.resumeHere ? { resumeIn: options.cwd } : {}),
    ...(sessionId === undefined ? {} : { id: sessionId }),
    onNotice: context.onNotice,
  });
}

async function findRoute(
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
  const route = await resolveRoute({
    ...own,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    config,
    env: settings.env,
    ...streamTimeouts(settings),
    ...(wireFetch === undefined ? {} : { wireFetch }),
    clean: (text) => withoutSecrets(settings, text),
  });
  if (!chosen && found?.provider === "custom" && route.source === "offline") {
    throw new UsageError(`session ${found.id} used ${found.model} at an address that is not kept`, {
      hint: `Name it again: --base-url URL --model ${found.model}`,
    });
  }
  return route;
}

/** The model that judges commands under the policy `smart`: its own, or the session's. */
async function findReviewer(
  options: OpenOptions,
  { primary, cassette }: { primary: Provider; cassette: Cassette },
): Promise<Provider> {
  if (!await cassette.mayApprove()) {
    throw new UsageError("a recording that was not made in this home approves nothing");
  }
  const { wireFetch } = cassette;
  const { settings } = options;
  const own = settings.config.auxiliary["approval"];
  if (!own?.model) return primary;
  const { model, provider, base_url: baseUrl } = own;
  const route = await resolveRoute({
    model,
    ...(provider ? { provider } : {}),
    ...(baseUrl ? { baseUrl } : {}),
    config: { ...settings.config, model: { ...settings.config.model, ...own } },
    env: settings.env,
    ...(wireFetch === undefined ? {} : { wireFetch }),
  });
  return route.primary;
}

/** Only what somebody set: otherwise the route knows better, a local model is slower. */
function streamTimeouts(settings: Settings): { timeouts?: StreamTimeouts } {
  const { stream_read: read, stream_stale: stale } = settings.config.timeouts;
  const isSet = ["stream_read", "stream_stale"].some((key) =>
    settings.origin(`timeouts.${key}`) !== "default"
  );
  return isSet ? { timeouts: { firstByteMs: read * 1000, idleMs: stale * 1000 } } : {};
}

async function systemPrompt(
  options: OpenOptions,
  facts: { environment: string; tools: readonly ToolDefinition[] },
): Promise<string> {
  const { cwd, settings: { config } } = options;
  const project = facts.environment === "local"
    ? readProjectFiles(cwd, {
      read: readProjectText,
      exists: existsSync,
      maxChars: config.context_file_max_chars,
    })
    : undefined;
  const { environment_hint: hint, system_prompt: own } = config.agent;
  const extra = [hint, own, ...options.plugins?.promptSections ?? [], options.system ?? ""]
    .filter((text) => text !== "").join("\n\n");
  return buildSystemPrompt({
    cwd: facts.environment === "local" ? cwd : startDirectory(facts.environment, config.terminal),
    platform: `${Deno.build.os} ${Deno.build.arch}`,
    date: new Date().toISOString().slice(0, 10),
    environment: facts.environment,
    headless: options.source === "run",
    tools: facts.tools.map((tool) => tool.name),
    ...(project === undefined ? {} : { project: await cleanProject(options, project) }),
    ...(extra === "" ? {} : { extra }),
  });
}

/** A project's instructions without the secrets of the settings and of the project's own files. */
async function cleanProject({ settings, cwd }: OpenOptions, text: string): Promise<string> {
  if (!ENV_FILES.some((name) => existsSync(`${cwd}/${name}`))) {
    return await withoutSecrets(settings, text);
  }
  const { projectRedactor } = await import("./project_secrets.ts");
  return projectRedactor(settings, cwd)(text, "code");
}

/** For text that others wrote: a project's author, or a server that repeats what it was sent. */
async function withoutSecrets(settings: Settings, text: string): Promise<string> {
  if (!mayHoldSecret(text, secretCandidates(settings))) return text;
  const { settingsRedactor } = await import("../config/known_secrets.ts");
  return settingsRedactor(settings)(text, "code");
}

/** Every value that might be a secret: telling which are takes more than a first look. */
function* secretCandidates({ variables, config }: Settings): Generator<string> {
  for (const [, value] of variables()) yield value;
  yield* strings(config);
}

function* strings(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) yield* strings(inner);
  }
}

function limits(options: OpenOptions): BudgetLimits {
  const { maxIterations, maxTokens, maxCostUsd, settings } = options;
  return {
    // 0 in the configuration is no limit.
    maxIterations: maxIterations ?? (settings.config.agent.max_turns || Infinity),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  };
}

function retryPolicy(settings: Settings): RetryPolicy {
  const attempts = settings.config.agent.api_max_retries;
  return { maxAttempts: Math.max(1, attempts), baseMs: 2000, maxMs: 60_000 };
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
