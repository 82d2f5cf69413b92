/**
 * Searching with ripgrep through the environment's shell: one parallel pass that counts, one
 * small pass that fetches the page. Sorting inside ripgrep would cost it its threads.
 */
import type {
  Environment,
  ExecResult,
  SearchLine,
  SearchQuery,
  SearchResult,
} from "../src/protocol/environment.ts";
import { shellJoin } from "../src/util/shell_quote.ts";
import { OWN_COMMAND } from "./_own_command.ts";
import { type FileCount, pageByTime, pageFiles, pageRows } from "./_search_page.ts";

/** Output kept of one pass; some 100 000 paths. */
const MAX_OUTPUT_CHARS = 8_000_000;
const MATCH = "\x1f";
const NEIGHBOUR = "\x1e";

const COMMON = [
  "rg",
  "--no-config",
  "--color=never",
  "--no-messages",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
];

export async function searchWithRipgrep(
  env: Environment,
  query: SearchQuery,
): Promise<SearchResult> {
  if (query.target === "files") return await findFiles(env, query);
  const expression = expressionArgs(query);
  const counting = [
    ...COMMON,
    ...scopeArgs(query),
    ...expression,
    "--count",
    "--with-filename",
    "--null",
  ];
  const command = shellJoin([...counting, "-e", query.pattern, "--", ...query.roots]);
  const pass = await run(env, command, { query });
  if (pass.exitCode === 2 && !pass.output.includes("\0")) return invalid(pass.output);
  const { result, fetch } = pageFiles(withoutHidden(parseCounts(pass.output), query), query);
  if (fetch.length > 0) {
    const most = Math.max(...fetch.map((file) => file.to));
    const lineArgs = [
      ...[...COMMON, ...expression, "--line-number", "--with-filename", "--no-heading"],
      ...["--field-match-separator", "\\x1f", "--field-context-separator", "\\x1e"],
      // Counting stops at lines, which a match may have several of.
      ...(query.multiline ? [] : ["--max-count", String(most)]),
      ...["--max-columns", "2000", "--max-columns-preview"],
      ...(query.context > 0 ? ["--context", String(query.context)] : []),
    ];
    // By stdin: a command line of a thousand paths is too long for some systems.
    const fetching = shellJoin(["xargs", "-0", ...lineArgs, "-e", query.pattern, "--"]);
    const lines = await run(env, fetching, {
      query,
      stdin: fetch.map((file) => file.path).join("\0"),
    });
    const rows = Map.groupBy(parseRows(lines.output), (row) => row.path);
    for (const file of fetch) {
      result.lines.push(...pageRows(rows.get(file.path) ?? [], file, query));
    }
  }
  const stopped = stoppedBy(pass);
  return stopped ? { ...result, stopped } : result;
}

async function findFiles(env: Environment, query: SearchQuery): Promise<SearchResult> {
  const listing = shellJoin([
    ...COMMON,
    ...scopeArgs(query),
    "--files",
    "--null",
    "--",
    ...query.roots,
  ]);
  // GNU and busybox know -c, BSD knows -f.
  const command = `${listing} | xargs -0 sh -c 'stat -c "%Y %n" "$@" 2>/dev/null || ` +
    `stat -f "%m %N" "$@" 2>/dev/null' stat`;
  const pass = await run(env, command, { query });
  const found = pass.output.split("\n").map((line) => /^(\d+) (.+)$/.exec(line))
    .filter((row) => row !== null)
    .map(([, seconds, path]) => ({ path: path!, seconds: Number(seconds) }));
  const result = pageByTime(withoutHidden(found, query), query);
  const stopped = stoppedBy(pass);
  return stopped ? { ...result, stopped } : result;
}

function expressionArgs(query: SearchQuery): string[] {
  return [
    "--crlf",
    ...(query.literal ? ["--fixed-strings"] : []),
    ...(query.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    ...(query.multiline ? ["--multiline"] : []),
  ];
}

/**
 * Which files ripgrep looks at. Globs go in as a type: `--glob` would bring ignored files back.
 * A type brings hidden ones back, which `withoutHidden` takes out again.
 */
function scopeArgs(query: SearchQuery): string[] {
  const args = query.all ? ["--hidden", "--no-ignore", "--glob", "!.git"] : [];
  // Files of the kernel have no end.
  if (query.roots.includes("/")) {
    args.push(...["proc", "sys", "dev"].flatMap((name) => ["--glob", `!/${name}`]));
  }
  const name = nameGlob(query);
  if (name !== undefined) args.push("--type-add", `hermes:${name}`, "--type", "hermes");
  return args;
}

/** The glob that ripgrep can apply itself; what is not a plain one is left to the filter that follows. */
function nameGlob(query: SearchQuery): string | undefined {
  const wanted = query.target === "files" ? query.pattern : query.glob;
  const name = wanted?.slice(wanted.lastIndexOf("/") + 1) ?? "";
  const plain = /^[\w*?{},-][\w.*?{},-]*$/.test(name) && /[\w.]/.test(name);
  return plain && !wanted!.startsWith("!") ? name : undefined;
}

function withoutHidden<T extends { path: string }>(found: T[], query: SearchQuery): T[] {
  if (query.all || nameGlob(query) === undefined) return found;
  return found.filter(({ path }) =>
    !path.includes("/.", path.lastIndexOf("/")) || query.roots.includes(path)
  );
}

function run(
  env: Environment,
  command: string,
  options: { query: SearchQuery; stdin?: string },
): Promise<ExecResult> {
  const { query, stdin } = options;
  return env.exec(command, {
    ...OWN_COMMAND,
    timeoutMs: query.timeoutMs,
    maxOutputChars: MAX_OUTPUT_CHARS,
    ...(stdin === undefined ? {} : { stdin }),
    ...(query.signal ? { signal: query.signal } : {}),
  });
}

function parseCounts(output: string): FileCount[] {
  const files: FileCount[] = [];
  for (const line of output.split("\n")) {
    const cut = line.indexOf("\0");
    const count = Number(line.slice(cut + 1));
    if (cut > 0 && count > 0) files.push({ path: line.slice(0, cut), count });
  }
  return files;
}

function parseRows(output: string): SearchLine[] {
  const rows: SearchLine[] = [];
  for (const line of output.split("\n")) {
    const ends = [MATCH, NEIGHBOUR].map((mark) => line.indexOf(mark)).filter((at) => at > 0);
    if (ends.length === 0) continue;
    const mark = line[Math.min(...ends)]!;
    const [path, number, ...text] = line.split(mark);
    rows.push({
      path: path!,
      line: Number(number),
      text: text.join(mark),
      match: mark === MATCH,
    });
  }
  return rows;
}

function stoppedBy(pass: ExecResult): "timeout" | "size" | undefined {
  if (pass.timedOut) return "timeout";
  return pass.truncated ? "size" : undefined;
}

/** ripgrep's own words on a bad expression, without its drawing of it. */
function invalid(output: string): SearchResult {
  const line = output.split("\n").findLast((text) => /error:/.test(text)) ?? output.trim();
  return {
    lines: [],
    files: [],
    total: 0,
    totalFiles: 0,
    invalid: line.replace(/^.*error:\s*/, "") || "not a regular expression",
  };
}
