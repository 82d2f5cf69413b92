/**
 * How deep foreign JSON may be nested, and how much it may hold. The parser takes any depth, but everything after it
 * (serialising, redaction, coercion, validation) calls itself once a level and would run out of
 * stack, so whatever reads foreign JSON asks here first. Pure.
 */

/** Levels of a tool call's arguments: far more than any schema has. */
export const MAX_ARGUMENT_DEPTH = 64;
/** Levels of any other foreign value: as much as the stack holds with room to spare. */
export const MAX_JSON_DEPTH = 500;

/** Values of a tool call's arguments: objects with many more keys take seconds to copy. */
export const MAX_ARGUMENT_VALUES = 20_000;

/** Characters of a tool call's arguments: more than any model writes, and than a script should send. */
export const MAX_ARGUMENT_CHARS = 8_000_000;

/** True when there are more than `limit` values in objects and lists of any depth. */
export function holdsMoreThan(value: unknown, limit: number): boolean {
  const waiting: unknown[] = [value];
  let count = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (next === null || typeof next !== "object") continue;
    for (const key in next) {
      if (++count > limit) return true;
      waiting.push((next as Record<string, unknown>)[key]);
    }
  }
  return false;
}

/** True when objects and lists are nested in each other more than `levels` deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  if (levels === 0) return true;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isDeeperThan(item, levels - 1));
}
