/**
 * Files that the commands of a session wrote, copied or linked. A later command that runs one of
 * them runs what they put there. Bounded: the oldest are forgotten first.
 */
import type { EarlierFiles, WrittenFiles } from "./written_files.ts";

const MAX_FILES = 512;
const MAX_CHARS = 16_384;

export class SeenFiles implements EarlierFiles {
  readonly texts = new Map<string, string>();
  readonly unread = new Set<string>();
  readonly links = new Map<string, readonly string[]>();
  readonly programs = new Map<string, readonly string[]>();

  /** Adds what a command that runs leaves behind. */
  keep(files: WrittenFiles): void {
    for (const [path, text] of files.texts) {
      // The output of `<(…)` ends with its command; a long text is not judged again and again.
      if (path.includes("\0<(")) continue;
      this.unread.delete(path);
      this.texts.delete(path);
      if (text.length <= MAX_CHARS) this.texts.set(path, text);
      else this.unread.add(path);
    }
    for (const path of files.unread) {
      if (files.edited.has(path)) continue;
      this.texts.delete(path);
      this.unread.delete(path);
      this.unread.add(path);
    }
    for (const [path, targets] of files.links) this.links.set(path, targets);
    for (const [path, targets] of files.programs) this.programs.set(path, targets);
    for (const kept of [this.texts, this.unread, this.links, this.programs]) {
      for (const path of kept.keys()) {
        if (kept.size <= MAX_FILES) break;
        kept.delete(path);
      }
    }
  }
}
