/** The regular expressions that modules build from constants while they are loaded. */
import { ROOT } from "./_tree.ts";

export interface LoadedRegex {
  source: string;
  flags: string;
}

/** Loads the files with a `RegExp` that remembers what it was asked for. */
export async function regexesBuiltBy(files: Iterable<string>): Promise<Map<string, LoadedRegex[]>> {
  const found = new Map<string, LoadedRegex[]>();
  const Original = globalThis.RegExp;
  let current: LoadedRegex[] = [];
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [source, flags]: [string | RegExp, string?]) {
      const regex = new target(source, flags);
      current.push({ source: regex.source, flags: regex.flags });
      return regex;
    },
  });
  try {
    for (const file of files) {
      found.set(file, current = []);
      await import(`file://${ROOT}/${file}`);
    }
  } finally {
    globalThis.RegExp = Original;
  }
  return found;
}
