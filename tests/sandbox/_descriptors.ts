/** Attempts that adopt open descriptors by number, as the attack on the code cache did. */
import { type Attempt, defineAttempt } from "./_attempt.ts";
import type { World } from "./_world.ts";

/** A cache that holds what an attempt has written. */
export async function lookForPoison(world: World): Promise<string | undefined> {
  return (await world.poisoned())[0];
}

/** Beyond the highest number a child has. */
const LAST = 64;

/**
 * An attempt that does something with each number. `body` sees `fd` and `bytes`, the poison to
 * write, and returns what it gained; the caches are looked through afterwards.
 */
export function adoptEach(bodies: {
  setup?: string;
  script?: string;
  /** What has been gained a moment later, as an expression of JavaScript. */
  later?: string;
  python?: string;
  /** Pipes and sockets too. One of them is the way to the agent, and noise on it ends the process. */
  everything?: true;
}): Attempt {
  const { setup = "", script, later = "undefined", python, everything = false } = bodies;
  return defineAttempt({
    ...(script !== undefined && {
      script: ({ poison }: World) =>
        `${setup}
const bytes = new TextEncoder().encode(${JSON.stringify(poison)}.repeat(200));
const { guessHandleType } = process.binding("util");
let gained;
for (let fd = 3; fd < ${LAST}; fd++) {
  if (!${everything} && guessHandleType(fd) === "PIPE") continue;
  try {
    gained ??= (() => {${script}})();
  } catch { /* nothing is open there, or it is of another kind */ }
}
await new Promise((resolve) => setTimeout(resolve, 50));
return gained ?? (${later});`,
    }),
    ...(python !== undefined && {
      python: ({ poison }: World) =>
        `import os, socket, stat
data = ${JSON.stringify(poison)}.encode() * 200
gained = None
for fd in range(3, ${LAST}):
    try:
${python.split("\n").map((line) => `        ${line}`).join("\n")}
    except OSError:
        pass
return gained`,
    }),
    effect: lookForPoison,
  });
}
