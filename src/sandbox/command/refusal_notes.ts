/**
 * What the walls kept a command from, for the model. A program's words are only a hint: a path, a
 * host or a right is named when the policy and the walls that stand do not allow it.
 */
import { AT_FDCWD, cString, openLibc } from "../../process/launcher/libc.ts";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { dirname, resolvePath } from "../../util/path.ts";
import { placeOf } from "./place_of.ts";
import { SIGNAL_SCOPES, type StandingWalls } from "./standing.ts";

export interface CommandEnd {
  policy: SandboxPolicy;
  /** The walls as they are kept here. */
  standing: StandingWalls;
  /** Hosts that the proxy refused. */
  hosts: readonly { readonly message: string }[];
  /** Where the command began. */
  cwd: string;
  exitCode: number;
  output: string;
  /** True for what the user may change without walls; asks the system unless given. */
  couldWrite?: (path: string) => boolean;
}

/** What is read of an output: programs say what was wrong first, or last. */
const HEAD_CHARS = 20_000;
const TAIL_CHARS = 60_000;
const MAX_LINE_CHARS = 2_000;
const MAX_NAMED = 3;
const MAX_WORDS = 2_000;

/** What programs say when a file system does not let them change something. */
const UNCHANGED = /read-only file system|erofs/i;
/** The same of a path that they may not open, change or make, whatever keeps them from it. */
const KEPT = /permission denied|operation not permitted|eacces|eperm/i;
/** What they say of a place that is out of sight. */
const UNSEEN =
  /no such file or directory|enoent|does not exist|(?:cannot|can't|could not|failed to) connect|connection refused/i;
/** What programs say when they get no socket or no name of a host. */
const UNREACHED =
  /network is (?:down|unreachable)|could(?:n't| not) (?:connect|resolve)|name resolution|name or service not known|getaddrinfo|enetdown|enetunreach|eai_again|dns error|no such host|connection refused|failed to connect/i;
const NETWORK_DOWN = /network is down|enetdown/i;
const SIGNALS = /\b(?:p?kill|killall|killing)\b/i;
const NOT_PERMITTED = /operation not permitted|eperm/i;
const NO_ROOT =
  /no new privileges|must be setuid root|effective uid is not 0|must be suid to work/i;
/** Words that look like paths, without what surrounds them. */
const PATHS = /(?:\.{0,2}\/|~\/)?[\w@%+=~.-]+(?:\/[\w@%+=~.-]+)*\/?|\//g;
const OUTSIDE = "ask to run it outside (outside: why)";

/** Lines for the model; none where nothing was stopped. */
export function refusalNotes(end: CommandEnd): string[] {
  const notes = end.hosts.slice(0, MAX_NAMED).map(({ message }) => message);
  if (end.exitCode === 0) return notes;
  const { network, sockets, landlock } = end.standing;
  const lines = readLines(end.output);
  const says = (pattern: RegExp) => lines.some((line) => pattern.test(line));
  const paths = stoppedPaths(end, lines);
  if (paths.length > 0) notes.push(pathNote(end.policy, paths));
  if ((network === "off" || network === "loopback") && says(UNREACHED)) {
    const left = network === "off" ? "no network" : "loopback alone";
    notes.push(`The sandbox leaves this command ${left}. If it needs more, ${OUTSIDE}.`);
  } else if (!sockets.unix && says(NETWORK_DOWN)) {
    notes.push(`The sandbox lets no command use sockets with names here. If it must, ${OUTSIDE}.`);
  }
  const isUnsignalled = lines.some((line) => NOT_PERMITTED.test(line) && SIGNALS.test(line));
  if (landlock >= SIGNAL_SCOPES && isUnsignalled) {
    notes.push(
      "In the sandbox a command signals only what it started itself; " +
        "end background processes with the process tool.",
    );
  }
  if (says(NO_ROOT)) {
    notes.push(`In the sandbox no command becomes root. If it must be, ${OUTSIDE}.`);
  }
  return notes;
}

/** The first and the last lines of an output of any size. */
function readLines(output: string): string[] {
  const text = output.length <= HEAD_CHARS + TAIL_CHARS
    ? output
    : `${output.slice(0, HEAD_CHARS)}\n${output.slice(-TAIL_CHARS)}`;
  return text.split("\n").map((line) => line.slice(0, MAX_LINE_CHARS));
}

interface Stopped {
  path: string;
  access: "hidden" | "read";
}

/** The paths of lines that speak of a refusal, where the walls can have been the cause. */
function stoppedPaths(end: CommandEnd, lines: readonly string[]): Stopped[] {
  const { policy, cwd, couldWrite = isWritable } = end;
  const found = new Map<string, Stopped>();
  let words = 0;
  for (const line of lines) {
    const isUnchanged = UNCHANGED.test(line);
    const isKept = KEPT.test(line);
    if (!isUnchanged && !isKept && !UNSEEN.test(line)) continue;
    const all = [...line.matchAll(PATHS)];
    const bare = bareName(line, all);
    for (const match of all) {
      const [word] = match;
      if (++words > MAX_WORDS || found.size >= MAX_NAMED) return [...found.values()];
      if (word === "/" || (!word.includes("/") && match !== bare)) continue;
      const path = resolvePath(cwd, word.replace(/\.$/, ""));
      const access = found.has(path) ? "write" : placeOf(policy, path);
      // Of what may be read the system itself may have said no.
      const isStopped = access === "hidden" ||
        (access === "read" && (isUnchanged || (isKept && couldWrite(path))));
      if (isStopped) found.set(path, { path, access });
    }
  }
  return [...found.values()];
}

/** `program: NAME: reason` is about a file also where its name has no slash. */
function bareName(line: string, words: readonly RegExpExecArray[]): RegExpExecArray | undefined {
  const reasonAt = Math.max(line.search(UNCHANGED), line.search(KEPT));
  const last = words.findLast(({ index, 0: word }) => index + word.length < reasonAt);
  if (last === undefined || !line.slice(0, last.index).includes(":")) return undefined;
  const between = line.slice(last.index + last[0].length, reasonAt);
  return /^['"`\u2019]?: ?$/.test(between) ? last : undefined;
}

function pathNote({ mode, workspace }: SandboxPolicy, paths: readonly Stopped[]): string {
  const named = paths.map(({ path, access }) =>
    access === "hidden" ? `${path} (hidden)` : `${path} (read-only)`
  ).join(", ");
  const open = mode === "read-only" ? ["$TMPDIR alone"] : [...workspace, "$TMPDIR"];
  return `The sandbox (${mode}) closes ${named}; commands change ${open.join(", ")}. ` +
    `If it must be, ${OUTSIDE}.`;
}

const W_OK = 2;

/** Asks the system; for a file that is not there, about its directory. */
function isWritable(path: string): boolean {
  try {
    const libc = openLibc();
    try {
      const may = (one: string, how: number) =>
        libc.call("faccessat", AT_FDCWD, cString(one), how) === 0;
      return may(path, 0) ? may(path, W_OK) : may(dirname(path), W_OK);
    } finally {
      libc.close();
    }
  } catch {
    return false; // Nothing can be asked: the words alone are no reason.
  }
}
