/**
 * Texts that a regular expression may be slow on, made from the expression itself: every
 * repetition is fed its own text again and again behind what leads to it, and every beginning is
 * repeated so that a search starts over at each of them.
 */
import type { RegexTree } from "./_regex_tree.ts";

/** `prefix`, then `pump` repeated up to the wanted length, then `suffix`. */
export interface Pump {
  prefix: string;
  pump: string;
  suffix: string;
}

/** What any text may hold in bulk. */
const GENERIC = [...' \taA0-=:"\\/<\r(\n.', "\x1b[", "\x1b]", "a ", "\r\n", "ab", "//<>", "a,"];
/** Ends that most expressions cannot go on with. */
const SUFFIXES = ["", "\x00", "\n\x00"];
const VARIANTS = 3;

/** Distinct ones; none for an expression that repeats nothing. */
export function pumpsFor(tree: RegexTree): Pump[] {
  const pumps = new Map<string, Pump>();
  function add(prefix: string, pump: string): void {
    if (pump === "") return;
    for (const suffix of SUFFIXES) {
      pumps.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix });
    }
  }
  const found = repetitions(tree, [""]);
  if (found.length > 0) {
    for (const pump of GENERIC) for (const prefix of ["", "x"]) add(prefix, pump);
  }
  for (const { prefixes, body } of found) {
    const texts = new Set(singleChars(body));
    for (let variant = 0; variant < VARIANTS; variant++) texts.add(sampleOf(body, variant));
    const parting = [...texts].find((text) => /^\w/.test(text)) ?? [...texts].at(-1)!;
    texts.add([...texts].join(""));
    for (const prefix of prefixes) {
      add("", prefix);
      for (const text of texts) {
        add(prefix, text);
        add("", prefix + text);
        // What stands before may take the same characters: one that only the body takes parts them.
        add(prefix + parting, text);
      }
    }
  }
  return [...pumps.values()];
}

/** The text of a pump at about `length` characters. */
export function pumpText({ prefix, pump, suffix }: Pump, length: number): string {
  return prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;
}

interface Repetition {
  /** Texts that lead up to it. */
  prefixes: string[];
  body: RegexTree;
}

/** Every repetition that has no small upper bound. */
function repetitions(tree: RegexTree, prefixes: string[]): Repetition[] {
  switch (tree.type) {
    case "repeat": {
      const inner = repetitions(tree.body, prefixes);
      return tree.max >= 50 ? [{ prefixes, body: tree.body }, ...inner] : inner;
    }
    case "look":
    case "group":
      return repetitions(tree.body, prefixes);
    case "choice":
      return tree.options.flatMap((option) => repetitions(option, prefixes));
    case "sequence": {
      const found: Repetition[] = [];
      let before = prefixes;
      for (const item of tree.items) {
        found.push(...repetitions(item, before));
        before = extend(before, item);
      }
      return found;
    }
    default:
      return [];
  }
}

function extend(prefixes: string[], item: RegexTree): string[] {
  const longer = new Set<string>();
  for (const [i, prefix] of prefixes.entries()) {
    longer.add(prefix + sampleOf(item, i));
    if (item.type === "choice" || item.type === "group") longer.add(prefix + sampleOf(item, i + 1));
  }
  return [...longer].slice(0, 3);
}

/** Characters that a body of one character accepts. */
function singleChars(body: RegexTree): string[] {
  if (body.type === "char") return body.chars;
  if (body.type === "group") return singleChars(body.body);
  return body.type === "choice" ? body.options.flatMap(singleChars).slice(0, 6) : [];
}

/** A short text that the tree matches; `variant` picks among what fits. */
function sampleOf(tree: RegexTree, variant: number): string {
  switch (tree.type) {
    case "char":
      return tree.chars[variant % tree.chars.length]!;
    case "sequence":
      return tree.items.map((item) => sampleOf(item, variant)).join("");
    case "choice":
      return sampleOf(tree.options[variant % tree.options.length]!, variant);
    case "repeat":
      return sampleOf(tree.body, variant).repeat(Math.min(Math.max(tree.min, variant % 2), 20));
    case "group":
      return sampleOf(tree.body, variant);
    default:
      return "";
  }
}
