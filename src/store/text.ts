/**
 * Text for and from the search index, all pure: what of a message is searchable, how scripts
 * without spaces are cut into words, how a person's query becomes an FTS5 expression, and the
 * lines that show a hit.
 */
import { type Message, messageText } from "../protocol/message.ts";
import { trimEndOf } from "../util/trim_end.ts";

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\u3005]+/gu;
const MAX_QUERY_CHARS = 2_000;
const MAX_TERMS = 32;
/** Shorter prefixes would match a large part of all words. */
const MIN_PREFIX_CHARS = 4;
const TRIGRAM = 3;
const SNIPPET_CHARS = 160;

/** What a person could remember of a message: text, tool names and arguments; not reasoning. */
export function searchableText(message: Message): string {
  const text = messageText(message);
  if (message.role === "tool") return `${message.name} ${text}`;
  if (message.role === "user") return text;
  const calls = message.content.flatMap((part) =>
    part.type === "tool_call" ? [`${part.name} ${part.arguments}`] : []
  );
  return [text, ...calls].join("\n");
}

/**
 * Cuts runs of Chinese, Japanese and Korean into overlapping pairs, `東京都` → `東京 京都 都`, so
 * that any part of a run, one character upwards, is a word or a phrase of the index.
 */
export function segment(text: string): string {
  return text.replaceAll(UNSPACED, (run) => {
    const characters = [...run];
    return ` ${characters.map((one, i) => one + (characters[i + 1] ?? "")).join(" ")} `;
  });
}

export interface ParsedQuery {
  /** For the index of words. */
  words: string;
  /** For the index of trigrams, where any part of a word matches; absent when a term is too short. */
  trigrams?: string;
  /** What to look for when showing a hit, lower-case. */
  terms: string[];
}

interface Term {
  text: string;
  prefix: boolean;
  negated: boolean;
  /** Alternative to the term before it instead of required with it. */
  or: boolean;
}

/**
 * Any text as a safe query: words are required, `"…"` is a phrase, `OR` separates alternatives,
 * `-word` or `NOT word` excludes, `word*` is a prefix. Undefined when nothing is left to look for.
 */
export function parseQuery(query: string): ParsedQuery | undefined {
  const terms = readTerms(query.slice(0, MAX_QUERY_CHARS).replaceAll("\0", " "));
  const wanted = terms.filter((term) => !term.negated);
  if (wanted.length === 0) return undefined;
  const parsed: ParsedQuery = {
    words: combine(terms, wordExpression),
    terms: wanted.map((term) => term.text.toLowerCase()),
  };
  if (terms.every((term) => [...term.text].length >= TRIGRAM)) {
    parsed.trigrams = combine(terms, (term) => quote(term.text));
  }
  return parsed;
}

function readTerms(query: string): Term[] {
  const terms: Term[] = [];
  let or = false;
  let negated = false;
  for (const [, minus, phrase, word] of query.matchAll(/(-?)"([^"]*)"?|(\S+)/g)) {
    if (word === "OR" || word === "AND" || word === "NOT") {
      or = word === "OR" && terms.length > 0;
      negated = word === "NOT";
      continue;
    }
    const raw = phrase ?? word!;
    const excluded = negated || minus === "-" || (phrase === undefined && /^-[^-]/.test(raw));
    const text = raw.replaceAll('"', " ").trim();
    const bare = phrase === undefined ? trimEndOf(text.replace(/^-+/, ""), "*") : text;
    if (/[\p{L}\p{N}\p{Co}]/u.test(bare) && terms.length < MAX_TERMS) {
      const prefix = phrase === undefined && text.endsWith("*");
      terms.push({ text: bare, prefix, negated: excluded, or });
    }
    or = false;
    negated = false;
  }
  return terms;
}

/** `(a AND (b OR c)) NOT d`, where each letter is a quoted term. */
function combine(terms: readonly Term[], expression: (term: Term) => string): string {
  const groups: string[][] = [];
  const excluded: string[] = [];
  for (const term of terms) {
    const text = expression(term);
    if (term.negated) excluded.push(text);
    else if (term.or && groups.length > 0) groups.at(-1)!.push(text);
    else groups.push([text]);
  }
  const wanted = groups.map((group) => `(${group.join(" OR ")})`).join(" AND ");
  return excluded.length === 0 ? wanted : `(${wanted}) NOT (${excluded.join(" OR ")})`;
}

function wordExpression(term: Term): string {
  const characters = [...term.text];
  const last = characters.at(-1)!;
  if (last.match(UNSPACED) === null) {
    const prefix = term.prefix && characters.length >= MIN_PREFIX_CHARS;
    return quote(segment(term.text)) + (prefix ? " *" : "");
  }
  // In a text more may follow: the last character, alone here, is there the beginning of a pair
  // (a prefix), unless the pair before it already says it.
  const pairs = segment(term.text).trim().split(/\s+/);
  const before = [...pairs.at(-2) ?? ""];
  const said = before.length === 2 && before[1] === last;
  return said ? quote(pairs.slice(0, -1).join(" ")) : `${quote(pairs.join(" "))} *`;
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The part of a text around the first term found, on one line. */
export function makeSnippet(text: string, terms: readonly string[]): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  const lower = flat.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const at = found.length === 0 ? 0 : Math.min(...found);
  const start = Math.max(0, Math.min(at - SNIPPET_CHARS / 4, flat.length - SNIPPET_CHARS));
  const end = Math.min(flat.length, start + SNIPPET_CHARS);
  const body = flat.slice(start, end).toWellFormed().replaceAll("\ufffd", "");
  return `${start > 0 ? "…" : ""}${body}${end < flat.length ? "…" : ""}`;
}
