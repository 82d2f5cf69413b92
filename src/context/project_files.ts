/**
 * Instructions a project keeps for agents: `.hermes.md`, `AGENTS.md`, `CLAUDE.md` or
 * `.cursorrules`. The first kind found wins; `AGENTS.md` is collected from the repository root
 * down to the working directory.
 */
import { dirname, joinPath } from "../util/path.ts";

/** Kept of a project's files whatever the model; and the most, whatever its window. */
const MIN_CAP_CHARS = 20_000;
const MAX_CAP_CHARS = 500_000;
/** The share of the model's window they may take, at four characters a token. */
const CAP_CHARS_PER_TOKEN = 4 * 0.06;

/** Reads a text file of the project at `root`; undefined when it is not there or may not be read. */
export type ReadText = (path: string, root: string) => string | undefined;

/** The project's instructions, capped, or undefined. `exists` tells whether a path exists. */
export function readProjectFiles(
  cwd: string,
  world: {
    read: ReadText;
    exists: (path: string) => boolean;
    /** Null follows the model's window. */
    maxChars?: number | null;
    contextTokens?: number;
  },
): string | undefined {
  const maxChars = world.maxChars ?? adaptiveCap(world.contextTokens ?? 0);
  const chain = repositoryChain(cwd, world.exists);
  const read = (path: string) => world.read(path, chain[0]!);
  for (const dir of chain.toReversed()) {
    const own = read(joinPath(dir, ".hermes.md")) ?? read(joinPath(dir, "HERMES.md"));
    if (own !== undefined) {
      return cap(own.replace(/^---\n[\s\S]*?\n---\n/, ""), { name: ".hermes.md", maxChars });
    }
  }
  const agents = new Set<string>();
  for (const dir of chain) {
    const text = read(joinPath(dir, "AGENTS.md"));
    if (text !== undefined) agents.add(text.trim());
  }
  if (agents.size > 0) return cap([...agents].join("\n\n"), { name: "AGENTS.md", maxChars });
  for (const name of ["CLAUDE.md", ".cursorrules"]) {
    const text = read(joinPath(cwd, name));
    if (text !== undefined) return cap(text, { name, maxChars });
  }
  return undefined;
}

function adaptiveCap(contextTokens: number): number {
  const share = Math.floor(contextTokens * CAP_CHARS_PER_TOKEN);
  return Math.max(MIN_CAP_CHARS, Math.min(share, MAX_CAP_CHARS));
}

/** Directories from the repository root to `cwd`; `cwd` alone outside a repository. */
function repositoryChain(cwd: string, exists: (path: string) => boolean): string[] {
  const chain: string[] = [];
  for (let dir = cwd;; dir = dirname(dir)) {
    chain.unshift(dir);
    if (exists(joinPath(dir, ".git"))) return chain;
    if (dir === "/" || dir === ".") return [cwd];
  }
}

function cap(
  text: string,
  { name, maxChars }: { name: string; maxChars: number },
): string | undefined {
  const clean = text.replace(/^\uFEFF/, "").trim();
  if (clean === "") return undefined;
  if (clean.length <= maxChars) return clean;
  const head = clean.slice(0, maxChars * 0.7);
  const tail = clean.slice(-maxChars * 0.2);
  // Half a character is nothing that a provider takes.
  return `${head}\n[… cut: read ${name} for the rest …]\n${tail}`.toWellFormed();
}
