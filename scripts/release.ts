/**
 * `deno run -A scripts/release.ts --releases-url URL [--target NAME]… [--out DIR]`: everything a
 * release publishes: the executables, checksums, the manifest for `hermes update`, the
 * bill of materials, the installer and the package recipes. The release workflow runs it.
 */
import { parseArgs } from "node:util";
import { writeFileAtomic } from "../src/util/atomic_write.ts";
import { sha256Hex } from "../src/util/hash.ts";
import { VERSION } from "../src/util/version.ts";
import type { ReleaseFile } from "../src/cli/commands/update/release.ts";
import { findTarget, type Target } from "./_targets.ts";
import { compile } from "./compile.ts";
import { ROOT } from "./_tree.ts";
import { PORTABLE_TARGETS, portableExecutable } from "./portable.ts";
import { softwareBill } from "./release_sbom.ts";

export interface ReleaseOptions {
  /** Where releases are published: `…/latest/download/FILE`, `…/download/vX.Y.Z/FILE`. */
  releasesUrl: string;
  targets: readonly Target[];
  out: string;
}

/** Files copied with `@NAME@` filled in, and what they are called in the release. */
const TEMPLATES: readonly [source: string, name: string][] = [
  ["scripts/install.sh", "install.sh"],
  ["scripts/packaging/hermes.rb", "hermes.rb"],
  ["scripts/packaging/Dockerfile", "Dockerfile"],
  ["scripts/packaging/npm/package.json", "npm/package.json"],
  ["scripts/packaging/npm/hermes.js", "npm/hermes.js"],
  ["scripts/packaging/npm/README.md", "npm/README.md"],
];

/** Writes the release and returns its files by platform. */
export async function writeRelease(options: ReleaseOptions): Promise<Record<string, ReleaseFile>> {
  const { releasesUrl, out } = options;
  const files: Record<string, ReleaseFile> = {};
  for (const target of options.targets) {
    const file = await buildExecutable(target, options);
    const bytes = await Deno.readFile(`${out}/${file}`);
    files[target.name] = { file, sha256: await sha256Hex(bytes), size: bytes.length };
  }
  const sums = Object.values(files).map(({ file, sha256 }) => `${sha256}  ${file}\n`);
  await write(`${out}/SHA256SUMS`, sums.join(""));
  await write(`${out}/manifest.json`, json({ version: VERSION, files }));
  await write(`${out}/sbom.cdx.json`, json(await softwareBill()));
  const values: Record<string, string> = { VERSION, RELEASES_URL: releasesUrl };
  for (const [name, { sha256 }] of Object.entries(files)) {
    values[`SHA256_${name.toUpperCase().replace("-", "_")}`] = sha256;
  }
  for (const [source, name] of TEMPLATES) {
    await write(
      `${out}/${name}`,
      fillTemplate(await Deno.readTextFile(`${ROOT}/${source}`), values),
    );
  }
  return files;
}

/** Builds for one platform, the compiled program where there is no portable one; returns its name. */
async function buildExecutable(target: Target, options: ReleaseOptions): Promise<string> {
  const { releasesUrl, out } = options;
  if (!PORTABLE_TARGETS.includes(target)) {
    const file = `hermes-${target.name}.exe`;
    await compile({ target, releasesUrl, out: `${out}/${file}` });
    return file;
  }
  const file = `hermes-${target.name}`;
  const bytes = await Deno.readFile(await portableExecutable({ target, releasesUrl }));
  await writeFileAtomic(`${out}/${file}`, bytes, { mode: 0o755 });
  return file;
}

/** Replaces `@NAME@`. A platform that is not built keeps its mark, so that nobody publishes it. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/@([A-Z][A-Z0-9_]+)@/g, (mark, name: string) => values[name] ?? mark);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function write(path: string, text: string): Promise<void> {
  await writeFileAtomic(path, text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      "releases-url": { type: "string" },
      target: { type: "string", multiple: true },
      out: { type: "string", default: `${ROOT}/dist/release` },
    },
  });
  const releasesUrl = values["releases-url"];
  if (releasesUrl === undefined) {
    console.error("release: where will it be published? --releases-url URL");
    Deno.exit(2);
  }
  const targets = values.target?.map(findTarget) ?? PORTABLE_TARGETS;
  const files = await writeRelease({ releasesUrl, targets, out: values.out });
  for (const { file, size, sha256 } of Object.values(files)) {
    console.log(`${file}  ${(size / 1e6).toFixed(1)} MB  ${sha256}`);
  }
}
