/**
 * Mending what models get slightly wrong: tool names and the JSON of arguments.
 * Never guesses at content: arguments that were cut off are refused, not completed.
 */
import { editDistance } from "../../util/nearest.ts";

const MIN_SIMILARITY = 0.7;

/** The offered tool a wrong name stands for; undefined when nothing is close enough. */
export function repairToolName(name: string, offered: readonly string[]): string | undefined {
  const known = new Set(offered);
  if (known.has(name)) return name;
  const cut = name.split(/["'<>]/, 1)[0]!.trim();
  const lower = cut.toLowerCase();
  const snake = cut.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  for (const form of [cut, lower, lower.replace(/[- ]/g, "_"), snake.replace(/[- ]/g, "_")]) {
    let candidate = form;
    for (let strips = 0; strips <= 2; strips++) {
      if (known.has(candidate)) return candidate;
      candidate = candidate.replace(/[_-]?tool$/, "");
    }
  }
  return closest(lower.replace(/[- ]/g, "_"), offered);
}

function closest(name: string, offered: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestSimilarity = MIN_SIMILARITY;
  for (const candidate of offered) {
    const longer = Math.max(name.length, candidate.length);
    const similarity = 1 - editDistance(name, candidate) / longer;
    if (similarity >= bestSimilarity && (best === undefined || similarity > bestSimilarity)) {
      best = candidate;
      bestSimilarity = similarity;
    }
  }
  return best;
}

export type JsonRepair =
  | { ok: true; value: unknown }
  | { ok: false; truncated: boolean; message: string };

/** Parses JSON as models write it: fences, raw control characters, stray commas and closers are mended. */
export function parseLenientJson(text: string): JsonRepair {
  const body = text.replace(/^\uFEFF?\s*```(?:json)?\s*\n?/, "").replace(/\n?```\s*$/, "").trim();
  if (body === "") return { ok: true, value: {} };
  const direct = tryParse(body);
  if (direct.ok) return direct;
  const mended = mend(body);
  if (mended === undefined) {
    return { ok: false, truncated: true, message: "the JSON stops in the middle" };
  }
  return tryParse(mended);
}

function tryParse(text: string): JsonRepair {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, truncated: false, message: (error as SyntaxError).message };
  }
}

/** One pass over the text; undefined when it ends inside a value. */
function mend(text: string): string | undefined {
  let out = "";
  let inString = false;
  const open: string[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (inString) {
      if (char === "\\") {
        out += mendEscape(text, i);
        i++;
        continue;
      }
      if (char === '"') inString = false;
      out += char < " " ? escapeControl(char) : char;
      continue;
    }
    if (char === '"') inString = true;
    else if (char === "{" || char === "[") open.push(char === "{" ? "}" : "]");
    else if (char === "," && /^\s*[}\]]/.test(text.slice(i + 1, i + 200))) continue;
    else if (char === "}" || char === "]") {
      if (open.length === 0) continue;
      while (open.length > 1 && open.at(-1) !== char && open.includes(char)) out += open.pop();
      open.pop();
    }
    out += char;
  }
  if (inString) return undefined;
  if (open.length > 0 && !/[}\]]$/.test(text)) return undefined;
  return out + open.reverse().join("");
}

/** `\d` and friends are a literal backslash in every model's mind; valid escapes stay. */
function mendEscape(text: string, at: number): string {
  const next = text[at + 1] ?? "";
  if (next === "'") return "'";
  if (next === "u" && !/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) return "\\\\u";
  if (next !== "" && '"\\/bfnrtu'.includes(next)) return `\\${next}`;
  return `\\\\${next < " " ? escapeControl(next) : next}`;
}

function escapeControl(char: string): string {
  return JSON.stringify(char).slice(1, -1);
}
