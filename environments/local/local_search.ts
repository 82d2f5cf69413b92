/**
 * Searching the local disk without another program, with ripgrep's rules: ignore files,
 * hidden and binary files left out, links not followed. Blocking calls in short slices are
 * several times faster here than asynchronous ones; between slices the event loop runs.
 */
import type { SearchLine, SearchQuery, SearchResult } from "../../src/protocol/environment.ts";
import { comparePaths, compileGlob } from "../../src/text/glob.ts";
import type { Clock } from "../../src/text/linear_regex.ts";
import { compileSearch, type SearchMatcher } from "../../src/text/search_matcher.ts";
import { searchText } from "../../src/text/search_text.ts";
import { openedFile } from "./_opened_file.ts";
import { type FoundFile, walkFiles } from "./_search_walk.ts";

const SLICE_MS = 20;
const BUFFER_BYTES = 1 << 20;
/** Larger files are searched in pieces of this size, split between lines. */
const PIECE_BYTES = 64 << 20;

/** Milliseconds for a piece of a file: meanwhile nothing else runs, not even the answer to Ctrl-C. */
const PIECE_LIMIT_MS = 2000;

/** The `search` of the local environment. */
export function createLocalSearch(): (query: SearchQuery) => Promise<SearchResult> {
  return async (query) => {
    const first = await searchOnce(query, new Set());
    if (first.linked.size === 0) return first.result;
    // Something was found in a file with several names: one of them may be excluded.
    const excluded = await query.excludeIds?.() ?? new Set();
    if (first.linked.isDisjointFrom(excluded)) return first.result;
    return (await searchOnce(query, excluded)).result;
  };
}

async function searchOnce(
  query: SearchQuery,
  excluded: ReadonlySet<string>,
): Promise<{ result: SearchResult; linked: ReadonlySet<string> }> {
  const fold: Fold = { ...emptyResult(), mtimes: new Map(), linked: new Set(), excluded };
  let steps: Iterator<void>;
  try {
    steps = query.target === "files" ? findFiles(query, fold) : searchContent(query, fold);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { result: { ...emptyResult(), invalid: error.message }, linked: fold.linked };
  }
  const stopped = await runInSlices(steps, query).finally(() => steps.return?.());
  const { mtimes, linked, tooSlow, excluded: _, ...result } = fold;
  if (query.target === "files") pageByTime(result, mtimes, query);
  const late = stopped ?? (tooSlow ? "timeout" as const : undefined);
  return { result: late ? { ...result, stopped: late } : result, linked };
}

interface Fold extends SearchResult {
  /** Seconds of the last change, for `files`. */
  mtimes: Map<string, number>;
  /** Identities of files with hard links in which something was found. */
  linked: Set<string>;
  /** Identities of files that must not show up. */
  excluded: ReadonlySet<string>;
  /** A file took too long for the expression. */
  tooSlow?: boolean;
}

function emptyResult(): SearchResult {
  return { lines: [], files: [], total: 0, totalFiles: 0 };
}

/** Advances until done, out of time, or aborted; gives way to the event loop between slices. */
async function runInSlices(
  steps: Iterator<void>,
  query: SearchQuery,
): Promise<"timeout" | undefined> {
  const deadline = performance.now() + query.timeoutMs;
  while (true) {
    query.signal?.throwIfAborted();
    if (performance.now() >= deadline) return "timeout";
    const sliceEnd = performance.now() + SLICE_MS;
    while (performance.now() < sliceEnd) if (steps.next().done) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function findFiles(query: SearchQuery, fold: Fold): Iterator<void> {
  const wanted = compileGlob(query.pattern);
  function* steps(): Generator<void> {
    for (const file of candidates(query)) {
      yield;
      if (file === undefined || !wanted(file.relative) || query.exclude?.(file.path)) continue;
      fold.totalFiles++;
      fold.files.push({ path: file.path, count: 0 });
      fold.mtimes.set(file.path, changedAt(file.path));
    }
  }
  return steps();
}

function pageByTime(result: SearchResult, mtimes: Map<string, number>, query: SearchQuery): void {
  result.files.sort((a, b) =>
    mtimes.get(b.path)! - mtimes.get(a.path)! || comparePaths(a.path, b.path)
  );
  result.files = result.files.slice(query.offset, query.offset + query.limit);
}

function searchContent(query: SearchQuery, fold: Fold): Iterator<void> {
  const expression = compileSearch(query.pattern, query);
  function* steps(): Generator<void> {
    const buffer = new Uint8Array(BUFFER_BYTES);
    for (const file of candidates(query)) {
      yield;
      if (file === undefined) continue;
      const before = fold.total;
      // Within this file the page begins and ends at these matches.
      const page = query.lines
        ? { from: query.offset - before, to: query.offset + query.limit - before }
        : { from: 0, to: 0 };
      const search = { expression, page, query, buffer, fold, clock: pieceClock() };
      const found = yield* searchFile(file.path, search);
      if (found === "too slow") {
        // A protected file leaves no trace, not even that it was slow.
        if (!query.exclude?.(file.path)) fold.tooSlow = true;
        continue;
      }
      // Judging a path takes longer than most searches in a file, so it comes second.
      if (found.count === 0 || query.exclude?.(file.path)) continue;
      fold.total += found.count;
      const index = fold.totalFiles++;
      if (query.lines) fold.lines.push(...found.lines);
      else if (index >= query.offset && index < query.offset + query.limit) {
        fold.files.push({ path: file.path, count: found.count });
      }
    }
  }
  return steps();
}

/** Undefined stands for an entry that is none. */
function* candidates(query: SearchQuery): Generator<FoundFile | undefined> {
  const glob = query.glob === undefined ? undefined : compileGlob(query.glob);
  const roots = [...query.roots].sort(comparePaths);
  for (const file of walkFiles(roots, { all: query.all === true })) {
    const isWanted = file === undefined || glob === undefined || file.named || glob(file.relative);
    yield isWanted ? file : undefined;
  }
}

interface FileSearch {
  expression: SearchMatcher;
  page: { from: number; to: number };
  query: SearchQuery;
  buffer: Uint8Array;
  fold: Fold;
  clock: Clock;
}

class TooSlow extends Error {
  override name = "TooSlow";
}

function pieceClock(): Clock {
  const deadline = performance.now() + PIECE_LIMIT_MS;
  return () => {
    if (performance.now() > deadline) throw new TooSlow();
  };
}

interface FileHits {
  count: number;
  lines: SearchLine[];
}

const NOTHING: FileHits = { count: 0, lines: [] };

/** Matches of one file; nothing for binary, unreadable and vanished ones. */
function* searchFile(path: string, search: FileSearch): Generator<void, FileHits | "too slow"> {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    // Vanished or not permitted: ripgrep passes over these too.
    return NOTHING;
  }
  try {
    const size = file.readSync(search.buffer) ?? 0;
    let found: FileHits | undefined;
    if (size < search.buffer.length) {
      found = searchBytes(path, search.buffer.subarray(0, size), search);
    } else {
      file.seekSync(0, Deno.SeekMode.Start);
      found = yield* searchPieces(path, file, search);
    }
    if (found === undefined || found.count === 0) return NOTHING;
    return isShowable(file, path, { found, fold: search.fold }) ? found : NOTHING;
  } catch (error) {
    if (error instanceof TooSlow) return "too slow";
    // A directory behind a race, or a read error: there is nothing to show of it.
    return NOTHING;
  } finally {
    file.close();
  }
}

/**
 * False for an excluded file under another name, and for lines of a file that the path does not
 * name any more: a link put in its place would show what is excluded.
 */
function isShowable(
  file: Deno.FsFile,
  path: string,
  { found, fold }: { found: FileHits; fold: Fold },
): boolean {
  const opened = openedFile(file, path);
  if (fold.excluded.has(opened.id)) return false;
  if (opened.links > 1) fold.linked.add(opened.id);
  return found.lines.length === 0 || opened.path() === path;
}

/** A file of any length, as long as it was when it was opened: one that grows has an end too. */
function* searchPieces(
  path: string,
  file: Deno.FsFile,
  search: FileSearch,
): Generator<void, FileHits> {
  const { size } = file.statSync();
  const buffer = new Uint8Array(Math.min(PIECE_BYTES, size + 1));
  const all: FileHits = { count: 0, lines: [] };
  let left = size;
  let kept = 0;
  let firstLine = 1;
  while (true) {
    yield;
    const read = file.readSync(buffer.subarray(kept, kept + left)) ?? 0;
    left -= read;
    const filled = kept + read;
    if (read > 0 && filled < buffer.length) {
      kept = filled;
      continue;
    }
    if (filled === 0) return all;
    const newline = read === 0 ? filled - 1 : buffer.subarray(0, filled).lastIndexOf(10);
    const end = newline < 0 ? filled : newline + 1;
    const page = { from: search.page.from - all.count, to: search.page.to - all.count };
    const piece = { ...search, page, clock: pieceClock() };
    const found = searchBytes(path, buffer.subarray(0, end), piece, firstLine);
    if (found === undefined) return NOTHING;
    all.count += found.count;
    all.lines.push(...found.lines);
    if (read === 0) return all;
    firstLine += found.newlines;
    buffer.copyWithin(0, end, filled);
    kept = filled - end;
  }
}

/** Undefined when the bytes are not text. */
function searchBytes(
  path: string,
  bytes: Uint8Array,
  search: FileSearch,
  firstLine = 1,
): FileHits & { newlines: number } | undefined {
  const text = decode(bytes);
  if (text === undefined) return undefined;
  const { expression, page, query } = search;
  const found = searchText(text, expression, {
    from: page.from,
    to: page.to,
    context: query.context,
    multiline: query.multiline === true,
    countNewlines: bytes.length > BUFFER_BYTES,
    clock: search.clock,
  });
  const lines = found.rows.map(({ line, text, match }) => ({
    path,
    line: line + firstLine - 1,
    text,
    match,
  }));
  return { count: found.count, lines, newlines: found.newlines };
}

const UTF8 = new TextDecoder();

function decode(bytes: Uint8Array): string | undefined {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return bytes.includes(0) ? undefined : UTF8.decode(bytes);
}

function changedAt(path: string): number {
  try {
    return Math.floor((Deno.lstatSync(path).mtime?.getTime() ?? 0) / 1000);
  } catch {
    // Gone since it was listed: sorted last.
    return 0;
  }
}
