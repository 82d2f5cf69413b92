/**
 * A plugin from an address: its entry module and everything that imports, fetched within
 * bounds. Nothing is believed but bytes: neither content types nor where a redirect claims to go.
 */
import { PluginProblem } from "./problem.ts";
import { describeLimits, type FileBytes, LIMITS, type PluginSource } from "./source.ts";

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;
const PARALLEL = 8;

/** Fetches a plugin. @throws {PluginProblem} when an address is not allowed, fails, or is too large. */
export async function fetchSource(address: string): Promise<PluginSource> {
  const graph = new RemoteGraph(new URL(address));
  return await graph.fetch();
}

/** True for something to fetch rather than a path. */
export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

class RemoteGraph {
  readonly #root: URL;
  readonly #files = new Map<string, FileBytes>();
  readonly #redirects = new Map<string, string>();
  #totalBytes = 0;

  constructor(root: URL) {
    this.#root = root;
    this.#root.hash = "";
  }

  async fetch(): Promise<PluginSource> {
    const { scanModule } = await import("./modules.ts");
    const { readModuleManifest } = await import("./manifest.ts");
    const entry = await this.#add(this.#root.href);
    let manifest: string | undefined;
    const scanned = new Set<string>();
    let wave = [entry];
    while (wave.length > 0) {
      const next = new Map<string, boolean>();
      for (const url of wave.filter((one) => !scanned.has(one))) {
        scanned.add(url);
        const { program, imports } = await scanModule(url, this.#files.get(url)!);
        const speaksForItself = url !== entry || readModuleManifest(program, url) !== undefined;
        if (!speaksForItself) manifest = await this.#add(new URL("plugin.yaml", entry).href);
        for (const site of imports) {
          if (site.url !== undefined && !this.#knows(site.url)) next.set(site.url, site.isData);
        }
      }
      wave = await this.#addAll(next);
    }
    return {
      entry,
      files: this.#files,
      redirects: this.#redirects,
      ...(manifest === undefined ? {} : { manifest }),
    };
  }

  #knows(url: string): boolean {
    return this.#files.has(this.#redirects.get(url) ?? url);
  }

  /** Fetches addresses, some at a time; gives where those were that are modules. */
  async #addAll(wanted: ReadonlyMap<string, boolean>): Promise<string[]> {
    const modules: string[] = [];
    const queue = [...wanted];
    const work = async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
        const [address, isData] = item;
        const url = await this.#add(address);
        if (!isData) modules.push(url);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    return modules;
  }

  /** Fetches one address and keeps it; gives where it really was. */
  async #add(address: string): Promise<string> {
    if (this.#files.size >= LIMITS.files) throw tooLarge(this.#root.href);
    const { url, bytes } = await this.#fetchOne(address);
    if (url !== address) this.#redirects.set(address, url);
    this.#files.set(url, bytes);
    this.#totalBytes += bytes.length;
    if (this.#totalBytes > LIMITS.totalBytes) throw tooLarge(this.#root.href);
    return url;
  }

  async #fetchOne(address: string): Promise<{ url: string; bytes: FileBytes }> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new Error("no answer in time")), TIMEOUT_MS);
    try {
      let url = new URL(address);
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        this.#requireAllowed(url);
        const response = await request(url, abort.signal);
        const location = response.headers.get("location");
        if (response.status < 300 || response.status > 399 || location === null) {
          return { url: url.href, bytes: await readBody(response, url.href) };
        }
        await response.body?.cancel();
        url = new URL(location, url);
      }
      throw new PluginProblem(`${address} redirects more than ${MAX_REDIRECTS} times`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Only HTTPS; a plugin from this machine may come from this machine, and no other may. */
  #requireAllowed(url: URL): void {
    const local = isLoopback(this.#root.hostname);
    if (isLoopback(url.hostname) && local && /^https?:$/.test(url.protocol)) return;
    if (isLoopback(url.hostname)) {
      throw new PluginProblem(`${url.href} is on this machine, but the plugin is not`);
    }
    if (url.protocol !== "https:") {
      throw new PluginProblem(
        `${url.href} is not HTTPS: a plugin must come over a safe connection`,
      );
    }
    if (url.username !== "" || url.password !== "") {
      throw new PluginProblem(`${url.host}: an address with a password cannot be kept`);
    }
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

async function request(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { redirect: "manual", signal, headers: { accept: "*/*" } });
  } catch (error) {
    const reason = signal.aborted ? "no answer in time" : "no connection";
    throw new PluginProblem(`cannot fetch ${url.href}: ${reason}`, { cause: error });
  }
}

/** The whole body, given up as soon as it is too large. */
async function readBody(response: Response, url: string): Promise<FileBytes> {
  const announced = Number(response.headers.get("content-length") ?? 0);
  if (response.status !== 200 || announced > LIMITS.fileBytes) {
    await response.body?.cancel();
    if (response.status === 200) throw tooLarge(url);
    throw new PluginProblem(`cannot fetch ${url}: the server answered ${response.status}`);
  }
  const chunks: FileBytes[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > LIMITS.fileBytes) throw tooLarge(url);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof PluginProblem) throw error;
    throw new PluginProblem(`cannot fetch ${url}: the connection broke`, { cause: error });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function tooLarge(url: string): PluginProblem {
  return new PluginProblem(`${url} is too large for a plugin: ${describeLimits()}`);
}
