/** Model routes of a host: what one session found, the next one need not look for. */
import { resolveRoute, type Route, type RouteOptions } from "../providers/route.ts";

/** Finds routes and remembers those that cannot change while the settings stay the same. */
export class RouteTable {
  readonly #resolve: (options: RouteOptions) => Promise<Route>;
  readonly #known = new Map<string, Promise<Route>>();

  constructor(resolve: (options: RouteOptions) => Promise<Route> = resolveRoute) {
    this.#resolve = resolve;
  }

  async find(options: RouteOptions): Promise<Route> {
    // A cassette is about one session.
    if (options.wireFetch !== undefined) return await this.#resolve(options);
    const { model, provider, baseUrl, config, timeouts } = options;
    const key = JSON.stringify([model, provider, baseUrl, config.model, timeouts]);
    const known = this.#known.get(key);
    if (known !== undefined) return await known;
    const finding = this.#resolve(options);
    this.#known.set(key, finding);
    try {
      const route = await finding;
      // A server on this machine may come and go, and a key may follow it.
      if (route.source === "local" || route.source === "offline") this.#known.delete(key);
      return route;
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }
}
