/** `search_files`: lines that match an expression, or files by name; pages, and a reason when nothing is found. */
import type { SearchLine, SearchQuery, SearchResult } from "../src/protocol/environment.ts";
import { ToolError } from "../src/protocol/error.ts";
import type { InferSchema } from "../src/protocol/json_schema.ts";
import type { ApprovalPlan, Approved, ToolContext } from "../src/protocol/tool.ts";
import type { SearchDetails } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import { registry } from "../src/registry/registry.ts";
import { compileGlob } from "../src/text/glob.ts";
import { isKeyLine } from "../src/text/redact_private_keys.ts";
import { counted } from "./_preview.ts";
import { search } from "./_search_engine.ts";
import { findRoots, type SearchRoots } from "./_search_roots.ts";

const TIMEOUT_MS = 60_000;
/** Searches that took longer than this are not repeated to explain an empty answer. */
const QUICK_MS = 1000;
/** From so many matches on, rows are grouped under their file. */
const GROUP_FROM = 5;
const MAX_LIMIT = 1000;
const MAX_CONTEXT = 20;
const MAX_ROWS = 20;
const MAX_ROW_CHARS = 160;

/** What models call the two kinds of search. */
const TARGETS: ReadonlyMap<string, SearchQuery["target"]> = new Map([
  ["content", "content"],
  ["grep", "content"],
  ["files", "files"],
  ["find", "files"],
]);

const SCHEMA = {
  type: "object",
  properties: {
    pattern: { type: "string", description: "regular expression, or glob for files" },
    target: { type: "string", description: "content or files", default: "content" },
    path: { type: "string", description: "directory or file", default: "." },
    file_glob: { type: "string", description: "only these files: *.ts, src/**/*.py" },
    limit: { type: "integer", default: 50 },
    offset: { type: "integer", default: 0 },
    output_mode: {
      type: "string",
      enum: ["content", "files_only", "count"],
      default: "content",
    },
    context: { type: "integer", description: "lines around each match", default: 0 },
  },
  required: ["pattern"],
} as const;

type SearchArgs = InferSchema<typeof SCHEMA>;

registry.register({
  name: "search_files",
  toolset: "file",
  description:
    "Search file contents with a regular expression (target content), or find files by " +
    "glob, newest first (target files; `*` lists all). Use this, not grep/find/ls. .gitignore is " +
    "respected.",
  schema: SCHEMA,
  emoji: "🔎",
  parallel: "paths",
  paths: ({ path }) => [{ path: path ?? ".", write: false }],
  idempotent: true,
  summary: ({ pattern, path }) => `${pattern}${path ? ` in ${path}` : ""}`,
  // Another program searches.
  effects: ["execute"],
  approval: approveSearch,
  handler: searchFiles,
  view: {
    line: ({ details: { target, total } }) =>
      target === "files" ? counted(total, "file") : counted(total, "match"),
    expanded: ({ details: { rows } }) =>
      rows.length === 0 ? [] : [{ kind: "output", text: rows.join("\n") }],
  },
});

interface SearchPlan {
  query: SearchQuery;
  roots: SearchRoots;
}

async function approveSearch(
  args: SearchArgs,
  ctx: ToolContext,
): Promise<ApprovalPlan<SearchPlan>> {
  if (args.pattern === "") {
    throw new ToolError("pattern is empty; `*` with target files lists all.");
  }
  const plan = await buildQuery(ctx, args);
  return { asks: plan.roots.asks, plan };
}

async function searchFiles(
  args: SearchArgs,
  ctx: ToolContext,
  { plan: { query, roots } }: Approved<SearchPlan>,
): Promise<ToolResult<SearchDetails>> {
  const startedAt = performance.now();
  const asked = await searchWithFallback(ctx, query);
  const { result } = asked;
  let note = asked.note;
  const total = query.target === "files" ? result.totalFiles : result.total;
  if (total === 0 && note === undefined && performance.now() - startedAt < QUICK_MS) {
    note = await explainNothing(ctx, query, roots);
  }
  const notes = [roots.warning, note, stopNote(result)].filter(Boolean).join(" ");
  const lines = hideKeys(ctx, result.lines);
  return {
    content: {
      ...render(ctx, args, { query, result: { ...result, lines }, roots }),
      ...(result.stopped === undefined ? {} : { limit_reason: `search_${result.stopped}` }),
      ...(notes === "" ? {} : { warning: notes }),
    },
    details: {
      kind: "search",
      target: query.target,
      total,
      rows: foundRows({ ...result, lines }, roots),
    },
  };
}

/** The first of what was found, one line each. */
function foundRows({ lines, files }: SearchResult, roots: SearchRoots): string[] {
  const matches = lines.filter(({ match }) => match).slice(0, MAX_ROWS).map((
    { path, line, text },
  ) => `${roots.show(path)}:${line}: ${text.trim().slice(0, MAX_ROW_CHARS)}`);
  return [...matches, ...files.slice(0, MAX_ROWS).map(({ path }) => roots.show(path))];
}

async function buildQuery(
  ctx: ToolContext,
  args: SearchArgs,
): Promise<SearchPlan> {
  const target = TARGETS.get(args.target ?? "content");
  if (target === undefined) {
    throw new ToolError(`target must be content or files, got ${args.target}.`);
  }
  if (target === "files") checkGlob("pattern", args.pattern);
  if (args.file_glob) checkGlob("file_glob", args.file_glob);
  const roots = await findRoots(ctx, args.path ?? ".");
  const query: SearchQuery = {
    roots: roots.real,
    target,
    pattern: target === "files" ? nameGlob(args.pattern) : args.pattern,
    multiline: /\\n|\n/.test(args.pattern),
    ...(args.file_glob ? { glob: args.file_glob } : {}),
    context: bounded(args.context, { fallback: 0, min: 0, max: MAX_CONTEXT }),
    offset: bounded(args.offset, { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
    limit: bounded(args.limit, { fallback: 50, min: 1, max: MAX_LIMIT }),
    lines: target === "content" && (args.output_mode ?? "content") === "content",
    exclude: roots.exclude,
    excludeIds: roots.excludeIds,
    timeoutMs: TIMEOUT_MS,
    signal: ctx.signal,
  };
  return { query, roots };
}

function checkGlob(name: string, glob: string): void {
  try {
    compileGlob(glob);
  } catch {
    throw new ToolError(`${name} is not a glob: ${glob}`);
  }
}

/** A name without a leading star is looked for at the end of names; paths stay as they are. */
function nameGlob(pattern: string): string {
  if (/[/!]/.test(pattern) || pattern.startsWith("*")) return pattern;
  return `*${pattern}`;
}

/** Expressions that no engine can read are searched as plain text. */
async function searchWithFallback(
  ctx: ToolContext,
  query: SearchQuery,
): Promise<{ result: SearchResult; note?: string }> {
  const result = await search(ctx, query);
  if (result.invalid === undefined) return { result };
  const note = `Not a regular expression (${result.invalid}); searched as plain text.`;
  return { result: await search(ctx, { ...query, literal: true, multiline: false }), note };
}

/** Why nothing was found, when a looser search finds something. */
async function explainNothing(
  ctx: ToolContext,
  query: SearchQuery,
  roots: SearchRoots,
): Promise<string | undefined> {
  const loose = { ...query, offset: 0, limit: 1, lines: false, timeoutMs: 5000 };
  if (query.target === "files") {
    const name = query.pattern.replace(/^\*|\*$/g, "");
    if (!/[*?[{]/.test(name)) {
      const near = await search(ctx, { ...loose, pattern: `*${anyCase(name)}*`, limit: 5 });
      const names = near.files.map(({ path }) => roots.show(path));
      if (names.length > 0) return `No such name; similar: ${names.join(", ")}`;
    }
    const hidden = await search(ctx, { ...loose, all: true });
    return hidden.totalFiles > 0
      ? `${hidden.totalFiles} hidden or ignored files match; list them in the terminal.`
      : undefined;
  }
  const folded = await search(ctx, { ...loose, ignoreCase: true });
  if (folded.total > 0) return `Nothing in this case; ${folded.total} matches ignoring case: (?i)…`;
  if (/[\\^$.|?*+()[\]{}]/.test(query.pattern)) {
    const plain = await search(ctx, { ...loose, literal: true, multiline: false });
    if (plain.total > 0) return `Nothing as an expression; ${plain.total} matches as plain text.`;
  }
  const hidden = await search(ctx, { ...loose, all: true });
  if (hidden.total === 0) return undefined;
  return `${hidden.total} matches in hidden or ignored files; search their directory to see them.`;
}

function anyCase(name: string): string {
  return name.replace(/[a-z]/gi, (c) => `[${c.toLowerCase()}${c.toUpperCase()}]`);
}

function stopNote(result: SearchResult): string | undefined {
  if (result.stopped === "timeout") return "Stopped after 60 s: results are incomplete.";
  if (result.stopped === "size") return "Too many files match: results are incomplete.";
  return undefined;
}

function render(
  ctx: ToolContext,
  args: SearchArgs,
  answer: { query: SearchQuery; result: SearchResult; roots: SearchRoots },
): Record<string, unknown> {
  const { query, result, roots } = answer;
  const total = query.lines || args.output_mode === "count" ? result.total : result.totalFiles;
  const unit = query.lines ? result.total : result.totalFiles;
  const next = query.offset + query.limit;
  const more = unit > next
    ? { truncated: true, hint: `${unit - next} more: go on with offset=${next}.` }
    : {};
  if (query.lines) return { total_count: total, ...renderLines(ctx, answer), ...more };
  if (query.target === "content" && args.output_mode === "count") {
    const counts = result.files.map(({ path, count }) => [roots.show(path), count]);
    return { total_count: total, counts: Object.fromEntries(counts), ...more };
  }
  const files = result.files.map(({ path }) => roots.show(path));
  return { total_count: total, files, ...more };
}

function renderLines(
  ctx: ToolContext,
  { query, result: { lines }, roots }: {
    query: SearchQuery;
    result: SearchResult;
    roots: SearchRoots;
  },
): Record<string, unknown> {
  // A script wants objects, however many; a model reads grouped lines for half the tokens.
  if (ctx.sandbox || (query.context === 0 && lines.length < GROUP_FROM)) {
    const matches = lines.map(({ path, line, text, match }) => ({
      path: roots.show(path),
      line,
      content: text,
      ...(query.context > 0 ? { match } : {}),
    }));
    return { matches };
  }
  const out: string[] = [];
  let last: SearchLine | undefined;
  for (const row of lines) {
    if (row.path !== last?.path) out.push(roots.show(row.path));
    else if (query.context > 0 && row.line !== last.line + 1) out.push("--");
    out.push(`${row.line}${row.match ? ":" : "-"}${row.text}`);
    last = row;
  }
  const format = "file, then its lines as N:match" + (query.context > 0 ? " or N-neighbour" : "");
  return { matches_format: format, matches_text: out.join("\n") };
}

/** Secrets go before numbers and paths are added; a line of a key is known by its look alone. */
function hideKeys(ctx: ToolContext, found: readonly SearchLine[]): SearchLine[] {
  if (found.length === 0) return [];
  const together = ctx.redact(found.map(({ text }) => text).join("\n")).split("\n");
  const texts = together.length === found.length
    ? together
    : found.map(({ text }) => ctx.redact(text));
  return found.map((row, i) => {
    const text = texts[i] ?? "";
    return { ...row, text: isKeyLine(text) ? "[REDACTED: like a line of a private key]" : text };
  });
}

function bounded(
  value: number | undefined,
  range: { fallback: number; min: number; max: number },
): number {
  if (value === undefined || !Number.isFinite(value)) return range.fallback;
  return Math.min(range.max, Math.max(range.min, Math.trunc(value)));
}
