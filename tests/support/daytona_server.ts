/**
 * A small Daytona on loopback: the REST API for sandboxes and the toolbox with its terminals
 * over web sockets, as the SDK uses them. Sandboxes are private directories with real
 * processes. Run as a program it prints its address and serves until its input ends.
 */
import { HostSandbox } from "./cloud_host.ts";
import { DaytonaTerminals } from "./daytona_server_terminals.ts";

/** The key it accepts. */
export const DAYTONA_KEY = "dtn_loopback";
/** No image with this name can be built. */
export const BROKEN_IMAGE = "registry.invalid/broken";

export interface DaytonaSandboxFacts {
  id: string;
  name: string;
  state: "started" | "stopped" | "destroyed" | "build_failed" | "error";
  labels: Record<string, string>;
  /** What the client asked for. */
  request: Readonly<Record<string, unknown>>;
}

interface Sandbox extends DaytonaSandboxFacts {
  host: HostSandbox;
  terminals: DaytonaTerminals;
  idleTimer: ReturnType<typeof setTimeout> | undefined;
}

export interface DaytonaServerOptions {
  /** How long a minute of the intervals lasts; default a real one. */
  minuteMs?: number;
}

export class DaytonaServer {
  readonly #base: string;
  readonly #minuteMs: number;
  readonly #http: Deno.HttpServer<Deno.NetAddr>;
  readonly #sandboxes = new Map<string, Sandbox>();

  private constructor(base: string, options: DaytonaServerOptions) {
    this.#base = base;
    this.#minuteMs = options.minuteMs ?? 60_000;
    this.#http = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => this.#serve(request),
    );
  }

  static async start(options: DaytonaServerOptions = {}): Promise<DaytonaServer> {
    const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-daytona-" }));
    return new DaytonaServer(base, options);
  }

  /** What the SDK calls `apiUrl`. */
  get url(): string {
    return `${this.#origin}/api`;
  }

  get #origin(): string {
    return `http://127.0.0.1:${this.#http.addr.port}`;
  }

  /** Every sandbox ever made, oldest first. */
  sandboxes(): DaytonaSandboxFacts[] {
    return [...this.#sandboxes.values()];
  }

  async stop(id: string): Promise<void> {
    const sandbox = this.#find(id);
    if (sandbox.state !== "started") return;
    sandbox.state = "stopped";
    clearTimeout(sandbox.idleTimer);
    await sandbox.terminals.close();
    await sandbox.host.kill();
  }

  async destroy(id: string): Promise<void> {
    const sandbox = this.#find(id);
    await this.stop(id);
    if (sandbox.state === "stopped") await Deno.remove(sandbox.host.root, { recursive: true });
    sandbox.state = "destroyed";
  }

  async close(): Promise<void> {
    for (const { id, state } of this.sandboxes()) {
      if (state !== "destroyed") await this.destroy(id);
    }
    await this.#http.shutdown();
    await Deno.remove(this.#base, { recursive: true });
  }

  async #serve(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const [area, ...path] = url.pathname.split("/").slice(1).map(decodeURIComponent);
    try {
      if (area === "toolbox") return await this.#toolbox(request, { url, path });
      if (request.headers.get("authorization") !== `Bearer ${DAYTONA_KEY}`) {
        throw new ApiError(401, "Invalid credentials");
      }
      return Response.json(await this.#api(request, { url, path: path.slice(1) }));
    } catch (error) {
      const { status = 500, message } = error as ApiError;
      return Response.json({ statusCode: status, message }, { status });
    }
  }

  async #api(request: Request, { url, path }: Route): Promise<unknown> {
    const [id, action] = path;
    const route = `${request.method} ${action ?? (id === undefined ? "" : "one")}`.trim();
    switch (route) {
      case "POST":
        return this.#view(await this.#create(await request.json()));
      case "GET":
        return { items: this.#list(url.searchParams), nextCursor: null };
      case "GET one":
        return this.#view(this.#find(id!));
      case "DELETE one":
        await this.destroy(id!);
        return this.#view(this.#sandboxes.get(id!)!);
      case "POST start":
        return this.#view(this.#start(id!));
      case "POST stop":
        await this.stop(id!);
        return this.#view(this.#find(id!));
      case "GET ports":
        return { url: this.#origin, token: token(this.#find(id!)), sandboxId: id };
      default:
        throw new ApiError(404, `Cannot ${request.method} ${url.pathname}`);
    }
  }

  async #create(request: Record<string, unknown>): Promise<Sandbox> {
    const id = crypto.randomUUID();
    const name = String(request.name ?? id);
    if (this.#named(name)) throw new ApiError(409, `Sandbox with name ${name} already exists`);
    const root = `${this.#base}/${id}`;
    const host = new HostSandbox({
      id: root,
      root,
      env: request.env as Record<string, string> | undefined ?? {},
    });
    const { dockerfileContent = "" } = request.buildInfo as { dockerfileContent?: string } ?? {};
    const broken = dockerfileContent.includes(BROKEN_IMAGE);
    const sandbox: Sandbox = {
      id,
      name,
      request,
      labels: request.labels as Record<string, string> | undefined ?? {},
      state: broken ? "build_failed" : "started",
      host,
      terminals: new DaytonaTerminals(host),
      idleTimer: undefined,
    };
    // Before anything waits: a name is given away once.
    this.#sandboxes.set(id, sandbox);
    if (!broken) await Deno.mkdir(root);
    this.#touch(sandbox);
    return sandbox;
  }

  #start(id: string): Sandbox {
    const sandbox = this.#find(id);
    if (sandbox.state !== "stopped") throw new ApiError(400, `Sandbox is ${sandbox.state}`);
    sandbox.state = "started";
    this.#touch(sandbox);
    return sandbox;
  }

  #list(query: URLSearchParams): unknown[] {
    const labels = Object.entries(JSON.parse(query.get("labels") ?? "{}"));
    return [...this.#sandboxes.values()]
      .filter(({ state }) => state !== "destroyed")
      .filter((sandbox) => labels.every(([key, value]) => sandbox.labels[key] === value))
      .map((sandbox) => this.#view(sandbox));
  }

  async #toolbox(request: Request, { url, path }: Route): Promise<Response> {
    const [id, ...rest] = path;
    const sandbox = this.#find(id!);
    const key = request.headers.get("authorization")?.replace("Bearer ", "") ??
      url.searchParams.get("DAYTONA_SANDBOX_AUTH_KEY");
    if (key !== DAYTONA_KEY && key !== token(sandbox)) throw new ApiError(401, "Unauthorized");
    if (sandbox.state !== "started") throw new ApiError(400, "Sandbox is not running");
    this.#touch(sandbox);
    if (rest[0] === "user-home-dir") return Response.json({ dir: sandbox.host.root });
    const answer = await sandbox.terminals.serve(request, { url, path: rest });
    if (answer === undefined) throw new ApiError(404, `Cannot ${request.method} ${url.pathname}`);
    return answer;
  }

  /** Begins to count the idle minutes anew. */
  #touch(sandbox: Sandbox): void {
    clearTimeout(sandbox.idleTimer);
    const minutes = Number(sandbox.request.autoStopInterval ?? 15);
    if (minutes === 0 || sandbox.state !== "started") return;
    sandbox.idleTimer = setTimeout(() => {
      if (sandbox.terminals.busy) this.#touch(sandbox);
      else void this.stop(sandbox.id);
    }, minutes * this.#minuteMs);
  }

  #find(id: string): Sandbox {
    const sandbox = this.#sandboxes.get(id) ?? this.#named(id);
    if (!sandbox || sandbox.state === "destroyed") {
      throw new ApiError(404, `Sandbox with ID or name ${id} not found`);
    }
    return sandbox;
  }

  #named(name: string): Sandbox | undefined {
    return [...this.#sandboxes.values()]
      .find((sandbox) => sandbox.name === name && sandbox.state !== "destroyed");
  }

  #view({ id, name, state, labels, request }: Sandbox): Record<string, unknown> {
    return {
      id,
      name,
      state,
      labels,
      organizationId: "org",
      user: "daytona",
      env: {},
      public: false,
      target: request.target ?? "local",
      cpu: request.cpu ?? 1,
      memory: request.memory ?? 1,
      disk: request.disk ?? 3,
      gpu: 0,
      toolboxProxyUrl: `${this.#origin}/toolbox`,
      ...(state === "build_failed" ? { errorReason: "failed to pull the image" } : {}),
    };
  }
}

interface Route {
  url: URL;
  path: string[];
}

class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

function token({ id }: Sandbox): string {
  return `preview-${id}`;
}

if (import.meta.main) {
  const server = await DaytonaServer.start();
  console.log(server.url);
  for await (const _ of Deno.stdin.readable) { /* Serves until its parent is gone. */ }
  await server.close();
}
