/** Which model a session talks to: what its spec names, what it used before, what the settings say. */
import type { LoopDeps } from "../agent/types.ts";
import type { Settings } from "../config/load.ts";
import { UsageError } from "../protocol/error.ts";
import type { Provider } from "../protocol/provider.ts";
import type { SessionSpec } from "../protocol/session_spec.ts";
import { noModel } from "../providers/choose.ts";
import type { Route, RouteOptions } from "../providers/route.ts";
import type { StreamTimeouts } from "../providers/watchdog.ts";
import type { SessionRecord } from "../store/record.ts";
import type { Cassette } from "./cassette.ts";
import { withoutSecrets } from "./prompt.ts";

/** Finds where requests go; a host remembers what it found. */
export type FindRoute = (options: RouteOptions) => Promise<Route>;

export interface ModelChoiceOptions {
  settings: Settings;
  choice?: SessionSpec["model"];
  /** The embedded model may answer although it was not named. */
  offersOffline: boolean;
  routes: FindRoute;
  cassette: Cassette;
}

/** The model that a resumed session had last. */
export interface EarlierModel extends Pick<SessionRecord, "id" | "provider" | "model"> {
  /** Where it was, when its provider's name does not say that; absent where it is not known. */
  address?: string;
}

/** The provider of an address that is no provider of the catalogue. */
const UNNAMED = "custom";

/** The model of a session that opens. @throws {UsageError} when there is none. */
export async function findModel(
  options: ModelChoiceOptions,
  earlier: EarlierModel | undefined,
): Promise<Route> {
  const { choice = {} } = options;
  const isChosen = Object.values(choice).some((value) => value !== undefined);
  // A resumed session goes on with its own model unless another is asked for.
  const route = isChosen || earlier === undefined
    ? await routeTo(options, choice)
    : earlier.provider === UNNAMED
    ? await routeToAddress(options, earlier)
    : await routeTo(options, { name: earlier.model, provider: earlier.provider });
  if (route.source === "offline" && !options.offersOffline) throw noModel();
  return route;
}

/** The earlier model at the address of the settings, if that is where it was; otherwise theirs. */
async function routeToAddress(
  options: ModelChoiceOptions,
  { id, model, address }: EarlierModel,
): Promise<Route> {
  if (options.settings.config.model.base_url) {
    const route = await routeTo(options, { name: model });
    if (address === undefined || address === addressOf(route)) return route;
  }
  const route = await routeTo(options, {});
  const again = `--base-url ${address ?? "URL"} --model ${model}`;
  const where = address ?? "an address that is not kept";
  if (route.source === "offline") {
    throw new UsageError(`session ${id} used ${model} at ${where}`, {
      hint: `Name it again: ${again}`,
    });
  }
  const { provider, model: now } = route.target;
  const lost = `session ${id} used ${model} at ${where}; the settings name another model, ` +
    `so it goes on with ${provider}/${now}. Back: ${again}`;
  return { ...route, notice: route.notice === undefined ? lost : `${lost}\n${route.notice}` };
}

/** Where a route leads when its provider's name does not say that; without a password in it. */
export function addressOf({ target: { provider, baseUrl } }: Route): string | undefined {
  const url = provider === UNNAMED ? URL.parse(baseUrl) : null;
  return url === null ? undefined : `${url.origin}${url.pathname}`;
}

/** Another model for a session that is open: at the same address unless a provider is named. */
export async function otherModel(
  options: ModelChoiceOptions & { images(provider: Provider): Provider },
  { name, provider }: { name: string; provider?: string },
): Promise<LoopDeps["providers"]> {
  const { images, choice } = options;
  const wanted = provider === undefined ? { ...choice, name } : { name, provider };
  const { primary, fallbacks } = await routeTo(options, wanted);
  return { active: images(primary), fallbacks: fallbacks.map(images) };
}

async function routeTo(
  { settings, routes, cassette: { wireFetch } }: ModelChoiceOptions,
  { name, provider, baseUrl }: NonNullable<SessionSpec["model"]>,
): Promise<Route> {
  return await routes({
    ...(name === undefined ? {} : { model: name }),
    ...(provider === undefined ? {} : { provider }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    config: settings.config,
    env: settings.env,
    ...streamTimeouts(settings),
    ...(wireFetch === undefined ? {} : { wireFetch }),
    clean: (text) => withoutSecrets(settings, text),
  });
}

/** The model that judges commands under the policy `smart`: its own, or the session's. */
export async function findReviewer(
  { settings, routes, cassette }: Omit<ModelChoiceOptions, "offersOffline">,
  primary: Provider,
): Promise<Provider> {
  if (!await cassette.mayApprove()) {
    throw new UsageError("a recording that was not made in this home approves nothing");
  }
  const { wireFetch } = cassette;
  const own = settings.config.auxiliary["approval"];
  if (!own?.model) return primary;
  const { model, provider, base_url: baseUrl } = own;
  const route = await routes({
    model,
    ...(provider ? { provider } : {}),
    ...(baseUrl ? { baseUrl } : {}),
    config: { ...settings.config, model: { ...settings.config.model, ...own } },
    env: settings.env,
    ...(wireFetch === undefined ? {} : { wireFetch }),
  });
  return route.primary;
}

/** Only what the settings say: otherwise the route knows better, a local model is slower. */
function streamTimeouts(settings: Settings): { timeouts?: StreamTimeouts } {
  const { stream_read: read, stream_stale: stale } = settings.config.timeouts;
  const isSet = ["stream_read", "stream_stale"].some((key) =>
    settings.origin(`timeouts.${key}`) !== "default"
  );
  return isSet ? { timeouts: { firstByteMs: read * 1000, idleMs: stale * 1000 } } : {};
}
