/**
 * Reads a request the way the offline model can: a fixed set of sentence shapes, each turned
 * into one tool call. Pure text matching; it understands nothing.
 */
import { shellQuote } from "../util/shell_quote.ts";

export interface Step {
  kind: "run" | "read" | "list" | "search" | "count_lines" | "count_files" | "write";
  /** What the step is about, as written in the request. */
  subject: string;
  tool: string;
  args: Record<string, unknown>;
}

const MAX_STEPS = 10;
/** A longer request is no list of such sentences, and matching it would take long. */
const MAX_REQUEST_CHARS = 8000;
/** One operand: a quoted or backticked piece (masked by its number between U+E000) or a bare word. */
const OPERAND = String.raw`(\uE000\d+\uE000|[^\s\uE000]+)`;
const PLACE = String.raw`(?:the )?(?:file |directory |folder |dir )?`;
const IN_PLACE = String.raw`(?:in|of|under|inside|from) ${PLACE}${OPERAND}`;
const IN = `(?: ${IN_PLACE})?`;
const FILES = "(?:files(?: and (?:directories|folders))?|contents?|entries|everything)";
/** Ways to say "where I am", which the shapes know as `.`. */
const HERE =
  /(?:\b(?:this|my|the|(?:the )?current|(?:the )?working|the current working) (?:directory|folder|dir|repo|repository|project|codebase|workspace)|\bhere)(?= for |$)/i;
/** What people run without putting it into backticks; any other word may be plain English. */
const PROGRAMS =
  "ls|pwd|date|whoami|id|uname|hostname|uptime|echo|cat|head|tail|wc|find|grep|git|df|du|" +
  "ps|which|make|npm|npx|node|deno|python|python3|pytest|cargo|go";

type Build = (operands: (string | undefined)[], tools: ReadonlySet<string>) => Step | undefined;

/** First match wins; the last shape, any backticked text, is tried apart. */
const SHAPES: readonly [RegExp, Build][] = [
  [
    shape(`(?:write|save|put) ${OPERAND} (?:in|into|to) ${PLACE}${OPERAND}`),
    ([text, path]) => write(path!, text!),
  ],
  [
    shape(
      `create (?:a )?${PLACE}(?:called |named )?${OPERAND} (?:with|containing)(?: the text)? ${OPERAND}`,
    ),
    ([path, text]) => write(path!, text!),
  ],
  [
    shape(
      `(?:count|how many|what is) (?:the )?(?:number of )?lines(?: are)?(?: there)?${IN}`,
    ),
    ([path], tools) => path === undefined ? undefined : countLines(path, tools),
  ],
  [
    shape(`(?:count how many|how many) lines (?:does|has) ${PLACE}${OPERAND}(?: have| contain)?`),
    ([path], tools) => countLines(path!, tools),
  ],
  [
    shape(
      `(?:count|how many) (?:the |all )?(?:number of )?(?:(\\*?\\.\\w+) )?files(?: are| do I have)?(?: there)?${IN}`,
    ),
    ([ending, path], tools) => countFiles(place(path), { ending, tools }),
  ],
  [
    shape(`(?:search|grep) ${PLACE}${OPERAND} for ${OPERAND}`),
    ([path, pattern]) => search(pattern!, path),
  ],
  [
    shape(
      `(?:search for|search|grep for|grep|find|look for) (?:the (?:word|text) )?${OPERAND}${IN}`,
    ),
    ([pattern, path]) => search(pattern!, path),
  ],
  [
    shape(
      `(?:where is|where do I use|which files (?:contain|use|mention)) ${OPERAND}(?: used| defined| mentioned)?${IN}`,
    ),
    ([pattern, path]) => search(pattern!, path),
  ],
  [
    shape(
      `(?:list|ls|show|print|display)(?: me)?(?: all)?(?: of)?(?: the)? ${FILES}(?: ${IN_PLACE})?`,
    ),
    ([path], tools) =>
      path === undefined || !isFileName(path) ? list(place(path), tools) : read(path),
  ],
  [
    shape(`(?:what|which) files are(?: there)?${IN}`),
    ([path], tools) => list(place(path), tools),
  ],
  [
    shape(`(?:what is|what's|whats) (?:in|inside) ${PLACE}${OPERAND}`),
    ([path], tools) => isFileName(path!) ? read(path!) : list(place(path), tools),
  ],
  [
    shape(`(?:list|ls) ${PLACE}${OPERAND}`),
    ([path], tools) => list(/^(files|everything)$/i.test(path!) ? "." : place(path), tools),
  ],
  [
    shape(`what (?:does|is written in) ${PLACE}${OPERAND}(?: say| contain)?`),
    ([path]) => read(path!),
  ],
  [
    shape(
      `(?:read|show|open|cat|print|display|view)(?: me)?(?: the contents? of)? ${PLACE}${OPERAND}`,
    ),
    ([path], tools) => /^\.{0,2}\/?$/.test(path!) ? list(path!, tools) : read(path!),
  ],
  [
    shape(`(?:run|execute)(?: the)?(?: command)? ((?:${PROGRAMS})(?: .*)?)`),
    ([command]) => run(command!, { kind: "run", subject: command! }),
  ],
];

/** The steps of a request, in order; empty when no sentence has a known shape. */
export function planSteps(request: string, tools: ReadonlySet<string>): Step[] {
  if (request.length > MAX_REQUEST_CHARS) return [];
  const pieces: { text: string; backticked: boolean }[] = [];
  const masked = request.replace(/`([^`\n]+)`|"([^"\n]*)"|'([^'\n]*)'(?!\w)/g, (_, tick, a, b) => {
    pieces.push({ text: tick ?? a ?? b, backticked: tick !== undefined });
    return `\uE000${pieces.length - 1}\uE000`;
  });
  const steps: Step[] = [];
  for (
    const clause of masked.split(
      /\n+|;\s*|[.,!?]?\s+(?:and\s+)?then\s+|[.!?]\s+|,?\s+and\s+(?=\w+\s)/i,
    )
  ) {
    // The end of a sentence, but not the directory "." or "..".
    const sentence = clause.trim().replace(/(?<![\s.])[.!?,:]+$/, "").replace(
      /(?: please| for me| again)$/i,
      "",
    );
    const step = planClause(withoutHere(sentence), { pieces, tools });
    if (step !== undefined) steps.push(step);
  }
  return steps.slice(0, MAX_STEPS);
}

function planClause(
  clause: string,
  context: { pieces: { text: string; backticked: boolean }[]; tools: ReadonlySet<string> },
): Step | undefined {
  const unmask = (operand: string | undefined) =>
    operand?.replace(/\uE000(\d+)\uE000/g, (_, index) => context.pieces[Number(index)]!.text);
  for (const [pattern, build] of SHAPES) {
    const match = pattern.exec(clause);
    const step = match && build(match.slice(1).map(unmask), context.tools);
    if (step) return step;
  }
  for (const match of clause.matchAll(/\uE000(\d+)\uE000/g)) {
    const piece = context.pieces[Number(match[1])]!;
    if (piece.backticked) return run(piece.text, { kind: "run", subject: piece.text });
  }
  return undefined;
}

function shape(source: string): RegExp {
  return new RegExp(
    `^(?:please |now |first |finally |and |can you |could you )*${source}(?: please| for me| again)?$`,
    "i",
  );
}

/** `list the files here` as `list the files in .` */
function withoutHere(sentence: string): string {
  return sentence.replace(HERE, (said, at: number) => {
    const named = said.toLowerCase() !== "here" ||
      /\b(?:in|from|of)\s$/i.test(sentence.slice(0, at));
    return named ? "." : "in .";
  });
}

/** True for a name with an ending, such as `README.md`. */
function isFileName(path: string): boolean {
  return /[^./]\.\w{1,8}$/.test(path);
}

function place(path: string | undefined): string {
  return path === undefined || /^(here|this|current|it)$/i.test(path) ? "." : path;
}

function run(command: string, about: Pick<Step, "kind" | "subject">): Step {
  return { ...about, tool: "terminal", args: { command } };
}

function read(path: string): Step {
  return { kind: "read", subject: path, tool: "read_file", args: { path } };
}

function write(path: string, content: string): Step {
  return { kind: "write", subject: path, tool: "write_file", args: { path, content } };
}

function search(pattern: string, path: string | undefined): Step {
  const args = { pattern, path: place(path) };
  return { kind: "search", subject: pattern, tool: "search_files", args };
}

function list(path: string, tools: ReadonlySet<string>): Step {
  if (tools.has("terminal")) {
    return run(`ls -la -- ${shellQuote(path)}`, { kind: "list", subject: path });
  }
  const args = { pattern: "*", target: "files", path };
  return { kind: "list", subject: path, tool: "search_files", args };
}

function countLines(path: string, tools: ReadonlySet<string>): Step {
  const about = { kind: "count_lines", subject: path } as const;
  if (tools.has("terminal")) return run(`wc -l < ${shellQuote(path)}`, about);
  return { ...about, tool: "read_file", args: { path } };
}

function countFiles(
  path: string,
  options: { ending: string | undefined; tools: ReadonlySet<string> },
): Step {
  const glob = options.ending === undefined ? "*" : `*${options.ending.replace(/^\*/, "")}`;
  const about = { kind: "count_files", subject: path } as const;
  if (options.tools.has("terminal")) {
    const name = glob === "*" ? "" : ` -name ${shellQuote(glob)}`;
    return run(`find ${shellQuote(path)} -type f${name} | wc -l`, about);
  }
  const args = { pattern: glob, target: "files", path, limit: 1000 };
  return { ...about, tool: "search_files", args };
}
