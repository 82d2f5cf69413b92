/**
 * What an open file really is. A path can be made to lead elsewhere between a check and its use;
 * a descriptor cannot, so whoever must be sure asks about the descriptor.
 */
import type { FileIdentity, FileInfo, OpenedFile } from "../../src/protocol/environment.ts";

const DESCRIPTORS = "/proc/self/fd";

/** Device and inode, as one word, and what kind of file that is. */
export function identityOf(info: Deno.FileInfo): FileIdentity {
  return { id: `${info.dev}:${info.ino ?? 0}`, links: info.nlink ?? 1, kind: kindOf(info) };
}

/** The file behind an open descriptor, which was opened as `path`. */
export function openedFile(file: Deno.FsFile, path: string): OpenedFile {
  const identity = identityOf(file.statSync());
  return { ...identity, path: () => truePath(identity.id, path) };
}

/**
 * The kernel's name for the open file with this identity. The runtime does not tell the number
 * of a descriptor: every one of this process with the same identity is the same file. Where
 * there is no such list, `path` counts when it leads to that file without a link.
 */
export function truePath(id: string, path: string): string | undefined {
  for (const number of descriptorNumbers()) {
    try {
      const name = `${DESCRIPTORS}/${number}`;
      if (identityOf(Deno.statSync(name)).id === id) return Deno.readLinkSync(name);
    } catch {
      // Closed meanwhile, or not a file: another descriptor is the one.
    }
  }
  try {
    const real = Deno.realPathSync(path);
    return identityOf(Deno.lstatSync(real)).id === id ? real : undefined;
  } catch {
    // The file was removed or replaced meanwhile: its name says nothing.
    return undefined;
  }
}

/** Newest first: the file asked about was just opened. */
function descriptorNumbers(): number[] {
  try {
    return [...Deno.readDirSync(DESCRIPTORS)].map(({ name }) => Number(name))
      .sort((a, b) => b - a);
  } catch {
    // Not Linux, or no /proc in this container.
    return [];
  }
}

function kindOf(info: Deno.FileInfo): FileInfo["kind"] {
  if (info.isSymlink) return "symlink";
  if (info.isFile) return "file";
  return info.isDirectory ? "directory" : "other";
}
