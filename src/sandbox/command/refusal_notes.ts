/**
 * What the walls kept a command from, for the model. A program's words are only a hint: a path or
 * a host is named when the policy itself does not allow it.
 */
import type { NetworkAccess, SandboxPolicy } from "../../protocol/sandbox.ts";
import { resolvePath } from "../../util/path.ts";
import { placeOf } from "./place_of.ts";

export interface CommandEnd {
  policy: SandboxPolicy;
  /** What of the network setting is kept. */
  network: NetworkAccess;
  /** Hosts that the proxy refused. */
  hosts: readonly { readonly message: string }[];
  cwd: string;
  exitCode: number;
  output: string;
}

const MAX_LINES = 400;
const MAX_LINE_CHARS = 2_000;
const MAX_NAMED = 3;

/** What programs say of a path that they may not open, change or make. */
const KEPT = /permission denied|read-only file system|operation not permitted|eacces|erofs|eperm/i;
/** What programs say when they get no socket or no name of a host. */
const UNREACHED =
  /network is (?:down|unreachable)|could(?:n't| not) (?:connect|resolve)|name resolution|name or service not known|getaddrinfo|enetdown|enetunreach|eai_again|dns error|no such host|connection refused|failed to connect/i;
/** Words that look like paths, without what surrounds them. */
const PATHS = /(?:\.{0,2}\/|~\/)?[\w@%+=~.-]+(?:\/[\w@%+=~.-]+)*\/?|\//g;

/** Lines for the model; none where nothing was stopped. */
export function refusalNotes(end: CommandEnd): string[] {
  const notes = end.hosts.slice(0, MAX_NAMED).map(({ message }) => message);
  if (end.exitCode === 0 && end.hosts.length === 0) return notes;
  const lines = end.output.split("\n", MAX_LINES).map((line) => line.slice(0, MAX_LINE_CHARS));
  const paths = stoppedPaths(end, lines.filter((line) => KEPT.test(line)));
  if (paths.length > 0) notes.push(pathNote(end.policy, paths));
  const isClosed = end.network === "off" || end.network === "loopback";
  if (isClosed && lines.some((line) => UNREACHED.test(line))) {
    notes.push(
      `The sandbox leaves this command ${
        end.network === "off" ? "no network" : "loopback alone"
      }. If it needs more, ask to run it outside (outside: why).`,
    );
  }
  return notes;
}

interface Stopped {
  path: string;
  access: "hidden" | "read";
}

function stoppedPaths({ policy, cwd }: CommandEnd, lines: readonly string[]): Stopped[] {
  const found = new Map<string, Stopped>();
  for (const line of lines) {
    const words = [...line.matchAll(PATHS)];
    for (const word of pathsAmong(words, line)) {
      const path = resolvePath(cwd, word);
      const access = placeOf(policy, path);
      if (access !== "write") found.set(path, { path, access });
      if (found.size >= MAX_NAMED) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** `program: NAME: reason` is about a file also where its name has no slash. */
function pathsAmong(words: readonly RegExpExecArray[], line: string): string[] {
  const reasonAt = line.search(KEPT);
  const last = words.findLast(({ index, 0: word }) => index + word.length < reasonAt);
  const isNamed = last !== undefined && line.slice(0, last.index).includes(":") &&
    /^['"`\u2019]?: ?$/.test(line.slice(last.index + last[0].length, reasonAt));
  return words.filter((word) => word[0].includes("/") || (isNamed && word === last))
    .map(([word]) => word);
}

function pathNote({ mode, workspace, writable }: SandboxPolicy, paths: readonly Stopped[]): string {
  const named = paths.map(({ path, access }) =>
    access === "hidden" ? `${path} (hidden)` : `${path} (read-only)`
  ).join(", ");
  const open = mode === "read-only" ? writable : [...workspace, "$TMPDIR"];
  return `The sandbox (${mode}) closes ${named}; commands change ${
    open.length === 0 ? "nothing" : open.join(", ")
  }. If it must be, ask to run the command outside (outside: why).`;
}
