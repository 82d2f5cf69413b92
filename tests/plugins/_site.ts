/** Plugins on a web server of this machine. */

/** A web server on this machine: bodies by path, and what was asked for. */
export class Site implements AsyncDisposable {
  readonly pages = new Map<string, string | ((request: Request) => Response | Promise<Response>)>();
  readonly asked: string[] = [];
  #server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    this.asked.push(pathname);
    const page = this.pages.get(pathname + search) ?? this.pages.get(pathname);
    if (page === undefined) return new Response("nothing here", { status: 404 });
    return typeof page === "string" ? new Response(page) : page(request);
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

export function greeter(version = "1.0.0", greeting = "hello"): string {
  return `export const manifest = {
  name: "greeter", version: "${version}", description: "Greets", permissions: {},
} as const;
import { greeting } from "./lib/words.ts";
export function register(ctx: import("hermes/plugin").PluginContext): void {
  ctx.registerTool({ name: "greet", description: "Greets", schema: { type: "object" },
    handler: () => ({ greeting, version: "${version}", unused: "${greeting}" }) });
}
`;
}

/** Puts the greeter on a site; gives its address. */
export function greeterSite(site: Site): string {
  site.pages.set("/p/mod.ts", greeter());
  site.pages.set("/p/lib/words.ts", `export const greeting: string = "hello";\n`);
  return `${site.url}/p/mod.ts`;
}
