/** Paging that command-line engines share: first a count for each file, then only the lines of the page. */
import type { SearchLine, SearchQuery, SearchResult } from "../src/protocol/environment.ts";
import { comparePaths, compileGlob } from "../src/util/glob.ts";
import { MAX_ROW_CHARS } from "../src/util/search_text.ts";

export interface FileCount {
  path: string;
  count: number;
}

/** A row as an engine printed it. */
export type RawRow = SearchLine;

/** The wanted files of a listing: names checked, excluded ones counted. */
export function selectFiles<T extends { path: string }>(
  found: readonly T[],
  query: SearchQuery,
): { kept: T[]; omitted: number } {
  const glob = query.glob === undefined ? undefined : compileGlob(query.glob);
  const name = query.target === "files" ? compileGlob(query.pattern) : undefined;
  const named = new Set(query.roots);
  let omitted = 0;
  const kept = found.filter(({ path }) => {
    const relative = belowRoot(path, query.roots);
    if (glob !== undefined && !named.has(path) && !glob(relative)) return false;
    if (name !== undefined && !name(relative)) return false;
    if (!query.exclude?.(path)) return true;
    omitted++;
    return false;
  });
  return { kept, omitted };
}

/** The answer without lines; what remains to be fetched is in `fetch`. */
export function pageFiles(
  found: readonly FileCount[],
  query: SearchQuery,
): { result: SearchResult; fetch: (FileCount & { from: number; to: number })[] } {
  const { kept, omitted } = selectFiles(found, query);
  kept.sort((a, b) => comparePaths(a.path, b.path));
  const total = kept.reduce((sum, file) => sum + file.count, 0);
  const result: SearchResult = { lines: [], files: [], total, totalFiles: kept.length, omitted };
  const end = query.offset + query.limit;
  if (!query.lines) {
    result.files = kept.slice(query.offset, end);
    return { result, fetch: [] };
  }
  let before = 0;
  const fetch: (FileCount & { from: number; to: number })[] = [];
  for (const file of kept) {
    const from = Math.max(0, query.offset - before);
    const to = Math.min(file.count, end - before);
    if (from < to) fetch.push({ ...file, from, to });
    before += file.count;
    if (before >= end) break;
  }
  return { result, fetch };
}

/** Of one file's rows those of the page, with the neighbours of its matches and no others. */
export function pageRows(
  rows: readonly RawRow[],
  page: { from: number; to: number; context: number },
): SearchLine[] {
  const sorted = [...rows].sort((a, b) => a.line - b.line);
  const matches = sorted.filter((row) => row.match).slice(page.from, page.to);
  const shown = new Set(matches.map((row) => row.line));
  return sorted
    .filter(({ line }) => matches.some((row) => Math.abs(row.line - line) <= page.context))
    .map((row) => ({
      ...row,
      text: row.text.replace(/\r$/, "").slice(0, MAX_ROW_CHARS),
      match: shown.has(row.line),
    }));
}

/** Newest second first, then by path; then the page. */
export function pageByTime(
  found: readonly { path: string; seconds: number }[],
  query: SearchQuery,
): SearchResult {
  const { kept, omitted } = selectFiles(found, query);
  kept.sort((a, b) => b.seconds - a.seconds || comparePaths(a.path, b.path));
  const files = kept.slice(query.offset, query.offset + query.limit)
    .map(({ path }) => ({ path, count: 0 }));
  return { lines: [], files, total: 0, totalFiles: kept.length, omitted };
}

function belowRoot(path: string, roots: readonly string[]): string {
  const root = roots.find((root) =>
    path === root || path.startsWith(root === "/" ? "/" : `${root}/`)
  );
  if (root === undefined || root === path) return path.slice(path.lastIndexOf("/") + 1);
  return path.slice(root === "/" ? 1 : root.length + 1);
}
