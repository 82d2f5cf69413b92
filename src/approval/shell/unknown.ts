/** Marks inside expanded text where a value stands that only running would tell. */
import { HOLDS_NUMBER } from "./executors_data.ts";

/**
 * What is known about a value that only running would tell. `number`: digits and nothing else.
 * `quoted`: one word, whatever it holds. `settings`: printed by a program whose manual says to
 * evaluate it.
 */
export type Known = "number" | "quoted" | "settings";

/** Tags at the end of a mark's name. They are private-use characters, so that no name has them. */
const TAGS: Readonly<Record<Known, string>> = {
  number: "\ue000",
  quoted: "\ue001",
  settings: "\ue002",
};
const MARK = /\0([^\0]*)\0/g;

/** A value that only running would tell; NUL never survives input, so it can mark one. */
export function unknown(name: string, known?: Known): string {
  return `\0${name}${known === undefined ? "" : TAGS[known]}\0`;
}

export function hasUnknown(text: string): boolean {
  return text.includes("\0");
}

/** Whether the text holds a value about which not even one of `known` is sure. */
export function hasUnknownBut(text: string, ...known: Known[]): boolean {
  for (const [, name = ""] of text.matchAll(MARK)) {
    const isKnown = known.some((kind) => name.endsWith(TAGS[kind])) ||
      (known.includes("number") && HOLDS_NUMBER.test(name));
    if (!isKnown) return true;
  }
  return false;
}

/** The text as it would be if every unknown value were empty; `${x:?}` cannot be. */
export function eraseUnknown(text: string): string {
  return text.replace(MARK, (_, name: string) => name.endsWith("?") ? "x" : "");
}

/** The text with unknown values shown as they were written. */
export function showUnknown(text: string): string {
  return text.replace(MARK, (mark, tagged: string, at: number) => {
    const name = tagged.replace(/[\ue000-\ue002]$/, "");
    // Without braces the letters that follow would become part of the name.
    const isGlued = /^\w+$/.test(name) && /\w/.test(text[at + mark.length] ?? "");
    return isGlued ? `\${${name}}` : `$${name}`;
  });
}
