/**
 * Reads one instruction file of a project for the system prompt. The project's author chooses
 * what the name stands for, so only a regular file of ordinary size counts, and a link only when
 * it leads to another text of the same project.
 */
import { readForeignText } from "../text/foreign_text.ts";
import { dirname, isWithin } from "../util/path.ts";

/** Far beyond what a prompt takes. */
const MAX_BYTES = 1 << 20;
/** What instruction files are called; a link to anything else is not followed. */
const TEXT_NAME = /\/(?:[^/]*\.(?:md|mdc|mdx|markdown|txt|rst)|\.(?:cursor|windsurf|cline)rules)$/i;

/** The text of the file at `path`; undefined when there is none, or none that may be shown. */
export function readProjectText(path: string, root: string): string | undefined {
  try {
    const info = Deno.lstatSync(path);
    if (!isOwned(info, path)) return undefined;
    if (!info.isSymlink) return readForeignText(path, MAX_BYTES);
    const real = Deno.realPathSync(path);
    const isOwn = isWithin(real, Deno.realPathSync(root)) && TEXT_NAME.test(real);
    return isOwn ? readForeignText(real, MAX_BYTES) : undefined;
  } catch {
    // Project files are optional; one that cannot be read is as good as none.
    return undefined;
  }
}

/**
 * Anybody may put a file into a shared directory above the project. The own user, root and the
 * owner of the directory speak for it.
 */
function isOwned({ uid }: Deno.FileInfo, path: string): boolean {
  return uid === null || uid === 0 || uid === Deno.uid() ||
    uid === Deno.statSync(dirname(path)).uid;
}
