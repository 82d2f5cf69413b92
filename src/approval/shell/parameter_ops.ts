/** What `${x OP arg}` makes of a value that is known: pieces, replacements, other case. */
import { globMatch, hasGlob } from "./shell_glob.ts";

/** Longest value that patterns are tried on: they cost its square. */
export const MAX_STRIPPED = 128;

/** `${x/pattern/replacement}`: the first match, or each; `#` and `%` bind it to an end. */
export function replaceIn(
  value: string,
  { pattern, replacement, all }: { pattern: string; replacement: string; all: boolean },
): string {
  if (!hasGlob(pattern) && !/^[#%]/.test(pattern)) {
    if (pattern === "") return value;
    return all
      ? value.replaceAll(pattern, () => replacement)
      : value.replace(pattern, () => replacement);
  }
  if (!all && (pattern[0] === "#" || pattern[0] === "%")) {
    const kept = strip(value, { op: pattern[0].repeat(2), pattern: pattern.slice(1) });
    if (kept === value && pattern.length > 1) return value;
    return pattern[0] === "#" ? replacement + kept : kept + replacement;
  }
  let out = "";
  for (let at = 0; at < value.length;) {
    const length = longestMatch(value.slice(at), pattern);
    out += length === 0 ? value[at] : replacement;
    at += Math.max(1, length);
    if (length > 0 && !all) return out + value.slice(at);
  }
  return out;
}

function longestMatch(text: string, pattern: string): number {
  for (let n = text.length; n > 0; n--) if (globMatch(pattern, text.slice(0, n))) return n;
  return 0;
}

/** Case changes, prefix and suffix removal, substrings; undefined where that takes running it. */
export function transform(
  value: string,
  { op, arg }: { op: string; arg: string },
): string | undefined {
  switch (op) {
    case "^^":
      return value.toUpperCase();
    case ",,":
      return value.toLowerCase();
    case "^":
      return value.slice(0, 1).toUpperCase() + value.slice(1);
    case ",":
      return value.slice(0, 1).toLowerCase() + value.slice(1);
    case ":": {
      const [start = 0, length] = arg.split(":").map((n) => Number(n.trim()));
      if (Number.isNaN(start) || Number.isNaN(length)) return undefined;
      const from = start < 0 ? Math.max(0, value.length + start) : start;
      return length === undefined
        ? value.slice(from)
        : value.slice(from, length < 0 ? length : from + length);
    }
    case "#":
    case "##":
    case "%":
    case "%%":
      return strip(value, { op, pattern: arg });
    default:
      return value;
  }
}

/** Removes the shortest (`#`, `%`) or longest (`##`, `%%`) match at the start or end. */
function strip(value: string, { op, pattern }: { op: string; pattern: string }): string {
  const lengths = Array.from({ length: value.length + 1 }, (_, i) => i);
  if (op.length === 2) lengths.reverse();
  for (const n of lengths) {
    const [cut, kept] = op.startsWith("#")
      ? [value.slice(0, n), value.slice(n)]
      : [value.slice(value.length - n), value.slice(0, value.length - n)];
    if (globMatch(pattern, cut)) return kept;
  }
  return value;
}
