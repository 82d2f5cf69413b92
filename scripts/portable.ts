/**
 * `deno task portable [--target NAME] [--out FILE]`: one executable that needs nothing else: a
 * shell script (`portable_stub.sh`), the SHA-256 of every file, then a gzipped tar of the Deno
 * executable and the bundled program. Kept in `dist/cache` under the hash of the sources, so that nothing is built twice.
 */
import { gzipSync } from "node:zlib";
import { parseArgs } from "node:util";
import { writeFileAtomic } from "../src/util/atomic_write.ts";
import { exists } from "../src/util/exists.ts";
import { sha256Hex } from "../src/util/hash.ts";
import { PORTABLE_FLAGS, STARTUP_V8_FLAGS } from "../src/util/runtime.ts";
import { VERSION } from "../src/util/version.ts";
import { denoExecutable } from "./_deno_executable.ts";
import { tarEnd, tarEntry } from "./_tar.ts";
import { findTarget, hostTarget, type Target, TARGETS } from "./_targets.ts";
import { isTest, ROOT, typescriptFiles } from "./_tree.ts";
import { buildApp, type BuildOptions } from "./build_app.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const CACHE = `${ROOT}/dist/cache`;
/** Files that the executable is made from, beside the TypeScript ones. */
const INPUTS = ["deno.json", "deno.lock", "scripts/portable_stub.sh"];
const INPUT_FOLDERS = ["src", "tools", "environments", "plugins", "scripts"];
const KEPT_BUILDS_MS = 3600 * 1000;

/** Windows has no shell to start it with. */
export const PORTABLE_TARGETS: readonly Target[] = TARGETS.filter(({ name }) =>
  !name.startsWith("windows")
);

export interface PortableOptions extends BuildOptions {
  target?: Target;
}

/** The executable, from the cache or built; returns its path. */
export async function portableExecutable(options: PortableOptions = {}): Promise<string> {
  const { target = hostTarget(), ...build } = options;
  const path = `${CACHE}/hermes-${target.name}-${await inputHash(build)}`;
  await Deno.mkdir(CACHE, { recursive: true });
  using lock = await Deno.open(`${CACHE}/lock`, { create: true, write: true });
  // Test files that run at the same time build it once.
  await lock.lock(true);
  if (await exists(path)) return path;
  await writeFileAtomic(path, await buildPortable(target, build), { mode: 0o755 });
  await removeOldBuilds();
  return path;
}

async function inputHash(build: BuildOptions): Promise<string> {
  const folders = await Promise.all(INPUT_FOLDERS.map((folder) => typescriptFiles(folder)));
  const files = ["main.ts", ...INPUTS, ...folders.flat().filter((path) => !isTest(path))];
  const sums = files.map(async (path) =>
    `${path} ${await sha256Hex(await Deno.readFile(`${ROOT}/${path}`))}`
  );
  return (await sha256Hex([JSON.stringify(build), ...await Promise.all(sums)].join("\n"))).slice(
    0,
    16,
  );
}

async function buildPortable(target: Target, build: BuildOptions): Promise<Bytes> {
  if (!PORTABLE_TARGETS.includes(target)) {
    throw new Error(`there is no portable build for ${target.name}: use deno task compile`);
  }
  return await joinPortable(target, {
    app: await builtApp(build),
    runtime: await compressedRuntime(target),
  });
}

/** The parts that an executable is joined from. */
export interface PortableParts {
  /** Files below `app/`. */
  app: readonly { name: string; data: Bytes }[];
  runtime: Runtime;
}

/** The runtime as a gzip member of its own: members may follow each other. */
export interface Runtime {
  gzip: Bytes;
  rawBytes: number;
  sha256: string;
}

/** The executable as bytes. */
export async function joinPortable(
  target: Target,
  { app, runtime }: PortableParts,
): Promise<Bytes> {
  const entries = await Promise.all(app.map(async ({ name, data }) => {
    const path = `app/${name}`;
    return { tar: tarEntry({ path, data }), sum: `${await sha256Hex(data)}  ${path}\n` };
  }));
  const tar = entries.flatMap((entry) => entry.tar);
  const bytes = runtime.rawBytes + tar.reduce((sum, part) => sum + part.length, 0);
  const payload = await concat([
    runtime.gzip,
    new Uint8Array(gzipSync(await concat([...tar, tarEnd(bytes)]), { level: 9 })),
  ]);
  const sums = [`${runtime.sha256}  deno\n`, ...entries.map(({ sum }) => sum)].join("");
  const encoded = new TextEncoder().encode(sums);
  return await concat([await stub(target, { payload, sums: encoded }), encoded, payload]);
}

/** The files of the bundled program. */
async function builtApp(build: BuildOptions): Promise<PortableParts["app"]> {
  const directory = await Deno.makeTempDir({ prefix: "hermes-app-" });
  try {
    await buildApp(directory, build);
    const names = (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).sort();
    return await Promise.all(
      names.map(async (name) => ({ name, data: await Deno.readFile(`${directory}/${name}`) })),
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The Deno executable; compressing it takes seconds, and it never changes. */
async function compressedRuntime(target: Target): Promise<Runtime> {
  const path = `${CACHE}/deno-${target.denoSha256.slice(0, 16)}.tar.gz`;
  if (!await exists(path)) {
    const gzip = await compressRuntime(await denoExecutable(target));
    await writeFileAtomic(path, gzip, { mode: 0o644 });
  }
  const gzip = await Deno.readFile(path);
  // A gzip member ends with the size of its content.
  const rawBytes = new DataView(gzip.buffer).getUint32(gzip.length - 4, true);
  return { gzip, rawBytes, sha256: target.denoSha256 };
}

/** A runtime as the first member of the archive. */
export async function compressRuntime(data: Bytes): Promise<Bytes> {
  const entry = await concat(tarEntry({ path: "deno", data, executable: true }));
  return new Uint8Array(gzipSync(entry, { level: 9 }));
}

/** The script in front of everything. It names its own length, hence the loop. */
async function stub(
  target: Target,
  { payload, sums }: { payload: Bytes; sums: Bytes },
): Promise<Bytes> {
  const template = await Deno.readTextFile(`${ROOT}/scripts/portable_stub.sh`);
  const values: Record<string, string> = {
    VERSION,
    TARGET: target.name,
    KEY: (await sha256Hex(payload)).slice(0, 32),
    FLAGS: [...PORTABLE_FLAGS, STARTUP_V8_FLAGS].join(" "),
  };
  let length = 0;
  while (true) {
    values.SUMS = `${length + 1}`;
    values.LENGTH = `${sums.length}`;
    values.OFFSET = `${length + sums.length + 1}`;
    values.SIZE = `${length + sums.length + payload.length}`;
    const script = new TextEncoder().encode(
      template.replaceAll(/@([A-Z]+)@/g, (_, name: string) => values[name]!),
    );
    if (script.length === length) return script;
    length = script.length;
  }
}

async function concat(parts: Bytes[]): Promise<Bytes> {
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Somebody may still be testing the build before this one. */
async function removeOldBuilds(): Promise<void> {
  for await (const { name } of Deno.readDir(CACHE)) {
    if (!name.startsWith("hermes-")) continue;
    const { mtime } = await Deno.stat(`${CACHE}/${name}`);
    if (Date.now() - (mtime?.getTime() ?? 0) > KEPT_BUILDS_MS) {
      await Deno.remove(`${CACHE}/${name}`);
    }
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { target: { type: "string" }, out: { type: "string" } },
  });
  try {
    const target = values.target === undefined ? hostTarget() : findTarget(values.target);
    const out = values.out ?? `${ROOT}/dist/hermes-${target.name}`;
    const built = await Deno.readFile(await portableExecutable({ target }));
    await writeFileAtomic(out, built, { mode: 0o755 });
    console.log(
      `${out}: ${(built.length / 1e6).toFixed(1)} MB, SHA-256 ${await sha256Hex(built)}`,
    );
  } catch (error) {
    console.error(`portable: ${error instanceof Error ? error.message : error}`);
    Deno.exit(1);
  }
}
