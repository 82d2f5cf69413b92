/** The way to a model that a plugin brings: named as `provider/model`, or by provider and model. */
import { UsageError } from "../protocol/error.ts";
import type { ProviderHandle } from "../protocol/plugin.ts";
import { findEntry } from "../providers/choose.ts";
import type { Route, RouteOptions } from "../providers/route.ts";

/** Undefined when another provider is meant. @throws {HermesError} when there is no such model. */
export function pluginRoute(
  handles: readonly ProviderHandle[],
  { model, provider, baseUrl, config, env, wireFetch }: RouteOptions,
): Route | undefined {
  if (baseUrl !== undefined) return undefined;
  const isChosen = model !== undefined || provider !== undefined;
  const wanted = isChosen ? { model, provider } : {
    model: config.model?.default,
    provider: config.model?.provider,
  };
  const cut = wanted.model?.indexOf("/") ?? -1;
  const name = wanted.provider ?? (cut < 0 ? undefined : wanted.model!.slice(0, cut));
  const handle = handles.find((one) => one.name === name);
  if (handle === undefined) return undefined;
  // No plugin takes the name of a provider that hermes or the person knows.
  if (findEntry(handle.name, { env, named: config.providers ?? {} })) return undefined;
  if (wireFetch !== undefined) {
    throw new UsageError(`${handle.name} is a model of a plugin: it cannot be recorded`);
  }
  const prefix = `${handle.name}/`;
  const id = wanted.model?.startsWith(prefix) ? wanted.model.slice(prefix.length) : wanted.model;
  const primary = handle.open(id || handle.models[0]!.id);
  return {
    primary,
    fallbacks: [],
    source: isChosen ? "flag" : "config",
    target: { provider: handle.name, model: primary.model.id, baseUrl: "", wire: "openai_chat" },
  };
}
