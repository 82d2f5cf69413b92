/**
 * From what a person wrote (provider, model, address, in flags or settings) to one catalog
 * row, address and key. Pure but for the environment it is handed; asks no server.
 */
// deno-lint-ignore-file camelcase -- the keys of config.yaml
import { didYouMean } from "../util/nearest.ts";
import { UsageError } from "../protocol/error.ts";
import { CATALOG, type CatalogEntry, type Wire } from "./catalog_data.ts";
import { type ApiKey, type Env, findKey, firstSet, sameOrigin } from "./credentials.ts";
import { normalizeBaseUrl, ollamaUrl } from "./endpoint.ts";

/** An endpoint as `config.yaml` describes it. Empty text counts as absent. */
export interface EndpointConfig {
  provider?: string | undefined;
  model?: string | undefined;
  base_url?: string | undefined;
  api_key?: string | undefined;
  key_env?: string | undefined;
  api_mode?: string | undefined;
}

/** A named endpoint of the person's own. */
export interface NamedEndpoint extends EndpointConfig {
  models?: readonly string[] | undefined;
  extra_headers?: Record<string, string> | undefined;
  enabled?: boolean | undefined;
}

export interface ChooseContext {
  env: Env;
  /** `providers` of `config.yaml`. */
  named: Readonly<Record<string, NamedEndpoint>>;
}

/** An endpoint that can be talked to, but for a model that may still have to be asked for. */
export interface Choice {
  entry: CatalogEntry;
  /** Name the provider goes by; that of a named endpoint is its own. */
  name: string;
  baseUrl: string;
  wire: Wire;
  model?: string | undefined;
  key?: ApiKey | undefined;
}

const WIRES: Readonly<Record<string, Wire>> = {
  chat_completions: "openai_chat",
  codex_responses: "openai_responses",
  anthropic_messages: "anthropic_messages",
};

/** The name people ask for the embedded model by; no server has a model of that name. */
const OFFLINE = "offline";

/** True for the embedded model, whichever provider the settings pin: none of them serves it. */
export function wantsOffline(wanted: EndpointConfig): boolean {
  return wanted.model === OFFLINE && !wanted.base_url;
}

/** True when something is said at all; `auto` says nothing. */
export function wantsSomething(wanted: EndpointConfig): boolean {
  return Boolean(wanted.model || wanted.base_url || providerOf(wanted));
}

/**
 * The endpoint for what is wanted; undefined when a bare model name fits no provider that
 * has a key. @throws UsageError when a name is unknown or an address is no address.
 */
export function chooseEndpoint(
  wanted: EndpointConfig,
  context: ChooseContext,
): Choice | undefined {
  const provider = providerOf(wanted);
  if (provider !== undefined) {
    const entry = findEntry(provider, context);
    if (entry === undefined) throw unknownProvider(provider, context);
    return complete({ ...wanted, model: withoutPrefix(wanted.model, entry) }, { entry, context });
  }
  if (wanted.base_url) {
    const entry = entryAt(wanted.base_url) ?? findEntry("custom", context)!;
    return complete(wanted, { entry, context });
  }
  const found = wanted.model ? entryForModel(wanted.model, context) : undefined;
  return found && complete({ ...wanted, model: found.model }, { entry: found.entry, context });
}

/** The catalog row whose server an address belongs to. Names of hosts are compared before addresses are parsed. */
function entryAt(url: string): CatalogEntry | undefined {
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return undefined;
  return CATALOG.find(({ baseUrl }) => baseUrl.includes(host) && sameOrigin(baseUrl, url));
}

/** The first provider, in catalog order, that is set up by its key or its address. */
export function chooseByKey(context: ChooseContext): Choice | undefined {
  const entry = CATALOG.find((entry) =>
    !entry.neverAuto && entry.keyEnv.length > 0 &&
    (firstSet(entry.keyEnv, context.env) !== undefined ||
      (entry.id === "openai" && Boolean(context.env("OPENAI_BASE_URL"))))
  );
  return entry && complete({}, { entry, context });
}

/** The error for a run without anybody at a terminal that names no model and finds none. */
export function noModel(): UsageError {
  return new UsageError("no model is configured, and nobody asked for the offline one", {
    hint: "Set OPENROUTER_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama; " +
      "or try the embedded model: --model offline",
  });
}

/** The error for a provider whose key is missing. */
export function missingKey(choice: Choice): UsageError {
  const names = choice.entry.keyEnv;
  if (!sameOrigin(choice.entry.baseUrl, choice.baseUrl)) {
    return new UsageError(`${choice.baseUrl} needs a key: set HERMES_API_KEY for it`);
  }
  return new UsageError(
    `${choice.name} needs a key: set ${names[0]} in the environment or in .env of the hermes home`,
  );
}

/** The error for a model that no provider in reach serves. */
export function modelWithoutProvider(model: string, context: ChooseContext): UsageError {
  const prefix = /^([^:/]+)[:/]/.exec(model)?.[1];
  const entry = prefix === undefined ? familyOf(model) : findEntry(prefix, context);
  const close = prefix && !entry ? didYouMean(prefix, providerNames(context)) : "";
  const key = entry?.keyEnv[0] ? `set ${entry.keyEnv[0]}, or ` : "";
  return new UsageError(
    `no provider for model "${model}": no key that fits it is set and no local server offers it; ` +
      `${key}pass --provider NAME or --base-url URL.${close}`,
  );
}

function familyOf(model: string): CatalogEntry | undefined {
  return CATALOG.find((entry) => entry.family?.test(model));
}

function providerOf(wanted: EndpointConfig): string | undefined {
  return wanted.provider && wanted.provider !== "auto" ? wanted.provider : undefined;
}

/** A named endpoint or a catalog row, by name or alias. */
export function findEntry(name: string, context: ChooseContext): CatalogEntry | undefined {
  const id = name.toLowerCase();
  const own = id.replace(/^custom:/, "");
  const named = context.named[own];
  if (named !== undefined && named.enabled !== false) {
    const custom = CATALOG.find((entry) => entry.id === "custom")!;
    return {
      ...custom,
      id: own,
      baseUrl: named.base_url ?? "",
      ...(named.models?.[0] === undefined ? {} : { model: named.models[0] }),
      quirks: { ...custom.quirks, headers: named.extra_headers ?? {} },
    };
  }
  return CATALOG.find((entry) => entry.id === id || entry.aliases?.includes(id));
}

function unknownProvider(name: string, context: ChooseContext): UsageError {
  const known = providerNames(context);
  const hint = didYouMean(name, known) || ` Known: ${known.join(", ")}.`;
  return new UsageError(`unknown provider "${name}".${hint}`);
}

function providerNames(context: ChooseContext): string[] {
  return [...Object.keys(context.named), ...CATALOG.map((entry) => entry.id)];
}

/** `groq:x` or `groq/x` beside `--provider groq` means `x`. */
function withoutPrefix(model: string | undefined, entry: CatalogEntry): string | undefined {
  const match = model ? /^([^:/]+)[:/](.+)$/.exec(model) : null;
  if (match === null || entry.aggregator) return model || undefined;
  const names = [entry.id, ...entry.aliases ?? []];
  return names.includes(match[1]!.toLowerCase()) ? match[2] : model;
}

function complete(
  wanted: EndpointConfig,
  found: { entry: CatalogEntry; context: ChooseContext },
): Choice {
  const { entry, context } = found;
  const { env } = context;
  const named = context.named[entry.id];
  const moved = entry.urlEnv === undefined ? undefined : env(entry.urlEnv)?.trim();
  const address = wanted.base_url ||
    (moved ? (entry.id === "ollama" ? ollamaUrl(moved) : moved) : entry.baseUrl);
  if (address === "") {
    throw new UsageError(
      `provider ${entry.id} needs an address: pass --base-url, for example http://127.0.0.1:8000/v1`,
    );
  }
  const wire = wireFor(wanted.api_mode || named?.api_mode, { entry, address });
  const baseUrl = normalizeBaseUrl(address, wire);
  const tied = wanted.api_key || wanted.key_env ? wanted : named;
  const key = findKey({
    entry,
    baseUrl,
    supplied: Boolean(wanted.base_url) || named !== undefined,
    bound: tied && {
      baseUrl: tied.base_url || entry.baseUrl,
      apiKey: tied.api_key,
      keyEnv: tied.key_env,
    },
    env,
  });
  // Behind another address the format's defaults are anybody's guess: that server is asked.
  const away = !sameOrigin(entry.baseUrl, baseUrl) && entry.wire !== "anthropic_messages";
  const model = wanted.model || (away ? undefined : entry.model);
  return { entry, name: entry.id, baseUrl, wire, model, key };
}

/** At its own address a provider speaks its own format; elsewhere OpenAI's means Chat Completions. */
function wireFor(mode: string | undefined, found: { entry: CatalogEntry; address: string }): Wire {
  const stated = WIRES[mode ?? ""];
  if (stated !== undefined) return stated;
  const { entry, address } = found;
  if (/\/anthropic(\/v1)?\/?$/.test(address)) return "anthropic_messages";
  const home = sameOrigin(entry.baseUrl, address);
  return entry.wire === "openai_responses" && !home ? "openai_chat" : entry.wire;
}

interface EntryAndModel {
  entry: CatalogEntry;
  model: string;
}

/** `provider:model`, `provider/model`, an aggregator's `vendor/model`, or a name of a known family. */
function entryForModel(name: string, context: ChooseContext): EntryAndModel | undefined {
  const match = /^((?:custom:)?[^:/]+)([:/])(.+)$/i.exec(name);
  const entry = match ? findEntry(match[1]!, context) : undefined;
  const rest = match?.[3] ?? "";
  if (entry !== undefined && match![2] === ":") return { entry, model: rest };
  if (match?.[2] === "/") return entryForSlug(name, { entry, rest, context });
  const family = familyOf(name);
  if (family !== undefined && hasKey(family, context)) return { entry: family, model: name };
  const aggregator = withKey((candidate) => candidate.aggregator === true, context);
  if (aggregator !== undefined && family !== undefined) {
    const vendor = family.aliases?.find((alias) =>
      /^(google|x-ai|mistralai|moonshotai|z-ai|qwen)$/.test(alias)
    );
    return { entry: aggregator, model: `${vendor ?? family.id}/${name}` };
  }
  if (family !== undefined) return undefined;
  const first = withKey((candidate) => !candidate.neverAuto, context);
  return first && { entry: first, model: name };
}

function entryForSlug(
  slug: string,
  parsed: { entry: CatalogEntry | undefined; rest: string; context: ChooseContext },
): EntryAndModel | undefined {
  const { entry, rest, context } = parsed;
  if (entry?.aggregator) {
    // "openrouter/auto" is itself the name of a model there.
    return { entry, model: entry.id === "openrouter" && !rest.includes("/") ? slug : rest };
  }
  if (entry !== undefined && (entry.keyEnv.length === 0 || hasKey(entry, context))) {
    return { entry, model: rest };
  }
  const aggregator = withKey((candidate) => candidate.aggregator === true, context);
  return aggregator && { entry: aggregator, model: slug };
}

function withKey(
  accept: (entry: CatalogEntry) => boolean,
  context: ChooseContext,
): CatalogEntry | undefined {
  return CATALOG.find((entry) => accept(entry) && hasKey(entry, context));
}

function hasKey(entry: CatalogEntry, context: ChooseContext): boolean {
  return firstSet(entry.keyEnv, context.env) !== undefined;
}
