/**
 * Decides which model answers: flags, then settings, then the first key present, then a
 * server on this machine, then the embedded offline model. Loads only the wire format it needs.
 */
// deno-lint-ignore-file camelcase -- the keys of config.yaml
import { EXIT, HermesError, UsageError } from "../protocol/error.ts";
import type { Provider, WireFetch } from "../protocol/provider.ts";
import type { Wire } from "./catalog_data.ts";
import {
  type Choice,
  chooseByKey,
  type ChooseContext,
  chooseEndpoint,
  type EndpointConfig,
  findEntry,
  missingKey,
  modelWithoutProvider,
  type NamedEndpoint,
  wantsOffline,
  wantsSomething,
} from "./choose.ts";
import { type Env, isLoopback, keyAdvice, sameOrigin } from "./credentials.ts";
import { listModels, requireOpenPort } from "./endpoint.ts";
import type { ProviderOptions } from "./exchange.ts";
import { modelInfo } from "./model_info.ts";
import type { StreamTimeouts } from "./watchdog.ts";
import { networkFetch } from "./wire_fetch.ts";

/** The part of `config.yaml` that chooses a model. */
export interface RouteConfig {
  model?:
    | (EndpointConfig & { default?: string | undefined; context_length?: number | undefined })
    | undefined;
  fallback_providers?: readonly EndpointConfig[] | undefined;
  providers?: Readonly<Record<string, NamedEndpoint>> | undefined;
}

/** Where a route leads. */
export interface RouteTarget {
  provider: string;
  model: string;
  baseUrl: string;
  wire: Wire;
}

/** A fetch that may be a cassette, which keeps the target so that a replay needs no key or settings. */
export type RouteFetch = WireFetch & {
  /** Set when replaying: where the recorded requests went. */
  readonly target?: RouteTarget | undefined;
  /** Told where the requests will go, when recording. */
  readonly describe?: ((target: RouteTarget) => void) | undefined;
};

export interface RouteOptions {
  model?: string;
  provider?: string;
  baseUrl?: string;
  config: RouteConfig;
  env: Env;
  wireFetch?: RouteFetch;
  /** Removes secrets of the person from what a server said; used for failures only. */
  clean?: (text: string) => Promise<string>;
  /** For asking servers which models they have. */
  probeFetch?: typeof fetch;
  timeouts?: StreamTimeouts;
}

export interface Route {
  primary: Provider;
  fallbacks: Provider[];
  source: "flag" | "config" | "key" | "local" | "offline";
  /** One line for the person when the choice may surprise. */
  notice?: string;
  /** Fallbacks that cannot be used, one line each. */
  leftOut?: string[];
  target: RouteTarget;
}

type Source = Route["source"];
type Complete = Choice & { model: string };

interface Decision {
  choice: Choice;
  source: Source;
  notice?: string;
}

/** Waited only for a server that is there and busy: where none is, the answer comes at once. */
const PROBE_MS = 1000;
const ASK_MS = 3000;
/** Local servers read a long prompt at the pace of this machine before the first byte. */
const LOCAL_TIMEOUTS: StreamTimeouts = { firstByteMs: 900_000, idleMs: 300_000 };
const OFFLINE: EndpointConfig = { provider: "offline" };
const OFFLINE_NOTICE =
  "no model is configured: the embedded offline model answers; set OPENROUTER_API_KEY, " +
  "ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama, for a real one";

/**
 * Resolves the model and its fallbacks.
 * @throws UsageError when what was asked for cannot be: unknown name, missing key, no model.
 */
export async function resolveRoute(options: RouteOptions): Promise<Route> {
  const context: ChooseContext = { env: options.env, named: options.config.providers ?? {} };
  const decision = await decide(options, context);
  if (options.wireFetch?.target === undefined) requireOpenPort(decision.choice.baseUrl);
  const primary = await withModel(decision.choice, options);
  requireKey(primary, options);
  const target: RouteTarget = {
    provider: primary.name,
    model: primary.model,
    baseUrl: primary.baseUrl,
    wire: primary.wire,
  };
  options.wireFetch?.describe?.(target);
  const fallbacks = chooseFallbacks(options, context);
  return {
    primary: await loadProvider(primary, options),
    fallbacks: fallbacks.choices.map((choice) => lazyProvider(choice, options)),
    source: decision.source,
    ...noticeOf([decision.notice, ...fallbacks.problems]),
    ...(fallbacks.problems.length === 0 ? {} : { leftOut: fallbacks.problems }),
    target,
  };
}

async function decide(options: RouteOptions, context: ChooseContext): Promise<Decision> {
  const flags: EndpointConfig = {
    provider: options.provider,
    model: options.model,
    base_url: options.baseUrl,
  };
  const { default: model, ...rest } = options.config.model ?? {};
  const settings: EndpointConfig = { ...rest, model };
  if (wantsSomething(flags)) {
    return await decideWanted(inherit(flags, settings), { source: "flag", options, context });
  }
  const recorded = options.wireFetch?.target;
  if (recorded !== undefined) return { choice: replayChoice(recorded, context), source: "flag" };
  if (wantsSomething(settings)) {
    return await decideWanted(settings, { source: "config", options, context });
  }
  const byKey = chooseByKey(context);
  if (byKey !== undefined) return { choice: byKey, source: "key" };
  const [local] = await localServers(options, context);
  if (local !== undefined) {
    const choice = { ...local.choice, model: local.models[0] };
    const notice = `using ${local.models[0]} of ${choice.name} at ${new URL(choice.baseUrl).host}`;
    return { choice, source: "local", notice };
  }
  const choice = chooseEndpoint(OFFLINE, context)!;
  return { choice, source: "offline", notice: OFFLINE_NOTICE };
}

async function decideWanted(
  wanted: EndpointConfig,
  about: { source: Source; options: RouteOptions; context: ChooseContext },
): Promise<Decision> {
  const { source, options, context } = about;
  // A provider in the settings goes with another model; one in the flags was meant.
  const isOffline = wantsOffline(wanted) && (source === "config" || !wanted.provider);
  const choice = chooseEndpoint(isOffline ? OFFLINE : wanted, context);
  if (choice !== undefined) return { choice, source };
  const model = wanted.model!;
  for (const local of await localServers(options, context)) {
    if (local.models.includes(model)) return { choice: { ...local.choice, model }, source };
  }
  throw modelWithoutProvider(model, context);
}

/** Flags leave out what the settings already say about the same endpoint. */
function inherit(flags: EndpointConfig, settings: EndpointConfig): EndpointConfig {
  if (wantsOffline(flags) || wantsOffline(settings)) return flags;
  const sameProvider = !flags.provider || flags.provider === settings.provider;
  const sameUrl = !flags.base_url ||
    (Boolean(settings.base_url) && sameOrigin(flags.base_url, settings.base_url!));
  // A model that names its provider wants that one, whatever the settings say.
  const settled = Boolean(settings.base_url) || /^(openrouter|nous)$/.test(settings.provider ?? "");
  const named = !settled && Boolean(flags.model) && /[:/]/.test(flags.model!);
  if (!sameProvider || !sameUrl || named) return flags;
  return {
    ...settings,
    model: flags.model || settings.model,
    provider: flags.provider || (flags.base_url ? undefined : settings.provider),
    base_url: flags.base_url || settings.base_url,
  };
}

/** A replay goes where the recording went; its provider may be a name that only that machine knew. */
function replayChoice(recorded: RouteTarget, context: ChooseContext): Choice {
  const { provider: name, ...rest } = recorded;
  return { ...rest, name, entry: findEntry(name, context) ?? findEntry("custom", context)! };
}

async function localServers(
  options: RouteOptions,
  context: ChooseContext,
): Promise<{ choice: Choice; models: string[] }[]> {
  const answers = await Promise.all(["ollama", "lmstudio"].map(async (provider) => {
    const choice = chooseEndpoint({ provider }, context)!;
    const models = await listModels(choice.baseUrl, {
      fetch: options.probeFetch ?? fetch,
      timeoutMs: PROBE_MS,
    });
    return { choice, models: Array.isArray(models) ? models : [] };
  }));
  return answers.filter((answer) => answer.models.length > 0);
}

/** A server that was named without a model is asked for its first one. */
async function withModel(choice: Choice, options: RouteOptions): Promise<Complete> {
  if (choice.model) return { ...choice, model: choice.model };
  const models = await listModels(choice.baseUrl, {
    fetch: options.probeFetch ?? fetch,
    timeoutMs: ASK_MS,
    apiKey: choice.key?.value,
  });
  const where = `${choice.name} at ${choice.baseUrl}`;
  if (models === "unreachable") {
    throw new HermesError(`${where} does not answer: start it, or check the address`, {
      exitCode: EXIT.provider,
    });
  }
  const model = models === "unlisted" ? undefined : models[0];
  if (model !== undefined) return { ...choice, model };
  const problem = models === "unlisted"
    ? "does not say which models it has"
    : "has no model loaded";
  throw new UsageError(`${where} ${problem}: pass --model NAME`);
}

function requireKey(choice: Choice, options: RouteOptions): void {
  const { entry, baseUrl } = choice;
  const home = entry.keyEnv.length > 0 && sameOrigin(entry.baseUrl, baseUrl);
  if (!home || choice.key !== undefined || isLoopback(baseUrl)) return;
  if (options.wireFetch?.target === undefined) throw missingKey(choice);
}

/** Fallbacks that cannot be used are left out with a line, never an error: they may not be needed. */
function chooseFallbacks(
  options: RouteOptions,
  context: ChooseContext,
): { choices: Complete[]; problems: string[] } {
  const choices: Complete[] = [];
  const problems: string[] = [];
  for (const wanted of options.config.fallback_providers ?? []) {
    try {
      const choice = chooseEndpoint(wanted, context);
      if (!choice?.model) throw new UsageError("it names no usable provider and model");
      requireKey(choice, options);
      requireOpenPort(choice.baseUrl);
      choices.push({ ...choice, model: choice.model });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const name = wanted.provider || wanted.base_url || wanted.model || "?";
      problems.push(`fallback ${name} is left out: ${error.message}`);
    }
  }
  return { choices, problems };
}

function noticeOf(lines: (string | undefined)[]): { notice?: string } {
  const notice = lines.filter((line) => line !== undefined).join("\n");
  return notice === "" ? {} : { notice };
}

function providerOptions(choice: Complete, options: RouteOptions): ProviderOptions {
  const { entry, key } = choice;
  const local = isLoopback(choice.baseUrl);
  const contextTokens = options.config.model?.context_length;
  const cacheMarkers = entry.aggregator === true && /claude/i.test(choice.model);
  const timeouts = options.timeouts ?? (local ? LOCAL_TIMEOUTS : undefined);
  return {
    name: choice.name,
    model: modelInfo(choice.model, {
      local,
      ...(contextTokens === undefined ? {} : { contextTokens }),
    }),
    baseUrl: choice.baseUrl,
    wireFetch: options.wireFetch ?? networkFetch,
    ...(options.clean === undefined ? {} : { clean: options.clean }),
    ...(key === undefined ? {} : { apiKey: key.value }),
    keyName: key?.name ?? keyAdvice({ entry, baseUrl: choice.baseUrl, env: options.env }),
    ...(timeouts === undefined ? {} : { timeouts }),
    quirks: { ...entry.quirks, ...(cacheMarkers ? { cacheMarkers } : {}) },
  };
}

async function loadProvider(choice: Complete, options: RouteOptions): Promise<Provider> {
  const made = providerOptions(choice, options);
  switch (choice.wire) {
    case "openai_chat":
      return (await import("./openai_chat.ts")).createChatProvider(made);
    case "openai_responses":
      return (await import("./openai_responses.ts")).createResponsesProvider(made);
    case "anthropic_messages":
      return (await import("./anthropic_messages.ts")).createAnthropicProvider(made);
  }
}

/** Loads its wire format when it is first needed, which for most fallbacks is never. */
function lazyProvider(choice: Complete, options: RouteOptions): Provider {
  const { name, model } = providerOptions(choice, options);
  return {
    name,
    model,
    async *stream(request, signal) {
      yield* (await loadProvider(choice, options)).stream(request, signal);
    },
  };
}
