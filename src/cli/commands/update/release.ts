/**
 * A published release as `hermes update` sees it: a manifest that names one file per platform
 * with its SHA-256, and the download of such a file. Nothing is installed here.
 */
import { EXIT, HermesError, UsageError } from "../../../protocol/error.ts";
import { sha256Hex } from "../../../util/hash.ts";
import { readBody } from "../../../util/read_body.ts";
import { reasonOf } from "../../../util/reason.ts";
import { trimEndOf } from "../../../util/trim_end.ts";

export interface ReleaseFile {
  file: string;
  sha256: string;
  size: number;
}

export interface Release {
  version: string;
  /** By platform: `linux-x64`. */
  files: Readonly<Record<string, ReleaseFile>>;
  /** The directory the files are in, without a trailing slash. */
  url: string;
}

const MANIFEST_TIMEOUT_MS = 30_000;
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const MAX_MANIFEST_BYTES = 1024 * 1024;
const MAX_BYTES = 200 * 1024 * 1024;
const MAX_REDIRECTS = 10;
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/**
 * The release called `version`, by default the newest one, below the address of all releases.
 * @throws {HermesError} when it cannot be had or makes no sense.
 */
export async function fetchRelease(base: string, version?: string): Promise<Release> {
  const root = checkedUrl(base);
  const directory = version === undefined ? "latest/download" : `download/v${version}`;
  const url = `${root}/${directory}`;
  const limits = { timeoutMs: MANIFEST_TIMEOUT_MS, maxBytes: MAX_MANIFEST_BYTES };
  const bytes = await download(`${url}/manifest.json`, limits);
  const release = parseManifest(new TextDecoder().decode(bytes));
  if (version === undefined || release.version === version) return { ...release, url };
  throw new HermesError(`asked for ${version}, the release says that it is ${release.version}`, {
    hint: "Nothing was changed.",
  });
}

/** The bytes of a release's file. @throws {HermesError} when they are not what the manifest says. */
export async function fetchFile(
  release: Release,
  file: ReleaseFile,
): Promise<Uint8Array<ArrayBuffer>> {
  const limits = { timeoutMs: DOWNLOAD_TIMEOUT_MS, maxBytes: file.size };
  const bytes = await download(`${release.url}/${file.file}`, limits);
  const sum = await sha256Hex(bytes);
  if (sum === file.sha256 && bytes.length === file.size) return bytes;
  throw new HermesError(
    `${file.file} is not the file the release names: its SHA-256 is ${sum}, not ${file.sha256}`,
    { hint: "Nothing was changed. Try again later." },
  );
}

/** Negative when `a` is older than `b`. A pre-release is older than its release. */
export function compareVersions(a: string, b: string): number {
  const [coreA = "", ...preA] = a.split("-");
  const [coreB = "", ...preB] = b.split("-");
  const order = compare(coreA, coreB);
  if (order !== 0) return order;
  if (preA.length === 0 || preB.length === 0) return preB.length - preA.length;
  return compare(preA.join("-"), preB.join("-"));
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function parseManifest(text: string): { version: string; files: Record<string, ReleaseFile> } {
  try {
    const { version, files } = JSON.parse(text);
    if (!isText(version, VERSION)) throw new TypeError("no version");
    for (const { file, sha256, size } of Object.values(files) as ReleaseFile[]) {
      const sound = isText(file, /^\w[\w.-]*$/) && isText(sha256, /^[0-9a-f]{64}$/) &&
        Number.isSafeInteger(size) && size > 0 && size <= MAX_BYTES;
      if (!sound) throw new TypeError(`a bad entry for ${file}`);
    }
    return { version, files };
  } catch (cause) {
    throw new HermesError("the release's manifest.json makes no sense", { cause });
  }
}

/** A pattern alone would take a list of one text for that text. */
function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}

/** An update replaces the program: it comes encrypted, or from this machine. */
function checkedUrl(base: string): string {
  const url = URL.parse(base);
  if (url?.protocol === "https:" || isLocalHttp(url)) return trimEndOf(url!.href, "/");
  throw new UsageError(`"${base}" is no https address of releases`);
}

function isLocalHttp(url: URL | null): boolean {
  return url?.protocol === "http:" &&
    (url.hostname === "127.0.0.1" || url.hostname === "localhost");
}

interface DownloadLimits {
  timeoutMs: number;
  maxBytes: number;
}

async function download(
  url: string,
  { timeoutMs, maxBytes }: DownloadLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const response = await follow(url, AbortSignal.timeout(timeoutMs));
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`status ${response.status}`);
    }
    return await readBody(response, maxBytes);
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new HermesError(`cannot download ${url}: ${reason}`, { exitCode: EXIT.failed, cause });
  }
}

/**
 * Follows redirects one by one. `fetch` itself would go from https to http, where anybody on the
 * way writes both the program and the checksum that it is compared with.
 */
async function follow(start: string, signal: AbortSignal): Promise<Response> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await fetch(url, { redirect: "manual", signal });
    const location = response.headers.get("location");
    if (location === null || response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (!mayLead(URL.parse(start), next)) {
      throw new Error(`it leads to ${location.slice(0, 200)}, which is no https address`);
    }
    url = next!.href;
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`);
}

/** Whether a download that begins at `start` may be led to `next`. */
export function mayLead(start: URL | null, next: URL | null): boolean {
  return next?.protocol === "https:" || (isLocalHttp(next) && isLocalHttp(start));
}
