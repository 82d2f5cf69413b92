/** Marks inside expanded text where a value stands that only running would tell. */

/** A value that only running would tell; NUL never survives input, so it can mark one. */
export function unknown(name: string): string {
  return `\0${name}\0`;
}

export function hasUnknown(text: string): boolean {
  return text.includes("\0");
}

/** The text as it would be if every unknown value were empty; `${x:?}` cannot be. */
export function eraseUnknown(text: string): string {
  return text.replace(/\0([^\0]*)\0/g, (_, name: string) => name.endsWith("?") ? "x" : "");
}

/** The text with unknown values shown as they were written. */
export function showUnknown(text: string): string {
  return text.replace(/\0([^\0]*)\0/g, (_, name: string) => `$${name}`);
}
