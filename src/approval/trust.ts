/**
 * The judgement of a call in the strict modes of trust, by the effects that its tool declares.
 * Commands are judged one by one when the tool asks for them.
 */

/** Effects that a call has by itself, in words. */
const CHANGES: readonly (readonly [effect: string, words: string])[] = [
  ["write", "changes files"],
  ["send", "talks to the network"],
];

/**
 * Why a call needs a yes under `ask-all`, and is refused under `plan`; undefined when it only
 * reads. `execute` and `spawn` alone are no reason: the tool names the commands that are not its
 * own, and those are judged.
 */
export function effectFinding(effects: readonly string[] | undefined): string | undefined {
  if (effects === undefined) return "does not say what it does, so it counts as a change";
  const found = CHANGES.filter(([effect]) => effects.includes(effect));
  return found.length === 0 ? undefined : found.map(([, words]) => words).join(" and ");
}
