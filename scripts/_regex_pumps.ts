/**
 * Texts that a regular expression may be slow on, made from the expression itself: every
 * repetition is fed its own text again and again behind what leads to it, and every beginning is
 * repeated so that a search starts over at each of them.
 */
import { parseRegex, PROBES, type RegexTree, sampleOf } from "./_regex_tree.ts";

/** `prefix`, then `pump` repeated up to the wanted length, then `suffix`. */
export interface Pump {
  prefix: string;
  pump: string;
  suffix: string;
}

/** What any text may hold in bulk. */
const GENERIC = [...' \taA0-=:"\\/<\r(\n.', "\x1b[", "\x1b]", "a ", "\r\n", "ab", "//<>", "a,"];
/** Ends that most expressions cannot go on with. */
const SUFFIXES = ["", "\x00", "\n\x00", "aa", "  \u2028x"];
const VARIANTS = 3;
const MAX_PUMPS = 600;

/** Distinct, the most telling ones first. */
export function pumpsFor(source: string, flags: string): Pump[] {
  const pumps = new Map<string, Pump>();
  function add(prefix: string, pump: string): void {
    if (pump === "") return;
    for (const suffix of SUFFIXES) {
      if (pumps.size < MAX_PUMPS) pumps.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix });
    }
  }
  for (const pump of GENERIC) add("", pump);
  for (const { prefix, body } of repetitions(parseRegex(source, flags), [""])) {
    for (const before of prefix) {
      const bodies = new Set(fitting(body));
      for (let variant = 0; variant < VARIANTS; variant++) bodies.add(sampleOf(body, variant));
      bodies.add([...bodies].join(""));
      for (const text of bodies) {
        add(before, text);
        add("", before + text);
        if (before === "") break;
      }
      for (const text of bodies) add("", text);
      add("", before);
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
  prefix: string[];
  body: RegexTree;
}

/** Every repetition that has no small upper bound. */
function repetitions(tree: RegexTree, prefix: string[]): Repetition[] {
  switch (tree.type) {
    case "repeat": {
      const inner = repetitions(tree.body, prefix);
      return tree.max >= 50 ? [{ prefix, body: tree.body }, ...inner] : inner;
    }
    case "look":
      return repetitions(tree.body, prefix);
    case "choice":
      return tree.options.flatMap((option) => repetitions(option, prefix));
    case "sequence": {
      const found: Repetition[] = [];
      let before = prefix;
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
    if (item.type === "choice") longer.add(prefix + sampleOf(item, i + 1));
  }
  return [...longer].slice(0, 3);
}

/** Characters that the body accepts when it is one character long. */
function fitting(body: RegexTree): string[] {
  return body.type === "char" ? body.chars.slice(0, 3) : body.type === "choice"
    ? body.options.flatMap(fitting)
    : PROBES.slice(0, 0);
}
