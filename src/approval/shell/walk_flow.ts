/** What surrounds a command while a script is followed, and what following it found. */
import {
  inputText,
  type Invocation,
  isShell,
  isStdinFile,
  programName,
  type RedirectUse,
} from "./invocation.ts";
import type { Place } from "./paths.ts";
import type { TextPayload } from "./payload.ts";
import { runsInput } from "./program_files.ts";
import type {
  Assignment,
  CompoundCommand,
  Part,
  Redirect,
  Script,
  SimpleCommand,
  Word,
} from "./shell_ast.ts";
import type { EarlierVariables } from "./shell_state.ts";
import { showUnknown } from "./unknown.ts";
import type { EarlierFiles, WrittenFiles } from "./written_files.ts";

export interface Walked {
  invocations: Invocation[];
  /** The script as understood: expanded and on one line. */
  normalized: string;
  /** What could not be parsed, in the script or in one it carries. */
  problem: string | undefined;
  /** Constructs that execute text which could not be read: `eval`, `arithmetic`, `PS4`. */
  unjudged: string[];
  /** Variables that were given values, which later commands of the session may find. */
  variables: Map<string, string[]>;
  /** Files that were written, copied or linked. */
  files: WrittenFiles;
  /** True when commands follow a `cd` whether or not it succeeds. */
  moves: boolean;
}

export interface WalkOptions extends Place {
  /** Names that globs in a command word are tried against. */
  programs: Iterable<string>;
  /** What earlier commands of the session may have left. */
  variables?: EarlierVariables | undefined;
  files?: EarlierFiles | undefined;
  /** Takes every `cd` for failed, for what follows it in any case. */
  staysPut?: boolean;
}

/** What surrounds a command. */
export interface Flow {
  upstream: readonly Invocation[];
  stdin: string | undefined;
  background: boolean;
  via: readonly string[];
  /** Files that standard input comes from because something around the command says so. */
  input?: readonly string[];
  /** Standard input is written by commands that come later: a coprocess. */
  later?: boolean;
}

/** What the commands inside a redirected command or construct find around them. */
export function insideOf({ redirects, ...around }: Frame): Flow {
  const { upstream, background, via, input, later } = around;
  const files = redirects.filter(({ op, fd }) => /^<>?$/.test(op) && /^0?$/.test(fd));
  const from = files.length > 0 ? files.map(({ target }) => target) : input;
  const isLater = later === true || redirects.some((use) => isOpenInput(use) || isComputed(use));
  return {
    upstream,
    stdin: inputText({ redirects, stdin: around.stdin }),
    background,
    via,
    ...from === undefined ? {} : { input: from },
    ...isLater ? { later: true } : {},
  };
}

/** `<&3`: a descriptor that an earlier command opened. */
function isOpenInput({ op, fd, target }: RedirectUse): boolean {
  return op === "<&" && /^0?$/.test(fd) && !/^(?:0|-)$/.test(target);
}

/** `< <(…)` with an output that is unknown. */
function isComputed({ op, target, text }: RedirectUse): boolean {
  return op === "<" && target.startsWith("\0<(") && text === undefined;
}

/**
 * Whether a command that runs its input reads text that cannot be judged: text that was not written
 * yet, or text around it in a language that is not the shell's.
 * @param fed `exec` replaced the input of everything that follows.
 */
export function isFedUnread(invocation: Invocation, { fed }: { fed: boolean }): boolean {
  const { redirects, later, stdin, upstream } = invocation;
  const own = redirects.findLast(({ op, fd }) => op.startsWith("<") && /^0?$/.test(fd));
  if (own !== undefined) return isOpenInput(own) && runsInput(invocation);
  const isForeign = stdin !== undefined && upstream.length === 0 && !isShell(invocation);
  if (!(fed || later === true || isForeign)) return false;
  return runsInput(invocation) || sourcesInput(invocation);
}

/** `. /dev/stdin` */
function sourcesInput({ program, args, place }: Invocation): boolean {
  return (program === "source" || program === ".") && args.some((arg) => isStdinFile(arg, place));
}

/** Stages of a pipeline, scripts inside scripts, and readings of a reading: a link to a copy. */
export const MAX = { stages: 256, payloadDepth: 16, readings: 3 } as const;

/** Who runs something in the shell at hand: `eval 'set -- a'` changes `$1` for what follows. */
export const SAME_SHELL =
  /^(?:eval|source|trap|mapfile|readarray|compgen|command|builtin|time|exec|jobs)$/;

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
    ...frame.input === undefined ? {} : { input: frame.input },
    ...frame.later === undefined ? {} : { later: frame.later },
  };
}

export function redirectWords(redirects: readonly Redirect[]): Word[] {
  return redirects.flatMap(({ target, body }) => body === undefined ? [target] : [target, body]);
}

/** A command that may write into `>(…)`. */
export type Written = SimpleCommand | CompoundCommand;

/** The scripts of `>(…)`, which read what the command writes. */
export function outputScripts(command: Written): Script[] {
  const given = command.kind === "simple"
    ? [...command.assignments, ...command.words.flatMap(({ assignment }) => assignment ?? [])]
    : [];
  const values = given.flatMap(({ value, items }) => [value, ...items ?? []]);
  const words = [...command.words ?? [], ...values, ...redirectWords(command.redirects)];
  return [...new Set(words.flatMap(({ parts }) => [...outputsIn(parts)]))];
}

function* outputsIn(parts: readonly Part[]): Generator<Script> {
  for (const part of parts) {
    if (part.kind === "process" && part.direction === ">") yield part.script;
    if (part.kind !== "param") continue;
    for (const word of [part.arg, part.replacement]) {
      if (word !== undefined) yield* outputsIn(word.parts);
    }
  }
}

/** The assignments of a command that stay in the shell. */
export function givenIn({ words, assignments }: SimpleCommand): readonly Assignment[] {
  return words.length === 0
    ? assignments
    : words.flatMap(({ assignment }) => assignment?.items ? [assignment] : []);
}

/** What no parser understood is still looked at word by word. */
export function roughCommands(text: string): { argv: string[]; raw: string[] }[] {
  const pieces = text.split(/[;&|\n(){}`]/);
  return pieces.flatMap((piece, i) => {
    const words = piece.replace(/['"\\]/g, "").split(/[\s<>$]+/).filter((word) => word !== "");
    return words.length === 0 ? [] : [{ argv: words, raw: pieces.slice(i, i + 2) }];
  });
}

/** Ends the here-document in which text is expanded and nothing else. */
const END = "__hermes_end_of_text__";

/** A script that expands `text` as a prompt does: octal escapes first, then substitutions. */
function expandingScript(text: string): string {
  const decoded = text.replace(
    /\\([0-7]{3})/g,
    (_, octal: string) => String.fromCharCode(parseInt(octal, 8)),
  );
  return [...new Set([text, decoded])].map((body) => `: <<${END}\n${body}\n${END}\n`).join("");
}

/** What a shell reads when it is given the text. */
export function scriptOf({ text, expands }: TextPayload): string {
  const shown = showUnknown(text);
  return expands === true ? expandingScript(shown) : shown;
}
