/** Paging that command-line engines share: first a count for each file, then only the lines of the page. */
import type { SearchLine, SearchQuery, SearchResult } from "../src/protocol/environment.ts";
import { comparePaths, compileGlob } from "../src/text/glob.ts";
import { MAX_ROW_CHARS } from "../src/text/search_text.ts";

export interface FileCount {
  path: string;
  count: number;
}

/** A file that has matches on the page: from this one, counted from 0, up to but not including `to`. */
export interface PagedFile extends FileCount {
  from: number;
  to: number;
}

/** The wanted files of a listing: names checked, excluded ones left out without a trace. */
function selectFiles<T extends { path: string }>(found: readonly T[], query: SearchQuery): T[] {
  const glob = query.glob === undefined ? undefined : compileGlob(query.glob);
  const name = query.target === "files" ? compileGlob(query.pattern) : undefined;
  const named = new Set(query.roots);
  return found.filter(({ path }) => {
    const relative = belowRoot(path, query.roots);
    if (glob !== undefined && !named.has(path) && !glob(relative)) return false;
    if (name !== undefined && !name(relative)) return false;
    return !query.exclude?.(path);
  });
}

/** The answer without lines; what remains to be fetched is in `fetch`. */
export function pageFiles(
  found: readonly FileCount[],
  query: SearchQuery,
): { result: SearchResult; fetch: PagedFile[] } {
  const kept = selectFiles(found, query);
  kept.sort((a, b) => comparePaths(a.path, b.path));
  const total = kept.reduce((sum, file) => sum + file.count, 0);
  const result: SearchResult = { lines: [], files: [], total, totalFiles: kept.length };
  const end = query.offset + query.limit;
  if (!query.lines) {
    result.files = kept.slice(query.offset, end);
    return { result, fetch: [] };
  }
  let before = 0;
  const fetch: PagedFile[] = [];
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
  rows: readonly SearchLine[],
  page: PagedFile,
  query: SearchQuery,
): SearchLine[] {
  const sorted = [...rows].sort((a, b) => a.line - b.line);
  const found = sorted.filter((row) => row.match);
  // A match that spans lines has several rows; a file shown whole needs no counting of them.
  const matches = page.from === 0 && page.to === page.count && query.multiline
    ? found
    : found.slice(page.from, page.to);
  const shown = new Set(matches.map((row) => row.line));
  return sorted
    .filter(({ line }) => matches.some((row) => Math.abs(row.line - line) <= query.context))
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
  const kept = selectFiles(found, query);
  kept.sort((a, b) => b.seconds - a.seconds || comparePaths(a.path, b.path));
  const files = kept.slice(query.offset, query.offset + query.limit)
    .map(({ path }) => ({ path, count: 0 }));
  return { lines: [], files, total: 0, totalFiles: kept.length };
}

function belowRoot(path: string, roots: readonly string[]): string {
  const root = roots.find((root) =>
    path === root || path.startsWith(root === "/" ? "/" : `${root}/`)
  );
  if (root === undefined || root === path) return path.slice(path.lastIndexOf("/") + 1);
  return path.slice(root === "/" ? 1 : root.length + 1);
}
