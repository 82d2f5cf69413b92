/**
 * Every child of this process that leads a group of its own, from its start to its end. Whoever
 * starts one ends it; what is left when the last host of the process closes is ended here.
 */
import type { signalGroup } from "./group.ts";

type Child = Parameters<typeof signalGroup>[0] & Pick<Deno.ChildProcess, "status">;

const living = new Set<Child>();
let hosts = 0;

/** Follows a child until it has ended. */
export function followChild(child: Child): void {
  living.add(child);
  child.status.then(() => living.delete(child), () => living.delete(child));
}

/** How many of them live. */
export function livingChildren(): number {
  return living.size;
}

/** A host has opened; what it gives is called when it has closed everything. */
export function holdChildren(): () => Promise<void> {
  hosts++;
  let released: Promise<void> | undefined;
  return () => released ??= release();
}

async function release(): Promise<void> {
  if (--hosts > 0 || living.size === 0) return;
  const { killTree } = await import("./process_tree.ts");
  await killTree({ leaders: [...living].map(({ pid }) => pid) });
}
