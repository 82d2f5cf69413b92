/** Which model a run would use now, and which providers have a key. Never a key itself. */
import type { Settings } from "../../../config/load.ts";
import { EXIT, HermesError } from "../../../protocol/error.ts";
import { CATALOG } from "../../../providers/catalog_data.ts";
import { isLoopback } from "../../../providers/credentials.ts";
import { resolveRoute, type Route } from "../../../providers/route.ts";

export interface Selection {
  model?: string;
  provider?: string;
  baseUrl?: string;
  source?: Route["source"];
  because: string;
  fallbacks?: string[];
  /** Fallbacks that cannot be used, one line each. */
  leftOut?: string[];
  problem?: string;
  /** The problem is in what was asked for; else in the world: a server that is not there. */
  isWrong?: boolean;
}

/** What a run would use now. */
export async function selectModel(settings: Settings): Promise<Selection> {
  try {
    const route = await resolveRoute({ config: settings.config, env: settings.env });
    return {
      model: route.target.model,
      provider: route.target.provider,
      baseUrl: route.target.baseUrl,
      source: route.source,
      because: reason(route, settings),
      fallbacks: route.fallbacks.map((fallback) => `${fallback.name}/${fallback.model.id}`),
      ...(route.leftOut && { leftOut: route.leftOut }),
    };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    const { model } = settings.config;
    return {
      model: model.default,
      because: chosenBy(settings.origin("model.default")),
      problem: error.message,
      isWrong: error.exitCode === EXIT.usage,
    };
  }
}

/** Where a choice that cannot be used comes from. */
function chosenBy(origin: string): string {
  if (origin === "flag") return "you asked for it";
  return origin === "default" ? "nothing says which one" : `chosen in ${origin}`;
}

function reason(route: Route, settings: Settings): string {
  switch (route.source) {
    case "key":
      return "its key is the first one present";
    case "local":
      return "it runs on this machine";
    case "offline":
      return "no key is set and no local server answers";
    default: {
      const keys = ["model.default", "model.provider", "model.base_url"];
      const origins = keys.map((key) => settings.origin(key)).filter((from) => from !== "default");
      return `chosen in ${[...new Set(origins)].join(" and ")}`;
    }
  }
}

export interface ProviderKeys {
  provider: string;
  /** Variables that may hold the key; empty where there is none. */
  variables: readonly string[];
  /** False for a server of this machine: it may have a key and mostly has none. */
  needsKey: boolean;
  /** The one that is set. */
  set?: string;
}

/** Every known provider with the variables of its key. */
export function providerKeys(settings: Settings): ProviderKeys[] {
  return CATALOG.map((entry) => {
    const set = entry.keyEnv.find((name) => settings.env(name) !== undefined);
    const needsKey = entry.keyEnv.length > 0 && !isLoopback(entry.baseUrl);
    const { id: provider, keyEnv: variables } = entry;
    return { provider, variables, needsKey, ...(set === undefined ? {} : { set }) };
  });
}
