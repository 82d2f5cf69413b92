/**
 * Fails when a dependency is not pinned to one version, is imported around the import map, or
 * has no line with its reason in `docs/dependencies.md`.
 */
import { finish, ROOT, typescriptFiles } from "./_tree.ts";

interface DependencyInput {
  /** `imports` of `deno.json`. */
  imports: Readonly<Record<string, string>>;
  /** Text of `docs/dependencies.md`: a table whose rows start with name and version. */
  docs: string;
  /** Path and text of every TypeScript file. */
  sources: ReadonlyMap<string, string>;
}

const EXACT_NPM = /^npm:((?:@[^/@]+\/)?[^/@]+)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\/.*)?$/;
const INLINE_SPECIFIER = /(?:from|import)\s*\(?\s*["']((?:npm|jsr|https?):[^"']+)["']/g;

/** Files that may name a package themselves. */
const OWN_SPECIFIERS = /^(src\/deps\/|scripts\/build_app\.ts$)/;

/** Every broken rule as one line. */
export function dependencyProblems(input: DependencyInput): string[] {
  const problems: string[] = [];
  const rows = documentedVersions(input.docs);
  const pinned = new Map<string, string>();
  function pin(where: string, specifier: string): void {
    const [, name, version] = EXACT_NPM.exec(specifier) ?? [];
    if (name === undefined || version === undefined) {
      problems.push(`${where} is ${specifier}: write npm:name@x.y.z`);
      return;
    }
    pinned.set(name, version);
    if (rows.get(name) !== version) {
      problems.push(`docs/dependencies.md: no row "| ${name} | ${version} | reason |"`);
    }
  }
  for (const [alias, specifier] of Object.entries(input.imports)) {
    // A name for a file of ours is no dependency.
    if (!specifier.startsWith("./")) pin(`deno.json: "${alias}"`, specifier);
  }
  for (const [path, text] of input.sources) {
    for (const [, specifier] of text.matchAll(INLINE_SPECIFIER)) {
      // `deno task` fetches all that deno.json names, so what few people need is named where it is used.
      if (OWN_SPECIFIERS.test(path)) pin(path, specifier!);
      else problems.push(`${path}: imports ${specifier} directly: name it in deno.json "imports"`);
    }
  }
  for (const name of rows.keys()) {
    if (!pinned.has(name)) {
      problems.push(`docs/dependencies.md: ${name} is no longer used`);
    }
  }
  return problems;
}

function documentedVersions(docs: string): Map<string, string> {
  const rows = new Map<string, string>();
  for (const line of docs.split("\n")) {
    const [name, version, reason] = line.split("|").slice(1, -1).map((cell) => cell.trim());
    if (version && /^\d/.test(version) && reason) rows.set(name!.replaceAll("`", ""), version);
  }
  return rows;
}

if (import.meta.main) {
  const config = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  const sources = new Map<string, string>();
  for (const path of await typescriptFiles()) {
    // Scripts and plugins under test are texts in their files, not imports of ours.
    if (/^tests\/|_test\.ts$|^scripts\/check_deps/.test(path)) continue;
    sources.set(path, await Deno.readTextFile(`${ROOT}/${path}`));
  }
  const docs = await Deno.readTextFile(`${ROOT}/docs/dependencies.md`);
  finish(dependencyProblems({ imports: config.imports ?? {}, docs, sources }));
}
