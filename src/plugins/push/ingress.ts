/**
 * The part of hermes' one HTTP ingress that belongs to plugins: a plugin cannot listen, it is handed
 * requests below `/plugins/<name>/` as data. Bounded in size, time and number; what a plugin answers
 * reaches the client as plain data, never as a page with the rights of hermes' own.
 */
import type { RouteRecord, RouteRequest } from "../messages.ts";
import type { Plugin } from "../plugin.ts";
import { PluginProblem, reasonOf } from "../problem.ts";

export interface RoutedPlugin {
  id: string;
  plugin: Plugin;
  routes: readonly RouteRecord[];
}

export interface IngressOptions {
  log(line: string): void;
  /** For a request and its answer together. */
  timeoutMs: number;
}

const PREFIX = "/plugins/";
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_ANSWER_CHARS = 4_000_000;
const MAX_AT_ONCE = 32;
/** Headers that are between a browser or a proxy and hermes. */
const OURS = /^(?:cookie|connection|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;
/** What an answer may say about itself. */
const ANSWERED: readonly string[] = [
  "content-type",
  "cache-control",
  "retry-after",
  "www-authenticate",
];
/** An answer that a browser opens runs nothing and is not hermes' own page. */
const SAFE = {
  "content-security-policy": "sandbox; default-src 'none'",
  "x-content-type-options": "nosniff",
};

export class Ingress {
  readonly #plugins: ReadonlyMap<string, RoutedPlugin>;
  readonly #running = new Map<string, number>();
  readonly #log: (line: string) => void;
  readonly #timeoutMs: number;

  constructor(plugins: readonly RoutedPlugin[], { log, timeoutMs }: IngressOptions) {
    this.#plugins = new Map(plugins.map((one) => [one.id, one]));
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  /** Never throws. */
  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const found = pathname.startsWith(PREFIX)
      ? this.#find(pathname.slice(PREFIX.length))
      : undefined;
    if (found === undefined) return plainResponse(404, "there is no such path");
    const { one, route } = found;
    if (!route.methods.includes(request.method)) {
      return plainResponse(405, "this method is not answered here", {
        allow: route.methods.join(", "),
      });
    }
    const running = this.#running.get(one.id) ?? 0;
    if (running >= MAX_AT_ONCE) {
      return plainResponse(503, "too many requests at once", { "retry-after": "1" });
    }
    this.#running.set(one.id, running + 1);
    try {
      return await this.#ask(found, request);
    } catch (error) {
      this.#log(`${one.id}: ${route.path} failed: ${reasonOf(error)}`);
      return error instanceof PluginProblem
        ? plainResponse(503, "the plugin is not running", { "retry-after": "10" })
        : plainResponse(502, "the plugin failed");
    } finally {
      this.#running.set(one.id, this.#running.get(one.id)! - 1);
    }
  }

  #find(rest: string): { one: RoutedPlugin; route: RouteRecord; path: string } | undefined {
    const cut = rest.indexOf("/");
    const one = cut < 0 ? undefined : this.#plugins.get(rest.slice(0, cut));
    const path = rest.slice(cut);
    const exact = one?.routes.find((route) => route.path === path);
    const below = one?.routes.find((route) => matchesRoute(route.path, path));
    const route = exact ?? below;
    return one === undefined || route === undefined ? undefined : { one, route, path };
  }

  async #ask(
    { one, route, path }: { one: RoutedPlugin; route: RouteRecord; path: string },
    request: Request,
  ): Promise<Response> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const body = await readBody(request, timeout);
    if (body === "late") return plainResponse(408, "the request did not come in time");
    if (body === "large") return plainResponse(413, `at most ${MAX_BODY_BYTES} bytes are taken`);
    const data: RouteRequest = {
      method: request.method,
      // Where hermes listens is not the plugin's matter.
      url: `http://hermes${path}${new URL(request.url).search}`,
      headers: [...request.headers].filter(([name]) => !OURS.test(name)),
      body: body.toBase64(),
    };
    const signal = AbortSignal.any([request.signal, timeout]);
    try {
      const question = { kind: "route", path: route.path, request: data } as const;
      return responseOf(await one.plugin.ask(question, { signal }));
    } catch (error) {
      if (timeout.aborted) return plainResponse(504, "the plugin did not answer in time");
      throw error;
    }
  }
}

/** True for the route's own path, and for every path below a route that ends in `/*`. */
export function matchesRoute(route: string, path: string): boolean {
  return route.endsWith("/*") ? path.startsWith(route.slice(0, -1)) : path === route;
}

/** The whole body, or why there is none: a client that sends a byte now and then is not waited for. */
async function readBody(
  request: Request,
  timeout: AbortSignal,
): Promise<Uint8Array | "large" | "late"> {
  const reader = request.body?.getReader();
  const isLarge = Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES;
  const cancel = () =>
    void reader?.cancel().catch(() => {
      // The client is gone already.
    });
  timeout.addEventListener("abort", cancel, { once: true });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (reader !== undefined) {
      if (isLarge || size > MAX_BODY_BYTES) {
        cancel();
        return "large";
      }
      const { value, done } = await reader.read();
      if (timeout.aborted) return "late";
      if (done) break;
      size += value.length;
      chunks.push(value);
    }
  } finally {
    timeout.removeEventListener("abort", cancel);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The answer of a plugin, which may be anything. @throws when it is none. */
function responseOf(value: unknown): Response {
  const { status, headers, body } = (value ?? {}) as Record<string, unknown>;
  const isStatus = Number.isInteger(status) && (status as number) >= 200 &&
    (status as number) <= 599;
  if (!isStatus || typeof body !== "string" || body.length > MAX_ANSWER_CHARS) {
    throw new TypeError("the plugin's answer is no response, or too large");
  }
  const kept = new Headers(SAFE);
  for (const pair of Array.isArray(headers) ? headers : []) {
    const [name, text] = Array.isArray(pair) ? pair.map(String) : [];
    if (name !== undefined && text !== undefined && ANSWERED.includes(name.toLowerCase())) {
      kept.set(name, text);
    }
  }
  const bytes = Uint8Array.fromBase64(body);
  // These have no body, whatever the plugin says.
  const isEmpty = bytes.length === 0 || status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : bytes, { status: status as number, headers: kept });
}

/** A short answer of hermes itself. */
export function plainResponse(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { ...SAFE, "content-type": "text/plain; charset=utf-8", ...headers },
  });
}
