/**
 * The one place where hermes listens for HTTP: on this machine's loopback address, at the port that
 * a person set, and only while a plugin that answers requests is in use. Hands every request to the
 * plugins that are mounted; what a request may be is their matter (`src/plugins/push/ingress.ts`).
 */
import type { PluginBackground } from "../protocol/plugin.ts";

export interface HttpIngressOptions {
  /** 0 takes any that is free. */
  port: number;
}

/** Requests under way; more are refused at once. */
const MAX_AT_ONCE = 128;
const HOST = "127.0.0.1";

export class HttpIngress {
  readonly #options: HttpIngressOptions;
  readonly #mounted = new Set<PluginBackground>();
  #server: Deno.HttpServer<Deno.NetAddr> | undefined;
  #stop = new AbortController();
  #running = 0;

  constructor(options: HttpIngressOptions) {
    this.#options = options;
  }

  /** Where it listens; undefined while it does not. */
  get address(): string | undefined {
    return this.#server && `http://${HOST}:${this.#server.addr.port}`;
  }

  /** Lets these plugins answer requests. @throws when the port is taken or not allowed. */
  mount(background: PluginBackground): void {
    this.#server ??= this.#listen();
    this.#mounted.add(background);
  }

  /** Listens no more when these were the last; resolves when no connection is left. */
  async unmount(background: PluginBackground): Promise<void> {
    if (!this.#mounted.delete(background) || this.#mounted.size > 0) return;
    const server = this.#server;
    this.#server = undefined;
    this.#stop.abort();
    this.#stop = new AbortController();
    await server?.finished;
  }

  #listen(): Deno.HttpServer<Deno.NetAddr> {
    const { port } = this.#options;
    const { signal } = this.#stop;
    return Deno.serve({ hostname: HOST, port, signal, onListen() {} }, (request) => {
      return this.#answer(request);
    });
  }

  async #answer(request: Request): Promise<Response> {
    if (isFromForeignPage(request)) return plain(403, "pages of other sites are not answered");
    if (this.#running >= MAX_AT_ONCE) {
      return plain(503, "too many requests at once", { "retry-after": "1" });
    }
    const { pathname } = new URL(request.url);
    const answering = [...this.#mounted].find(({ routes }) =>
      routes.some((route) => {
        return route.endsWith("/*") ? pathname.startsWith(route.slice(0, -1)) : pathname === route;
      })
    );
    if (answering === undefined) return plain(404, "there is no such path");
    this.#running++;
    try {
      return await answering.handle(request);
    } finally {
      this.#running--;
    }
  }
}

/**
 * True for what a page of another site makes a browser send. Somebody who follows a link, as at the
 * end of a login, is no such page; a form that posts is one.
 */
function isFromForeignPage({ headers, method }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "none" || site === "same-origin") return false;
  return headers.get("sec-fetch-mode") !== "navigate" || method !== "GET";
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  });
}
