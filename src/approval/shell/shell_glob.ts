/** Shell globs without regular expressions: no pattern can make matching slow. */

/** Whether `text` matches `pattern` (`*`, `?`, `[a-z]`, `[!x]`) as a whole. Time is O(text × pattern). */
export function globMatch(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    const step = p < pattern.length ? matchOne(pattern, { at: p, char: text[t]! }) : 0;
    if (pattern[p] === "*") {
      star = p++;
      resume = t;
    } else if (step > 0) {
      p += step;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p >= pattern.length;
}

/** True when the text would be a pattern if unquoted. */
export function hasGlob(text: string): boolean {
  return /[*?[]/.test(text);
}

/** Characters of the pattern that one character of text used up; 0 when it does not fit. */
function matchOne(pattern: string, { at, char }: { at: number; char: string }): number {
  const head = pattern[at];
  if (head === "?") return 1;
  if (head === "[") {
    const negated = pattern[at + 1] === "!" || pattern[at + 1] === "^";
    const start = at + (negated ? 2 : 1);
    const named = /^\[:\w+:\](?=\])/.exec(pattern.slice(start, start + 12))?.[0] ?? "";
    const end = pattern.indexOf("]", start + Math.max(1, named.length));
    if (end > 0) return inClass(pattern.slice(start, end), char) !== negated ? end - at + 1 : 0;
  }
  return head === char ? 1 : 0;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alpha: /[a-z]/i,
  lower: /[a-z]/,
  upper: /[A-Z]/,
  digit: /[0-9]/,
  alnum: /[a-z0-9]/i,
};

function inClass(set: string, char: string): boolean {
  const named = /^\[:(\w+):\]$/.exec(set)?.[1];
  if (named !== undefined) return !Object.hasOwn(CLASSES, named) || CLASSES[named]!.test(char);
  for (let i = 0; i < set.length; i++) {
    if (set[i + 1] === "-" && i + 2 < set.length) {
      if (char >= set[i]! && char <= set[i + 2]!) return true;
      i += 2;
    } else if (set[i] === char) return true;
  }
  return false;
}
