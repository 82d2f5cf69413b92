/** Finds the commands hidden in another command's arguments. Pure; what it finds is walked by the caller. */
import { executedByGit, executedText } from "./executors.ts";
import { INTERPRETERS, unreadableProgram, unwrapCode } from "./inner_code.ts";
import {
  inputText,
  type Invocation,
  isShell,
  isStdinFile,
  parseLeading,
  parseOptions,
  shellUse,
} from "./invocation.ts";
import { printedWords } from "./literal_output.ts";
import { absolutePath } from "./paths.ts";
import { type Payload, withWords } from "./payload.ts";
import { hasUnknown, hasUnknownBut, unknown } from "./unknown.ts";
import { findWrapper, scripts, subcommand, unwrapWith } from "./unwrap.ts";
import { WRAPPERS } from "./wrappers_data.ts";

/** Contents of a file written earlier in the same script, where certain. */
type FileText = (path: string) => string | undefined;

/** What the script did before. */
export interface Before {
  fileText: FileText;
  /** Standard input was replaced for everything that follows. */
  fed: boolean;
}

/** Commands and texts that `invocation` would run. */
export function innerCommands(invocation: Invocation, before: Before): Payload[] {
  return [
    ...executedText(invocation),
    ...unreadableProgram(invocation),
    ...unwrapProgram(invocation, before),
  ];
}

function unwrapProgram(invocation: Invocation, before: Before): Payload[] {
  const { program, path } = invocation;
  const { fileText } = before;
  const text = path.includes("/") ? fileText(path) : undefined;
  if (text !== undefined) return [asScript(text)];
  if (isShell(invocation)) return unwrapShell(invocation, before);
  const special = SPECIAL.get(program);
  if (special !== undefined) return special(invocation, fileText);
  const wrapper = findWrapper(invocation);
  if (wrapper !== undefined) return unwrapWith(wrapper.args, wrapper);
  if (INTERPRETERS.test(program)) return unwrapCode(invocation);
  return [];
}

/** A text that was written into a file and is run by its name; another language cannot be read. */
function asScript(text: string): Payload {
  const isForeign = /^#!/.test(text) && !/^#!.*\b(?:ba|da|z|k|mk|a)?sh\b/.test(text);
  return isForeign ? { unjudged: "script" } : { text, via: "script" };
}

/** Names of open files: what they hold is known for standard input only. */
const OPEN_FILE = /^\/(?:dev|proc\/(?:self|thread-self|\d+|\0[^\0]*\0))\/fd\//;

function unwrapShell(invocation: Invocation, { fileText, fed }: Before): Payload[] {
  const use = shellUse(invocation);
  const text = use.mode === "command"
    ? use.script
    : use.mode === "file"
    ? fileText(use.script)
    : inputText(invocation);
  const via = invocation.program;
  const startFiles = use.startFiles.flatMap((file): Payload[] => {
    const known = fileText(file);
    return known === undefined ? [{ unjudged: `${via} start-up file` }] : [{ text: known, via }];
  });
  if (text === undefined) {
    const isUnread = use.mode === "file" ? isOpaque(use.script, invocation) : fed;
    return isUnread ? [...startFiles, { unjudged: via }] : startFiles;
  }
  const { mode, positional } = use;
  return [...startFiles, { text, via, positional, fromInput: mode === "stdin" }];
}

/** A file that stands for text which exists at run time only. */
function isOpaque(path: string, { place }: Invocation): boolean {
  if (OPEN_FILE.test(path) || OPEN_FILE.test(absolutePath(path, place))) return true;
  return path.startsWith("\0") && hasUnknownBut(path, "settings") && !/[^/]\/[^/\0]+$/.test(path) &&
    /\0$/.test(path);
}

type Special = (invocation: Invocation, fileText: FileText) => Payload[];

const SPECIAL: ReadonlyMap<string, Special> = new Map(Object.entries<Special>({
  env: unwrapEnv,
  xargs: unwrapXargs,
  find: unwrapFind,
  parallel: unwrapParallel,
  fd: unwrapFd,
  fdfind: unwrapFd,
  git: unwrapGit,
  su: ({ args }) => {
    const { values } = parseOptions(args, { values: "cgGsw", longValues: ["command", "shell"] });
    return scripts([...values.get("c") ?? [], ...values.get("command") ?? []], "su");
  },
  eval: ({ args }) => scripts([(args[0] === "--" ? args.slice(1) : args).join(" ")], "eval"),
  source: unwrapSource,
  ".": unwrapSource,
  tar: unwrapTar,
  gtar: unwrapTar,
  mapfile: unwrapMapfile,
  readarray: unwrapMapfile,
  compgen: unwrapCompletion,
  complete: unwrapCompletion,
  trap: ({ args }) => scripts([args.find((arg) => arg !== "--")], "trap"),
  jobs: ({ args }) =>
    args[0] === "-x" ? [{ argv: args.slice(args[1] === "--" ? 2 : 1), via: "jobs" }] : [],
  alias: ({ args }) => scripts(args.map((arg) => arg.slice(arg.indexOf("=") + 1)), "alias"),
  at: (invocation) => scripts([inputText(invocation)], "at"),
  batch: (invocation) => scripts([inputText(invocation)], "batch"),
  cmake: unwrapCmake,
  tmux: ({ args }) => {
    const { operands } = parseOptions(args, { values: "FLSTcefnstxy" });
    return scripts([operands.slice(1).filter((word) => word !== "Enter").join(" ")], "tmux");
  },
  screen: ({ args }) => {
    const { operands, flags } = parseLeading(args, { values: "ceSpThsTt" });
    if (flags.has("X")) return scripts([operands.slice(1).join(" ")], "screen");
    return operands.length > 0 ? [{ argv: operands, via: "screen" }] : [];
  },
  cmd: ({ args }) => {
    const at = args.findIndex((arg) => /^\/[ck]$/i.test(arg));
    return at < 0 ? [] : scripts([args.slice(at + 1).join(" ")], "cmd");
  },
  powershell: unwrapPowershell,
  pwsh: unwrapPowershell,
  wsl: ({ args }) => {
    const { operands } = parseLeading(args, { values: "due" });
    return operands.length > 0 ? [{ argv: operands, via: "wsl" }] : [];
  },
}));

function unwrapSource(invocation: Invocation, fileText: FileText): Payload[] {
  const [file = "", ...words] = invocation.args[0] === "--"
    ? invocation.args.slice(1)
    : invocation.args;
  const isInput = isStdinFile(file, invocation.place);
  const text = isInput ? inputText(invocation) : fileText(file);
  if (text !== undefined) {
    return [{ text, via: "source", ...words.length > 0 ? { positional: ["", ...words] } : {} }];
  }
  return isInput || isOpaque(file, invocation) ? [{ unjudged: "source" }] : [];
}

/** Lines for which a callback is judged one by one; with more, the line counts as unknown. */
const MAX_LINES = 16;

/** `mapfile -C CALLBACK` runs the callback with a number and a line behind it. */
function unwrapMapfile(invocation: Invocation): Payload[] {
  const { program, args } = invocation;
  const { values } = parseLeading(args, { values: "dnOsuCc" });
  const lines = inputText(invocation)?.split("\n") ?? [];
  const given = lines.length > 0 && lines.length <= MAX_LINES ? lines : [unknown("line")];
  return (values.get("C") ?? []).flatMap((callback) => [
    // Programs that complain of words too many have done their work by then.
    { text: callback, via: program },
    ...given.map((line) => ({ ...withWords(callback, ["0", line]), via: program })),
  ]);
}

/** `compgen -C COMMAND WORD` runs the command with the word behind it. */
function unwrapCompletion({ program, args }: Invocation): Payload[] {
  const { values, operands } = parseLeading(args, { values: "oAGWFCXPS" });
  const words = ["", operands[0] ?? unknown("word"), ""];
  return (values.get("C") ?? []).flatMap((command) => [
    { text: command, via: program },
    { ...withWords(command, words), via: program },
  ]);
}

/** Compressors and hooks of tar are commands. */
function unwrapTar({ args }: Invocation): Payload[] {
  const { values } = parseOptions(args, {
    values: "ICfTX",
    longValues: ["use-compress-program", "to-command", "checkpoint-action"],
  });
  const texts = ["I", "use-compress-program", "to-command"].flatMap((name) =>
    values.get(name) ?? []
  );
  const actions = values.get("checkpoint-action") ?? [];
  return scripts([...texts, ...actions.map((action) => action.replace(/^exec=/, ""))], "tar");
}

/** What `env -S` takes for a gap beside the blank. */
const ENV_SPACE = /\\[fnrtv_]/g;

/** `env -S "rm -rf /"` splits its value into the words of a command. */
function unwrapEnv(invocation: Invocation): Payload[] {
  const grammar = {
    values: "uCSa",
    longValues: ["unset", "chdir", "split-string", "argv0"],
  };
  // A lone dash is `-i` before the command; behind it, it is the command's own.
  const all = invocation.args.map((arg) => arg === "-" ? "-i" : arg);
  const own = all.length - parseLeading(all, grammar).operands.length;
  const args = [...all.slice(0, own), ...invocation.args.slice(own)];
  const { values, operands } = parseLeading(args, grammar);
  const split = [...values.get("S") ?? [], ...values.get("split-string") ?? []];
  const cwd = [...values.get("C") ?? [], ...values.get("chdir") ?? []].at(-1);
  if (split.length === 0) return unwrapWith(args, { spec: WRAPPERS["env"]!, name: "env" });
  // The value may begin with options and variables of its own.
  const words = split.map((value) => value.replace(ENV_SPACE, " ").replace(/\\c[^]*$/, ""));
  const text = `env ${[...words, ...operands].join(" ")}`;
  return [{ text, via: "env", ...cwd === undefined ? {} : { cwd } }];
}

/** The command of xargs with the words it would receive, or a mark for them. */
function unwrapXargs(invocation: Invocation): Payload[] {
  const { upstream } = invocation;
  const { operands, values, flags } = parseLeading(invocation.args, {
    values: "adEILnPs",
    longValues: [
      "arg-file",
      "delimiter",
      "max-args",
      "max-procs",
      "max-chars",
      "process-slot-var",
      "replace",
    ],
  });
  if (operands.length === 0) return [];
  const input = inputText(invocation);
  const words = input?.split(/[\s\0]+/).filter((word) => word !== "") ?? [];
  const mark = values.get("I")?.at(-1) ??
    (flags.has("i") || flags.has("--replace") ? values.get("replace")?.at(-1) || "{}" : undefined);
  if (mark !== undefined && mark !== "") {
    const value = input === undefined || hasUnknown(input) ? unknown("xargs") : input.trim();
    return [{ argv: operands.map((word) => word.replaceAll(mark, value)), via: "xargs" }];
  }
  // A shell without a script takes the first word for one.
  const open = input === undefined && operands.slice(1).every((word) => word.startsWith("-")) &&
    /(?:^|\/)(?:\w*sh|env|sudo|doas|xargs|nohup|setsid|busybox)$/.test(operands[0]!);
  const given = open ? [unknown("xargs")] : input === undefined ? printedWords(upstream) : words;
  const payload: Payload = { argv: [...operands, ...given], via: "xargs" };
  // Without input, or where another command has read it, the command runs as it is written.
  return given.length === 0 ? [payload] : [payload, { argv: operands, via: "xargs" }];
}

function unwrapFind({ args }: Invocation): Payload[] {
  const payloads: Payload[] = [];
  for (let i = 0; i < args.length; i++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(args[i]!)) continue;
    const end = args.findIndex((arg, at) => at > i && (arg === ";" || arg === "+"));
    const argv = args.slice(i + 1, end < 0 ? undefined : end);
    // What is found decides which program runs.
    if (argv[0]?.includes("{}")) payloads.push({ unjudged: "find" });
    if (argv.length > 0) payloads.push({ argv, via: "find" });
    i += argv.length;
  }
  return payloads;
}

function unwrapFd({ args }: Invocation): Payload[] {
  const at = args.findIndex((arg) => /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/.test(arg));
  const argv = at < 0 ? [] : args.slice(at + 1).filter((arg) => arg !== ";");
  return argv.length > 0 ? [{ argv, via: "fd" }] : [];
}

/** `parallel CMD ::: A B` runs the command with each value. */
function unwrapParallel(invocation: Invocation): Payload[] {
  const cut = invocation.args.findIndex((arg) => /^:::\+?$/.test(arg));
  const args = cut < 0 ? invocation.args : invocation.args.slice(0, cut);
  const input = inputText(invocation);
  const values = cut < 0
    ? input?.split("\n") ?? []
    : invocation.args.slice(cut + 1).filter((arg) => !/^:::\+?$/.test(arg));
  const { operands } = parseLeading(args, WRAPPERS["parallel"]!);
  const command = operands.join(" ");
  if (command !== "") return scripts([[command, ...values].join(" ")], "parallel");
  return cut < 0 && input === undefined ? [{ unjudged: "parallel" }] : scripts(values, "parallel");
}

/** Aliases, hooks and filters given on the command line of git. */
function unwrapGit({ args }: Invocation): Payload[] {
  const { name, args: rest, globals } = subcommand(args, "git");
  const texts: string[] = [];
  if (name === "submodule" && rest[0] === "foreach") {
    texts.push(rest.slice(1).filter((arg) => arg !== "--recursive").join(" "));
  } else if (name === "bisect" && rest[0] === "run") texts.push(rest.slice(1).join(" "));
  else if (name === "filter-branch") texts.push(...rest.filter((arg) => arg.includes(" ")));
  const settings = globals.values.get("c") ?? [];
  const loads = globals.values.has("config-env") || globals.values.has("exec-path");
  return [
    ...executedByGit({ name, args: rest, settings }),
    ...loads ? [{ unjudged: "git" }] : [],
    ...scripts(texts, "git"),
  ];
}

const CMAKE_TOOLS: ReadonlyMap<string, string> = new Map([
  ["remove", "rm"],
  ["remove_directory", "rm -r"],
  ["rename", "mv"],
  ["copy", "cp"],
  ["copy_directory", "cp -r"],
  ["create_symlink", "ln -s"],
  ["time", ""],
]);

/** `cmake -E` is a small toolbox: `rm`, `copy`, `env`, `chdir`. */
function unwrapCmake({ args }: Invocation): Payload[] {
  const at = args.indexOf("-E");
  if (at < 0) return [];
  const [tool = "", ...rest] = args.slice(at + 1);
  if (tool === "chdir") return [{ argv: rest.slice(1), via: "cmake", cwd: rest[0] ?? "" }];
  const head = CMAKE_TOOLS.get(tool) ?? tool;
  return [{ argv: [...head.split(" ").filter((word) => word !== ""), ...rest], via: "cmake" }];
}

function unwrapPowershell({ args }: Invocation): Payload[] {
  const flag = args.findIndex((arg) => /^-(?:c|command)$/i.test(arg));
  const start = flag >= 0 ? flag + 1 : args.findIndex((arg) => !arg.startsWith("-"));
  return start < 0 ? [] : scripts([args.slice(start).join(" ")], "powershell");
}
