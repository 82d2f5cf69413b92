/**
 * The disk of this machine as the approval rules may see it: where links lead, and the text of
 * regular files of bounded size. Nothing is written and nothing is waited for.
 */
import type { Disk } from "../approval/shell/disk.ts";
import { readForeignText } from "../text/foreign_text.ts";
import { dirname, resolvePath } from "../util/path.ts";

/** Larger files are not read. */
const MAX_BYTES = 2_000_000;
/** Links to links; the kernel follows 40. */
const MAX_LINKS = 40;

export function hostDisk(): Disk {
  return { realPath, readText };
}

function readText(path: string): string | undefined {
  const text = readForeignText(path, MAX_BYTES);
  return text?.includes("\0") ? undefined : text;
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Nothing there, or a link to nothing.
    return danglingTarget(path);
  }
}

/** Where a write through a link to nothing would make a file. */
function danglingTarget(path: string): string | undefined {
  let at = path;
  for (let i = 0; i < MAX_LINKS; i++) {
    let target: string;
    try {
      target = Deno.readLinkSync(at);
    } catch {
      // The end of the chain of links; without any link the path is simply absent.
      return i === 0 ? undefined : at;
    }
    try {
      at = resolvePath(Deno.realPathSync(dirname(at)), target);
      at = resolvePath(Deno.realPathSync(dirname(at)), at.slice(at.lastIndexOf("/") + 1));
    } catch {
      // Its directory is missing too: the written target is all there is.
      return at;
    }
  }
  return undefined;
}
