/**
 * Everything a command started, found and ended: its session and process group, its
 * descendants, and whoever carries its marker in the environment. Without /proc only the
 * process group can be reached.
 */
import { MARKER_VARIABLE } from "./marker.ts";
import { sleep } from "../util/sleep.ts";

export interface ProcessTree {
  /** Leaders of their sessions and process groups. */
  leaders: readonly number[];
  /** The marker, or the beginning that several share. */
  marker?: string;
}

export interface TreeMember {
  pid: number;
  parent: number;
}

interface ProcessFacts extends TreeMember {
  group: number;
  session: number;
  marker: string | undefined;
}

/** Time given to a tree between SIGTERM and SIGKILL. */
const GRACE_MS = 1_000;
/** A process that survives SIGKILL this long is stuck in the kernel. */
const KILL_WAIT_MS = 2_000;

/** Asks the tree to end, then makes it. Returns when nothing of it is left (or can be ended). */
export async function killTree(
  tree: ProcessTree,
  options: { graceMs?: number | undefined; hangUp?: boolean } = {},
): Promise<void> {
  const tell = (name: Deno.Signal) => signal(findTree(tree).map(({ pid }) => pid), name);
  // A second Ctrl-C does not wait for the grace period, and leaves nothing behind either.
  const cutShort = () => tell("SIGKILL");
  globalThis.addEventListener("unload", cutShort);
  try {
    if (options.hangUp) tell("SIGHUP");
    const ended = await signalUntilGone(tree, "SIGTERM", options.graceMs ?? GRACE_MS);
    if (!ended) await signalUntilGone(tree, "SIGKILL", KILL_WAIT_MS);
  } finally {
    globalThis.removeEventListener("unload", cutShort);
  }
}

async function signalUntilGone(
  tree: ProcessTree,
  name: Deno.Signal,
  waitMs: number,
): Promise<boolean> {
  const told = new Set<number>();
  const deadline = performance.now() + waitMs;
  let empty = 0;
  let since = performance.now();
  // Callers that begin now share the first look.
  await Promise.resolve();
  for (let pause = 2;; pause = Math.min(pause * 2, 50)) {
    const alive = findTree(tree, since);
    // A look can miss a child whose parent forks and dies meanwhile; a second look cannot.
    empty = alive.length === 0 ? empty + 1 : 0;
    if (empty === 2) return true;
    const due = name === "SIGKILL" ? alive : needTelling(alive, told);
    signal(due.map(({ pid }) => pid), name);
    for (const { pid } of due) told.add(pid);
    since = performance.now();
    if (since > deadline) return false;
    if (empty === 0) await sleep(pause);
  }
}

/**
 * Who still has to hear of the end: everybody at first, later only orphans. What a parent
 * that was told starts now is its way of cleaning up.
 */
function needTelling(alive: readonly TreeMember[], told: ReadonlySet<number>): TreeMember[] {
  if (told.size === 0) return [...alive];
  const pids = new Set(alive.map(({ pid }) => pid));
  return alive.filter(({ pid, parent }) => !told.has(pid) && !pids.has(parent));
}

function signal(pids: readonly number[], name: Deno.Signal): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, name);
    } catch {
      // Already gone, or not ours to end (a set-uid program): the caller looks again.
    }
  }
}

/**
 * The tree as it is, zombies left out; without /proc a negative pid stands for a whole group.
 * Looks again unless another caller has looked since the instant `since`.
 */
export function findTree(tree: ProcessTree, since: number = performance.now()): TreeMember[] {
  const all = listProcesses(since);
  if (all === undefined) {
    return tree.leaders.filter(groupExists).map((leader) => ({ pid: -leader, parent: 0 }));
  }
  const leaders = new Set(tree.leaders);
  const found = new Set<number>();
  for (const { pid, group, session, marker } of all) {
    if (pid === Deno.pid) continue;
    const marked = tree.marker !== undefined && marker?.startsWith(tree.marker);
    if (marked || leaders.has(group) || leaders.has(session)) found.add(pid);
  }
  // Descendants that left the session and cleared the marker; parents may come in any order.
  for (let grown = true; grown;) {
    grown = false;
    for (const { pid, parent } of all) {
      if (!found.has(pid) && found.has(parent)) {
        found.add(pid);
        grown = true;
      }
    }
  }
  return parentsFirst(all.filter(({ pid }) => found.has(pid)));
}

/** A shell that outlives its child for a moment writes that it was terminated. */
function parentsFirst(members: readonly ProcessFacts[]): ProcessFacts[] {
  const parents = new Map(members.map(({ pid, parent }) => [pid, parent]));
  const depthOf = (pid: number) => {
    let depth = 0;
    for (let at = parents.get(pid); at !== undefined && depth < 64; at = parents.get(at)) depth++;
    return depth;
  };
  const depths = new Map(members.map(({ pid }) => [pid, depthOf(pid)]));
  return members.toSorted((a, b) => depths.get(a.pid)! - depths.get(b.pid)!);
}

/** SIGCONT asks whether the group exists and has no effect. */
function groupExists(leader: number): boolean {
  try {
    Deno.kill(-leader, "SIGCONT");
    return true;
  } catch {
    return false; // ESRCH.
  }
}

/** The last look at all processes, shared by everybody who ends trees at the same time. */
let latest: { at: number; all: ProcessFacts[] } | undefined;

function listProcesses(since: number): ProcessFacts[] | undefined {
  if (latest !== undefined && latest.at > since) return latest.all;
  const at = performance.now();
  const all: ProcessFacts[] = [];
  try {
    for (const entry of Deno.readDirSync("/proc")) {
      const facts = /^\d+$/.test(entry.name) ? readFacts(Number(entry.name)) : undefined;
      if (facts) all.push(facts);
    }
  } catch {
    return undefined; // No /proc here.
  }
  latest = { at, all };
  return all;
}

function readFacts(pid: number): ProcessFacts | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The program's name stands in parentheses and may contain anything.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      marker: readMarker(pid),
    };
  } catch {
    return undefined; // The process ended meanwhile.
  }
}

const MARKER = new RegExp(`(?:^|\\0)${MARKER_VARIABLE}=([^\\0]*)`);

function readMarker(pid: number): string | undefined {
  try {
    return MARKER.exec(Deno.readTextFileSync(`/proc/${pid}/environ`))?.[1];
  } catch {
    return undefined; // Gone, or another user's.
  }
}
