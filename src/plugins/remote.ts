/**
 * A plugin from an address: its entry module and everything that imports, fetched within
 * bounds. Nothing is believed but bytes: neither content types nor where a redirect claims to go.
 */
import { UsageError } from "../protocol/error.ts";
import { Deadline } from "../registry/dispatch/deadline.ts";
import { readBody } from "../util/read_body.ts";
import { PluginProblem } from "./problem.ts";
import { describeLimits, type FileBytes, LIMITS, type PluginSource } from "./source.ts";

const MAX_REDIRECTS = 5;
/** Longer ones make paths in the cache that no file system takes. */
const MAX_ADDRESS_CHARS = 1_000;
const PARALLEL = 8;
/** How long one file may take, and all of them together. */
const TIMEOUTS = { fileMs: 30_000, totalMs: 120_000 };

/** Fetches a plugin. @throws {PluginProblem} when an address is not allowed, fails, or is too large. */
export async function fetchSource(address: string, timeouts = TIMEOUTS): Promise<PluginSource> {
  using graph = new RemoteGraph(parseUrl(address), timeouts);
  return await graph.fetch();
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (url === null) throw new PluginProblem(`"${text}" is no address`);
  return url;
}

/** `URL` or `URL#sha256=…` in its parts. */
export interface Address {
  url: string;
  /** The hash of the plugin that is meant. */
  pin?: string;
}

/** The text without what stands before an `@`, which may be a password. */
function withoutUser(place: string): string {
  const start = place.indexOf("//");
  const at = place.lastIndexOf("@");
  return start < 0 || at < start ? place : `${place.slice(0, start)}//…${place.slice(at)}`;
}

/** The address in the form that is shown, kept and compared. @throws {UsageError} when it has none. */
export function parseAddress(place: string): Address {
  const url = URL.parse(place);
  if (url === null) throw new UsageError(`"${withoutUser(place)}" is no address`);
  const { hash } = url;
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(`${url.host}: an address with a password cannot be kept`);
  }
  if (url.protocol !== "https:" && !isLoopback(url.hostname)) throw new UsageError(notSafe(url));
  url.hash = "";
  if (hash === "") return { url: url.href };
  const [, pin] = /^#sha256=([0-9a-f]{64})$/i.exec(hash) ?? [];
  if (pin === undefined) {
    throw new UsageError(
      `${url.href} is not pinned by what follows it: a SHA-256 has 64 digits of 0-9 and a-f`,
      { hint: "Write #sha256= and the digits, or leave it out." },
    );
  }
  return { url: url.href, pin: pin.toLowerCase() };
}

/** @throws {UsageError} when the address names another plugin than the one that was found there. */
export function requirePinned({ url, pin }: Address, hash: string): void {
  if (pin === undefined || pin === hash) return;
  throw new UsageError(`${url} is not the pinned plugin: its sha256 is ${hash}`, {
    hint: "Find out what has changed before you use it.",
  });
}

/** True for something to fetch rather than a path. */
export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

class RemoteGraph implements Disposable {
  readonly #root: URL;
  readonly #fileMs: number;
  readonly #files = new Map<string, FileBytes>();
  readonly #redirects = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #deadline: Deadline;
  #totalBytes = 0;

  constructor(root: URL, { fileMs, totalMs }: typeof TIMEOUTS) {
    this.#root = root;
    this.#root.hash = "";
    this.#fileMs = fileMs;
    this.#deadline = new Deadline(this.#stop.signal, totalMs);
  }

  [Symbol.dispose](): void {
    this.#deadline[Symbol.dispose]();
  }

  async fetch(): Promise<PluginSource> {
    const { TypeStripper } = await import("../sandbox/script/type_stripper.ts");
    const { scanModule } = await import("./modules.ts");
    const { readModuleManifest } = await import("./manifest.ts");
    await using stripper = new TypeStripper();
    const entry = await this.#add(this.#root.href);
    let manifest: string | undefined;
    const scanned = new Set<string>();
    let wave = [entry];
    while (wave.length > 0) {
      const next = new Map<string, boolean>();
      for (const url of wave.filter((one) => !scanned.has(one))) {
        scanned.add(url);
        const { program, imports } = await scanModule(
          { url, bytes: this.#files.get(url)! },
          stripper,
        );
        const speaksForItself = url !== entry || readModuleManifest(program, url) !== undefined;
        if (!speaksForItself) manifest = await this.#addManifest(entry);
        for (const { url, isData } of imports) {
          // A file can be both: read as text here, run there.
          if (url !== undefined) next.set(url, isData && next.get(url) !== false);
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

  /** Fetches addresses, some at a time; gives where those were that are modules. The first failure ends it. */
  async #addAll(wanted: ReadonlyMap<string, boolean>): Promise<string[]> {
    const modules: string[] = [];
    const queue = [...wanted];
    const failures: unknown[] = [];
    const work = async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
        const [address, isData] = item;
        const url = await this.#add(address);
        if (!isData) modules.push(url);
      }
    };
    const workers = Array.from({ length: PARALLEL }, () =>
      work().catch((error) => {
        failures.push(error);
        this.#stop.abort();
      }));
    await Promise.all(workers);
    if (failures.length > 0) throw failures[0];
    return modules;
  }

  async #addManifest(entry: string): Promise<string> {
    try {
      return await this.#add(new URL("plugin.yaml", entry).href);
    } catch (error) {
      if (!(error instanceof PluginProblem)) throw error;
      throw new PluginProblem(`${entry} has no "export const manifest", and ${error.message}`);
    }
  }

  /** Fetches one address and keeps it; gives where it really was. */
  async #add(address: string): Promise<string> {
    const known = this.#redirects.get(address) ?? address;
    if (this.#files.has(known)) return known;
    if (this.#files.size >= LIMITS.files) throw tooLarge(this.#root.href);
    const { url, bytes } = await this.#fetchOne(address);
    if (url !== address) this.#redirects.set(address, url);
    this.#files.set(url, bytes);
    this.#totalBytes += bytes.length;
    if (this.#totalBytes > LIMITS.totalBytes) throw tooLarge(this.#root.href);
    return url;
  }

  async #fetchOne(address: string): Promise<{ url: string; bytes: FileBytes }> {
    using deadline = new Deadline(this.#deadline.signal, this.#fileMs);
    let url = parseUrl(address);
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      this.#requireAllowed(url);
      const response = await request(url, deadline.signal);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) {
        const { signal } = deadline;
        return { url: url.href, bytes: await readFile(response, { url: url.href, signal }) };
      }
      await response.body?.cancel();
      url = parseUrl(location, url);
      url.hash = "";
    }
    throw new PluginProblem(`${address} redirects more than ${MAX_REDIRECTS} times`);
  }

  /** Only HTTPS; a plugin from this machine may come from this machine, and no other may. */
  #requireAllowed(url: URL): void {
    if (url.username !== "" || url.password !== "") {
      throw new PluginProblem(`${url.host}: an address with a password cannot be kept`);
    }
    if (url.href.length > MAX_ADDRESS_CHARS) {
      throw new PluginProblem(`${url.href} is longer than ${MAX_ADDRESS_CHARS} characters`);
    }
    const local = isLoopback(this.#root.hostname);
    if (isLoopback(url.hostname) && local && /^https?:$/.test(url.protocol)) return;
    if (isLoopback(url.hostname)) {
      throw new PluginProblem(`${url.href} is on this machine, but the plugin is not`);
    }
    if (url.protocol !== "https:") throw new PluginProblem(notSafe(url));
  }
}

function notSafe(url: URL): string {
  return `${url.href} is not HTTPS: a plugin must come over a safe connection`;
}

function isLoopback(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$|^127(\.\d{1,3}){3}$|^0\.0\.0\.0$|^\[::(1|ffff:7f..:.+|ffff:0:0)?\]$/
    .test(hostname);
}

async function request(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { redirect: "manual", signal, headers: { accept: "*/*" } });
  } catch (error) {
    const reason = signal.aborted ? "no answer in time" : connectionProblem(error);
    throw new PluginProblem(`cannot fetch ${url.href}: ${reason}`, { cause: error });
  }
}

/** Why there is no connection, as far as the runtime tells. */
export function connectionProblem(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  if (cause.includes("certificate")) return "the server's certificate is not valid";
  return cause.includes("dns error") ? "there is no such host" : "no connection";
}

/** The whole body, given up as soon as it is too large. */
async function readFile(
  response: Response,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<FileBytes> {
  const announced = Number(response.headers.get("content-length") ?? 0);
  if (response.status !== 200 || announced > LIMITS.fileBytes) {
    await response.body?.cancel();
    if (response.status === 200) throw tooLarge(url);
    throw new PluginProblem(`cannot fetch ${url}: the server answered ${response.status}`);
  }
  try {
    return await readBody(response, LIMITS.fileBytes);
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(url);
    const reason = signal.aborted ? "the server is too slow" : "the connection broke";
    throw new PluginProblem(`cannot fetch ${url}: ${reason}`, { cause: error });
  }
}

function tooLarge(url: string): PluginProblem {
  return new PluginProblem(`${url} is too large for a plugin: ${describeLimits()}`);
}
