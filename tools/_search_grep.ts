/**
 * Searching with `find` and `grep` alone, for remote machines without ripgrep. Hidden files
 * are left out; ignore files are not known here.
 */
import type {
  Environment,
  SearchLine,
  SearchQuery,
  SearchResult,
} from "../src/protocol/environment.ts";
import { shellJoin, shellQuote } from "../src/util/shell_quote.ts";
import { OWN_COMMAND } from "./_own_command.ts";
import { type FileCount, pageByTime, pageFiles, pageRows } from "./_search_page.ts";

const MAX_OUTPUT_CHARS = 8_000_000;

export async function searchWithGrep(
  env: Environment,
  query: SearchQuery,
): Promise<SearchResult> {
  const options = {
    ...OWN_COMMAND,
    timeoutMs: query.timeoutMs,
    maxOutputChars: MAX_OUTPUT_CHARS,
    ...(query.signal ? { signal: query.signal } : {}),
  };
  if (query.target === "files") {
    const command = `${findCommand(query)} -exec sh -c 'stat -c "%Y %n" "$@" 2>/dev/null || ` +
      `stat -f "%m %N" "$@"' stat {} + 2>/dev/null`;
    const { output, timedOut } = await env.exec(command, options);
    const found = output.split("\n").map((line) => /^(\d+) (.+)$/.exec(line))
      .filter((row) => row !== null)
      .map(([, seconds, path]) => ({ path: path!, seconds: Number(seconds) }));
    return { ...pageByTime(found, query), ...(timedOut ? { stopped: "timeout" as const } : {}) };
  }
  const matching = ["grep", query.literal ? "-F" : "-E", ...(query.ignoreCase ? ["-i"] : [])];
  const expression = ["-e", query.literal ? query.pattern : posixRegex(query.pattern)];
  const probe = await env.exec(`${shellJoin([...matching, ...expression])} </dev/null`, options);
  if (probe.exitCode > 1) return { ...pageFiles([], query).result, invalid: probe.output.trim() };
  const count = `${findCommand(query)} -exec ${
    shellJoin([...matching, "-cH", ...expression])
  } {} + 2>/dev/null`;
  const pass = await env.exec(count, options);
  const { result, fetch } = pageFiles(parseCounts(pass.output), query);
  for (const file of fetch) {
    const { path, to } = file;
    const context = query.context > 0 ? ["-C", String(query.context)] : [];
    const argv = [...matching, "-n", "-m", String(to), ...context, ...expression, "--", path];
    const { output } = await env.exec(shellJoin(argv), options);
    result.lines.push(...pageRows(parseRows(output, path), file, query));
  }
  return pass.timedOut ? { ...result, stopped: "timeout" } : result;
}

function findCommand(query: SearchQuery): string {
  const hidden = query.all ? ".git" : ".?*";
  const wanted = query.target === "files" ? query.pattern : query.glob;
  const name = wanted === undefined ? "" : wanted.slice(wanted.lastIndexOf("/") + 1);
  const simple = /^[\w.*?-]+$/.test(name) ? ` -name ${shellQuote(name)}` : "";
  // A root may itself be hidden; only what lies below it is pruned.
  const below = query.roots.map((root) =>
    `! -path ${shellQuote(root.replace(/[[\]*?\\]/g, "\\$&"))}`
  );
  const kernel = query.roots.includes("/") ? " -o -path /proc -o -path /sys -o -path /dev" : "";
  return `find ${shellJoin(query.roots)} ` +
    `\\( ${below.join(" ")} -name '${hidden}'${kernel} \\) -prune -o -type f${simple}`;
}

/** What POSIX lacks, spelled out; groups that only group become plain ones. */
function posixRegex(pattern: string): string {
  const classes: Record<string, string> = {
    d: "[0-9]",
    D: "[^0-9]",
    s: "[[:space:]]",
    S: "[^[:space:]]",
    w: "[[:alnum:]_]",
    W: "[^[:alnum:]_]",
  };
  return pattern.replace(/\\([dDsSwW])|\(\?:|\\(.)/g, (all, letter) => {
    if (letter !== undefined) return classes[letter]!;
    return all === "(?:" ? "(" : all;
  });
}

function parseCounts(output: string): FileCount[] {
  const files: FileCount[] = [];
  for (const line of output.split("\n")) {
    const cut = line.lastIndexOf(":");
    const count = Number(line.slice(cut + 1));
    if (cut > 0 && count > 0) files.push({ path: line.slice(0, cut), count });
  }
  return files;
}

function parseRows(output: string, path: string): SearchLine[] {
  return output.split("\n").map((line) => /^(\d+)([:-])([^]*)$/.exec(line))
    .filter((row) => row !== null)
    .map(([, line, mark, text]) => ({
      path,
      line: Number(line),
      text: text!,
      match: mark === ":",
    }));
}
