/**
 * What an exit code and an output mean, in words that save the model a guess. Pure; the
 * tables are the whole knowledge.
 */

const MEANINGS: readonly { programs: RegExp; codes: Readonly<Record<number, string>> }[] = [
  {
    programs: /^(?:grep|egrep|fgrep|zgrep|rg|ag|ack)$/,
    codes: { 1: "No matches found (not an error)" },
  },
  { programs: /^(?:diff|colordiff|cmp)$/, codes: { 1: "Files differ (not an error)" } },
  {
    programs: /^find$/,
    codes: { 1: "Some directories could not be read; the results may still be valid" },
  },
  { programs: /^(?:test|\[|\[\[)$/, codes: { 1: "The condition is false (not an error)" } },
  {
    programs: /^curl$/,
    codes: {
      6: "Could not resolve the host",
      7: "Could not connect to the host",
      22: "The server answered with an error status",
      28: "The operation timed out",
    },
  },
  {
    programs: /^git$/,
    codes: { 1: "Often no error, as with git diff when there are differences" },
  },
];

const SIGNALS: Readonly<Record<number, string>> = {
  3: "SIGQUIT",
  4: "SIGILL: illegal instruction",
  6: "SIGABRT: the program aborted itself",
  7: "SIGBUS: bad memory access",
  8: "SIGFPE: arithmetic error",
  9: "SIGKILL: often out of memory",
  11: "SIGSEGV: segmentation fault",
  13: "SIGPIPE: the reader of its output went away",
  15: "SIGTERM: asked to end",
  24: "SIGXCPU: CPU time limit",
  25: "SIGXFSZ: file size limit",
};

const FAILURE_HINTS: readonly { pattern: RegExp; hint: string }[] = [
  {
    pattern: /Unknown JSON field/i,
    hint: "gh lists the valid --json fields when the value is left out.",
  },
  {
    pattern: /CONFLICT \(|Automatic merge failed|fix conflicts and then/,
    hint: "Resolve the files that `git status` lists as unmerged, `git add` them, then continue.",
  },
  {
    pattern: /\bpython: (?:command )?not found/,
    hint: "Try python3.",
  },
  {
    pattern: /\bpip: (?:command )?not found/,
    hint: "Try pip3 or `python3 -m pip`.",
  },
  {
    pattern: /(?:command )?not found$/m,
    hint: "The program is not installed or not on PATH; `command -v NAME` tells.",
  },
  {
    pattern: /ModuleNotFoundError|Cannot find module|No module named/,
    hint: "A dependency is missing; install it with the project's package manager.",
  },
  { pattern: /API rate limit exceeded|secondary rate limit/i, hint: "Wait before asking again." },
  {
    pattern: /Permission denied|EACCES/,
    hint: "Check the owner and mode of the file with `ls -l`.",
  },
  {
    pattern: /already exists/i,
    hint: "The target exists: use it, choose another name, or remove it first.",
  },
];

const CODE_HINTS: Readonly<Record<number, string>> = {
  124: "Give a longer timeout, or use background=true for work that takes long.",
  126: "The file is not executable, or a directory could not be entered.",
  137: "Killed, probably for using too much memory.",
};

const LOOKS_FAILED =
  /\b(?:error|fatal|traceback|exception|failed|failure|command not found|no such file)\b/i;
const MASKING_END =
  /(?:\|\s*(?:tail|head|cat|tee|less|more|wc|sort|uniq)\b[^|;&]*|\|\|\s*(?:echo|printf|true|:)(?:\s[^|;&]*)?)$/;

/** What a non-zero code says about the program that ended last; undefined when nothing is known. */
export function exitCodeMeaning(command: string, code: number): string | undefined {
  if (code === 0) return undefined;
  const program = lastProgram(command);
  for (const { programs, codes } of MEANINGS) {
    if (programs.test(program) && codes[code]) return codes[code];
  }
  const signal = code < 0 ? -code : code - 128;
  const name = SIGNALS[signal];
  return name === undefined ? undefined : `Ended by ${name}`;
}

/** Advice on a failure, or on a success that only the last command of a pipeline claims. */
export function outcomeHint(
  command: string,
  { code, output }: { code: number; output: string },
): string | undefined {
  if (code !== 0) {
    if (exitCodeMeaning(command, code)?.endsWith("(not an error)")) return undefined;
    return FAILURE_HINTS.find(({ pattern }) => pattern.test(output))?.hint ?? CODE_HINTS[code];
  }
  if (!MASKING_END.test(command.trim()) || !LOOKS_FAILED.test(output)) return undefined;
  return "Exit code 0 belongs to the last command of the line; the output looks like a failure before it.";
}

/** The program of the last segment, without assignments, wrappers and its path. */
function lastProgram(command: string): string {
  const segments = command.split(/\|\||&&|[|;\n]/).filter((part) => part.trim() !== "");
  const words = (segments.at(-1) ?? "").trim().split(/\s+/);
  const word = words.find((part) =>
    !/^[A-Za-z_]\w*=/.test(part) && !/^(?:sudo|env|command|time|nice)$/.test(part)
  );
  return (word ?? "").replace(/^.*\//, "");
}
