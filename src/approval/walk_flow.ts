/** What surrounds a command while a script is followed, and what following it found. */
import { type Invocation, programName, type RedirectUse } from "./invocation.ts";
import type { Place } from "./paths.ts";
import type { Redirect, Word } from "./shell_ast.ts";
import type { EarlierVariables } from "./shell_state.ts";

export interface Walked {
  invocations: Invocation[];
  /** The script as understood: expanded and on one line. */
  normalized: string;
  /** What could not be parsed, in the script or in one it carries. */
  problem: string | undefined;
  /** Constructs that execute text which nobody could read: `eval`, `arithmetic`, `PS4`. */
  unjudged: string[];
  /** Variables that were given values, which later commands of the session may find. */
  variables: Map<string, string[]>;
}

export interface WalkOptions extends Place {
  /** Names that globs in a command word are tried against. */
  programs: Iterable<string>;
  /** What earlier commands of the session may have left. */
  variables?: EarlierVariables | undefined;
}

/** What surrounds a command. */
export interface Flow {
  upstream: readonly Invocation[];
  stdin: string | undefined;
  background: boolean;
  via: readonly string[];
}

export const START: Flow = { upstream: [], stdin: undefined, background: false, via: [] };

/** The parts of a command that do not depend on which words were chosen. */
export interface Frame extends Flow {
  env: ReadonlyMap<string, string>;
  redirects: readonly RedirectUse[];
  raw: readonly string[];
  inner: readonly Invocation[];
}

export const NOTHING = { env: new Map<string, string>(), redirects: [], raw: [], inner: [] };

/** A program run under the given circumstances. */
export function invocationOf(argv: readonly string[], frame: Frame & { place: Place }): Invocation {
  const [path = "", ...args] = argv;
  return {
    program: programName(path),
    path,
    args,
    raw: frame.raw,
    env: frame.env,
    redirects: frame.redirects,
    upstream: frame.upstream,
    stdin: frame.stdin,
    background: frame.background,
    via: frame.via,
    inner: frame.inner,
    place: frame.place,
  };
}

export function redirectWords(redirects: readonly Redirect[]): Word[] {
  return redirects.flatMap(({ target, body }) => body === undefined ? [target] : [target, body]);
}

/** Ends the here-document in which text is expanded and nothing else. */
const END = "__hermes_end_of_text__";

/** A script that expands `text` as a prompt does: octal escapes first, then substitutions. */
export function expandingScript(text: string): string {
  const decoded = text.replace(
    /\\([0-7]{3})/g,
    (_, octal: string) => String.fromCharCode(parseInt(octal, 8)),
  );
  return [...new Set([text, decoded])].map((body) => `: <<${END}\n${body}\n${END}\n`).join("");
}
