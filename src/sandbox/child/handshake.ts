/**
 * Who is at the other end of a run's socket: the first connection that knows the token. Others
 * are hung up on and cannot disturb the run; after the first one no other is accepted.
 */
import { type ByteStream, readFrames } from "./frames.ts";
import type { Wall } from "./contract.ts";

export interface Greeted<C extends ByteStream> {
  connection: C;
  /** What follows the greeting. */
  frames: AsyncGenerator<string[], void, void>;
  /** The walls the child says it stands behind; no script has run yet, so it is believed. */
  walls: Wall[];
}

interface Closable extends ByteStream {
  close(): void;
}

const MAX_GREETING_BYTES = 4096;

/** Waits for the child. Closes the listener in any case. @throws when the listener is closed first. */
export async function acceptChild<C extends Closable>(
  listener: AsyncIterable<C> & { close(): void },
  token: string,
): Promise<Greeted<C>> {
  const strangers = new Set<C>();
  try {
    return await new Promise((resolve, reject) => {
      async function acceptAll() {
        for await (const connection of listener) {
          strangers.add(connection);
          greet(connection, token).then((greeted) => {
            strangers.delete(connection);
            if (greeted) resolve(greeted);
            else closeQuietly(connection);
          });
        }
        throw new Error("the child ended before it connected");
      }
      acceptAll().catch(reject);
    });
  } finally {
    closeQuietly(listener);
    strangers.forEach(closeQuietly);
  }
}

function closeQuietly(resource: { close(): void }): void {
  try {
    resource.close();
  } catch {
    // Closed already: that is how waiting is ended, from outside or by the one who got in.
  }
}

/** Undefined for a stranger. */
async function greet<C extends ByteStream>(
  connection: C,
  token: string,
): Promise<Greeted<C> | undefined> {
  try {
    // Only the greeting is bound to a few bytes: frames that follow may be large.
    const frames = readFrames(connection, { firstFrameBytes: MAX_GREETING_BYTES });
    const [first, ...others] = (await frames.next()).value ?? [];
    const hello = JSON.parse(first ?? "null") as Record<string, unknown> | null;
    if (hello?.t !== "hello" || !sameToken(String(hello.token), token)) return undefined;
    return { connection, frames: following(others, frames), walls: hello.walls as Wall[] };
  } catch {
    // Garbage, or closed by the finally above: a stranger either way.
    return undefined;
  }
}

/** What came together with the greeting, then the rest. */
async function* following(
  others: string[],
  frames: AsyncGenerator<string[], void, void>,
): AsyncGenerator<string[], void, void> {
  if (others.length > 0) yield others;
  yield* frames;
}

/** Compares in a time that tells nothing about where two tokens differ. */
export function sameToken(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) {
    difference |= given.charCodeAt(i) ^ expected.charCodeAt(i);
  }
  return difference === 0;
}
