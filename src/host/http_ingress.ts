/**
 * The one place where hermes listens for HTTP: on this machine's loopback address, at the port that
 * a person set, and only while a plugin that answers requests is in use. Hands every request to the
 * plugins that are mounted; what a request may be is their matter (`src/plugins/push/ingress.ts`).
 */
import { matchesRoute, plainResponse } from "../plugins/push/ingress.ts";
import type { PluginBackground } from "../protocol/plugin.ts";

export interface HttpIngressOptions {
  /** 0 takes any that is free. */
  port: number;
  /** Names under which a proxy of the person's reaches it, beside those of this machine. */
  hosts?: readonly string[];
}

/** Requests under way; more are refused at once. */
const MAX_AT_ONCE = 128;
const HOST = "127.0.0.1";
/** What this machine calls itself. */
const OWN_NAME = /^(?:localhost|[a-z0-9-]{1,63}\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** A path that means another one: a proxy in front may have let it pass for what it looks like. */
const DISGUISED = /\\|\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

export class HttpIngress {
  readonly #options: HttpIngressOptions;
  readonly #mounted = new Set<PluginBackground>();
  #server: Deno.HttpServer<Deno.NetAddr> | undefined;
  #stop = new AbortController();
  #running = 0;
  /** The last listener is gone, and its port free. */
  #closed: Promise<void> = Promise.resolve();

  constructor(options: HttpIngressOptions) {
    this.#options = options;
  }

  /** Where it listens; undefined while it does not. */
  get address(): string | undefined {
    return this.#server && `http://${HOST}:${this.#server.addr.port}`;
  }

  /** True when plugins that were mounted before have this very route. */
  isAnswered(route: string): boolean {
    return [...this.#mounted].some(({ routes }) => routes.includes(route));
  }

  /** Lets these plugins answer requests. @throws when the port is taken or not allowed. */
  async mount(background: PluginBackground): Promise<void> {
    this.#mounted.add(background);
    await this.#closed;
    // Unmounted meanwhile, it is not to be listened for.
    if (!this.#mounted.has(background)) return;
    try {
      this.#server ??= this.#listen();
    } catch (error) {
      this.#mounted.delete(background);
      throw error;
    }
  }

  /** Listens no more when these were the last; resolves when no connection is left. */
  async unmount(background: PluginBackground): Promise<void> {
    if (!this.#mounted.delete(background) || this.#mounted.size > 0) return;
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    this.#stop.abort();
    this.#stop = new AbortController();
    await (this.#closed = server.finished);
  }

  #listen(): Deno.HttpServer<Deno.NetAddr> {
    const { port } = this.#options;
    const { signal } = this.#stop;
    // A failure is the client's to hear of; the terminal may be a person's conversation.
    const onError = () => plainResponse(500, "hermes failed");
    return Deno.serve({ hostname: HOST, port, signal, onListen() {}, onError }, (request) => {
      return this.#answer(request);
    });
  }

  /**
   * A page whose name its owner points at this machine looks to a browser as if it came from here;
   * only the name gives it away.
   */
  #isOwnName(name: string): boolean {
    return OWN_NAME.test(name) || (this.#options.hosts ?? []).includes(name);
  }

  async #answer(request: Request): Promise<Response> {
    const url = URL.parse(request.url);
    if (url === null || DISGUISED.test(pathOf(request.url))) {
      return plainResponse(400, "no usable address");
    }
    if (!this.#isOwnName(url.hostname)) {
      return plainResponse(
        421,
        "hermes has no such name here; a proxy's goes into plugins.http_hosts",
      );
    }
    if (isFromForeignPage(request, url)) {
      return plainResponse(403, "pages of other sites are not answered");
    }
    if (this.#running >= MAX_AT_ONCE) {
      return plainResponse(503, "too many requests at once", { "retry-after": "1" });
    }
    const { pathname } = url;
    const answering = [...this.#mounted].find(({ routes }) =>
      routes.some((route) => matchesRoute(route, pathname))
    );
    if (answering === undefined) return plainResponse(404, "there is no such path");
    this.#running++;
    try {
      return await answering.handle(request);
    } finally {
      this.#running--;
    }
  }
}

/** Path and query as they came, before anything is resolved in them. */
function pathOf(address: string): string {
  const at = address.indexOf("/", address.indexOf("//") + 2);
  return at < 0 ? "" : address.slice(at).split("?", 1)[0]!;
}

/**
 * True for what a page of another site makes a browser send. Somebody who follows a link, as at the
 * end of a login, is no such page; a form that posts is one, and so is a frame.
 */
function isFromForeignPage({ headers, method }: Request, { host }: URL): boolean {
  const origin = headers.get("origin");
  if (origin !== null && URL.parse(origin)?.host !== host) return true;
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "none" || site === "same-origin") return false;
  const isShown = (headers.get("sec-fetch-dest") ?? "document") === "document";
  return headers.get("sec-fetch-mode") !== "navigate" || method !== "GET" || !isShown;
}
