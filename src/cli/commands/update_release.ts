/**
 * A published release as `hermes update` sees it: a manifest that names one file per platform
 * with its SHA-256, and the download of such a file. Nothing is installed here.
 */
import { EXIT, HermesError, UsageError } from "../../protocol/error.ts";
import { sha256Hex } from "../../util/hash.ts";
import { reasonOf } from "../../util/reason.ts";
import { trimEndOf } from "../../util/trim_end.ts";

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
const MAX_BYTES = 200 * 1024 * 1024;
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/**
 * The release called `version`, by default the newest one, below the address of all releases.
 * @throws {HermesError} when it cannot be had or makes no sense.
 */
export async function fetchRelease(base: string, version?: string): Promise<Release> {
  const root = checkedUrl(base);
  const directory = version === undefined ? "latest/download" : `download/v${version}`;
  const url = `${root}/${directory}`;
  const bytes = await download(`${url}/manifest.json`, MANIFEST_TIMEOUT_MS);
  return { ...parseManifest(new TextDecoder().decode(bytes)), url };
}

/** The bytes of a release's file. @throws {HermesError} when they are not what the manifest says. */
export async function fetchFile(
  release: Release,
  file: ReleaseFile,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await download(`${release.url}/${file.file}`, DOWNLOAD_TIMEOUT_MS);
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
    if (!VERSION.test(version)) throw new TypeError("no version");
    for (const { file, sha256, size } of Object.values(files) as ReleaseFile[]) {
      const sound = /^[\w.-]+$/.test(file) && /^[0-9a-f]{64}$/.test(sha256) && size > 0;
      if (!sound) throw new TypeError(`a bad entry for ${file}`);
    }
    return { version, files };
  } catch (cause) {
    throw new HermesError("the release's manifest.json makes no sense", { cause });
  }
}

/** An update replaces the program: it comes encrypted, or from this machine. */
function checkedUrl(base: string): string {
  const url = URL.parse(base);
  const isLocal = url?.hostname === "127.0.0.1" || url?.hostname === "localhost";
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) {
    return trimEndOf(url.href, "/");
  }
  throw new UsageError(`"${base}" is no https address of releases`);
}

async function download(url: string, timeoutMs: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`status ${response.status}`);
    }
    return await readLimited(response);
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new HermesError(`cannot download ${url}: ${reason}`, { exitCode: EXIT.failed, cause });
  }
}

async function readLimited(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
