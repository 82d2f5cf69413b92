/** Finds the commands hidden in another command's arguments. Pure; what it finds is walked by the caller. */
import {
  hasFlag,
  inputText,
  type Invocation,
  isShell,
  type OptionGrammar,
  type ParsedOptions,
  parseLeading,
  parseOptions,
  shellUse,
  STDIN_FILE,
} from "./invocation.ts";
import { GLOBAL_OPTIONS, type Wrapper, WRAPPERS } from "./wrappers_data.ts";

/** A command to look at: ready arguments, or text for a shell, which may have used up its input. */
export type Payload =
  | { argv: string[]; via: string }
  | { text: string; via: string; positional?: string[]; fromInput?: boolean };

/** Label of payloads that run elsewhere; rules about scripts on this host skip them. */
export const REMOTE = "remote";

/** The first operand after global options, and what follows it. */
export function subcommand(
  args: readonly string[],
  program: string,
): { name: string; args: string[]; globals: ParsedOptions } {
  const known = Object.hasOwn(GLOBAL_OPTIONS, program);
  const globals = parseLeading(args, known ? GLOBAL_OPTIONS[program]! : {});
  const [name = "", ...rest] = globals.operands;
  return { name, args: rest, globals };
}

/** Contents of a file written earlier in the same script, where certain. */
export type FileText = (path: string) => string | undefined;

/** Commands that `invocation` would run. */
export function unwrap(invocation: Invocation, fileText: FileText): Payload[] {
  return [...configuredPrograms(invocation), ...unwrapProgram(invocation, fileText)];
}

function unwrapProgram(invocation: Invocation, fileText: FileText): Payload[] {
  const { program } = invocation;
  if (isShell(invocation)) return unwrapShell(invocation, fileText);
  const special = SPECIAL.get(program);
  if (special !== undefined) return special(invocation, fileText);
  const wrapper = findWrapper(invocation);
  if (wrapper !== undefined) return unwrapWith(wrapper.spec, wrapper.args, wrapper.name);
  if (INTERPRETERS.test(program)) return unwrapCode(invocation);
  const text = invocation.path.includes("/") ? fileText(invocation.path) : undefined;
  return text === undefined ? [] : [{ text, via: "script" }];
}

/** Variables whose value is a command that the program runs. */
const COMMAND_VARIABLES = new Set(
  ("PAGER MANPAGER GIT_PAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND " +
    "GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS BROWSER PROMPT_COMMAND LESSOPEN").split(
      " ",
    ),
);

/** `PAGER='rm -rf /' man ls`. */
function configuredPrograms({ env, via }: Invocation): Payload[] {
  if (env.size === 0 || via.length > 0) return [];
  return scripts(
    [...env].filter(([name]) => COMMAND_VARIABLES.has(name)).map(([, value]) => value),
    "env",
  );
}

const HAS_SUBCOMMANDS = new Set(
  Object.keys(WRAPPERS).filter((name) => name.includes(" ")).map((name) => name.split(" ", 1)[0]!),
);

function findWrapper(
  { program, args }: Invocation,
): { spec: Wrapper; args: readonly string[]; name: string } | undefined {
  if (Object.hasOwn(WRAPPERS, program)) return { spec: WRAPPERS[program]!, args, name: program };
  if (!HAS_SUBCOMMANDS.has(program)) return undefined;
  let name = program;
  let rest = args;
  for (let level = 0; level < 2; level++) {
    const sub = subcommand(rest, level === 0 ? program : "compose");
    name += ` ${sub.name}`;
    rest = sub.args;
    if (Object.hasOwn(WRAPPERS, name)) return { spec: WRAPPERS[name]!, args: rest, name };
  }
  return undefined;
}

function unwrapWith(spec: Wrapper, args: readonly string[], name: string): Payload[] {
  const grammar: OptionGrammar = {
    values: (spec.values ?? "") + (spec.scripts ?? []).filter((flag) => flag.length === 1).join(""),
    longValues: [...spec.longValues ?? [], ...spec.scripts ?? []],
  };
  const options = parseLeading(args, grammar);
  if (spec.inert !== undefined && hasFlag(options, ...spec.inert)) return [];
  const via = spec.remote === true ? REMOTE : name;
  if (spec.scripts !== undefined) {
    // These accept their script option after operands too.
    const all = parseOptions(args, grammar);
    const texts = spec.scripts.flatMap((flag) => all.values.get(flag) ?? []);
    if (texts.length > 0) return scripts(texts, via);
  }
  let rest = options.operands.slice(spec.operands ?? 0);
  if (spec.assignments === true) {
    while (/^[A-Za-z_]\w*=/.test(rest[0] ?? "")) rest = rest.slice(1);
  }
  if (rest[0] === "--") rest = rest.slice(1);
  if (rest.length === 0) return [];
  return [spec.joined === true ? { text: rest.join(" "), via } : { argv: rest, via }];
}

function unwrapShell(invocation: Invocation, fileText: FileText): Payload[] {
  const use = shellUse(invocation);
  const text = use.mode === "command"
    ? use.script
    : use.mode === "file"
    ? fileText(use.script)
    : inputText(invocation);
  if (text === undefined) return [];
  const { mode, positional } = use;
  return [{ text, via: invocation.program, positional, fromInput: mode === "stdin" }];
}

type Special = (invocation: Invocation, fileText: FileText) => Payload[];

const SPECIAL: ReadonlyMap<string, Special> = new Map(Object.entries<Special>({
  env: unwrapEnv,
  xargs: unwrapXargs,
  find: unwrapFind,
  parallel: unwrapParallel,
  git: unwrapGit,
  su: ({ args }) => {
    const { values } = parseOptions(args, { values: "cgGsw", longValues: ["command", "shell"] });
    return scripts([...values.get("c") ?? [], ...values.get("command") ?? []], "su");
  },
  eval: ({ args }) => scripts([args.join(" ")], "eval"),
  source: unwrapSource,
  ".": unwrapSource,
  tar: unwrapTar,
  gtar: unwrapTar,
  trap: ({ args }) => scripts([args.find((arg) => arg !== "--")], "trap"),
  alias: ({ args }) => scripts(args.map((arg) => arg.slice(arg.indexOf("=") + 1)), "alias"),
  at: (invocation) => scripts([inputText(invocation)], "at"),
  batch: (invocation) => scripts([inputText(invocation)], "batch"),
  tmux: ({ args }) => {
    const { operands } = parseOptions(args, { values: "FLSTcefnstxy" });
    return scripts([operands.slice(1).filter((word) => word !== "Enter").join(" ")], "tmux");
  },
  screen: ({ args }) => {
    const { operands } = parseLeading(args, { values: "ceSpThsTt" });
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
  const file = invocation.args[0] ?? "";
  return scripts([STDIN_FILE.test(file) ? inputText(invocation) : fileText(file)], "source");
}

/** Compressors and hooks of tar are commands. */
function unwrapTar({ args }: Invocation): Payload[] {
  const { values } = parseOptions(args, {
    values: "ICfTX",
    longValues: ["use-compress-program", "to-command"],
  });
  const texts = ["I", "use-compress-program", "to-command"].flatMap((name) =>
    values.get(name) ?? []
  );
  const actions = values.get("checkpoint-action") ?? [];
  return scripts([...texts, ...actions.map((action) => action.replace(/^exec=/, ""))], "tar");
}

function scripts(texts: readonly (string | undefined)[], via: string): Payload[] {
  return texts.filter((text) => text !== undefined && text !== "")
    .map((text) => ({ text: text!, via }));
}

/** `env -S "rm -rf /"` splits its value into the words of a command. */
function unwrapEnv(invocation: Invocation): Payload[] {
  const args = invocation.args.map((arg) => arg === "-" ? "-i" : arg);
  const { values, operands } = parseLeading(args, {
    values: "uCS",
    longValues: ["unset", "chdir", "split-string"],
  });
  const split = [...values.get("S") ?? [], ...values.get("split-string") ?? []];
  if (split.length > 0) return scripts([[...split, ...operands].join(" ")], "env");
  return unwrapWith(WRAPPERS["env"]!, args, "env");
}

/** The command of xargs, with the words it would receive when they are certain. */
function unwrapXargs(invocation: Invocation): Payload[] {
  const { operands } = parseLeading(invocation.args, {
    values: "adEILnPs",
    longValues: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
  });
  if (operands.length === 0) return [];
  const words = inputText(invocation)?.split(/[\s\0]+/).filter((word) => word !== "") ?? [];
  return [{ argv: [...operands, ...words], via: "xargs" }];
}

function unwrapFind({ args }: Invocation): Payload[] {
  const payloads: Payload[] = [];
  for (let i = 0; i < args.length; i++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(args[i]!)) continue;
    const end = args.findIndex((arg, at) => at > i && (arg === ";" || arg === "+"));
    const argv = args.slice(i + 1, end < 0 ? undefined : end);
    if (argv.length > 0) payloads.push({ argv, via: "find" });
    i += argv.length;
  }
  return payloads;
}

/** `parallel CMD ::: A B` runs the command with each value. */
function unwrapParallel(invocation: Invocation): Payload[] {
  const cut = invocation.args.findIndex((arg) => /^:::\+?$/.test(arg));
  const args = cut < 0 ? invocation.args : invocation.args.slice(0, cut);
  const values = cut < 0
    ? inputText(invocation)?.split("\n") ?? []
    : invocation.args.slice(cut + 1).filter((arg) => !/^:::\+?$/.test(arg));
  const { operands } = parseLeading(args, WRAPPERS["parallel"]!);
  const command = operands.join(" ");
  if (command === "") return scripts(values, "parallel");
  return scripts([[command, ...values].join(" ")], "parallel");
}

/** Aliases, hooks and filters given on the command line of git. */
function unwrapGit({ args }: Invocation): Payload[] {
  const { name, args: rest, globals } = subcommand(args, "git");
  const texts = (globals.values.get("c") ?? [])
    .map((setting) =>
      /^(?:alias\.[^=]*=!|core\.(?:pager|sshcommand|editor)=)(.*)$/is.exec(setting)?.[1]
    );
  if (name === "rebase") {
    const { values } = parseOptions(rest, { values: "x", longValues: ["exec"] });
    texts.push(...values.get("x") ?? [], ...values.get("exec") ?? []);
  } else if (name === "submodule" && rest[0] === "foreach") {
    texts.push(rest.slice(1).filter((arg) => arg !== "--recursive").join(" "));
  } else if (name === "bisect" && rest[0] === "run") texts.push(rest.slice(1).join(" "));
  else if (name === "filter-branch") texts.push(...rest.filter((arg) => arg.includes(" ")));
  return scripts(texts, "git");
}

function unwrapPowershell({ args }: Invocation): Payload[] {
  const flag = args.findIndex((arg) => /^-(?:c|command)$/i.test(arg));
  const start = flag >= 0 ? flag + 1 : args.findIndex((arg) => !arg.startsWith("-"));
  return start < 0 ? [] : scripts([args.slice(start).join(" ")], "powershell");
}

/** Languages whose one-line scripts are searched for shell commands. */
const INTERPRETERS =
  /^(?:python|pypy|perl|ruby|node|nodejs|bun|deno|php|lua|osascript|rscript|julia|awk|gawk|mawk|nawk)[\d.]*$/;
const CALLS =
  /\b(system|\w*popen\w*|exec\w*|spawn\w*|check_\w+|run|call|shell\w*|Command|rmtree|rm_rf|rmSync|removeSync)\b\s*\(?([^)]{0,2000})/gi;
const BACKTICKS = /`([^`]{1,2000})`|\bqx\s*[({[|!](.{1,2000}?)[)}\]|!]/g;
const STRINGS = /"((?:[^"\\]|\\.){0,1000})"|'((?:[^'\\]|\\.){0,1000})'/g;

/** Commands in the obvious calls of a one-line script: `os.system('…')`, `spawn("rm", ["-rf", "/"])`. */
function unwrapCode({ args }: Invocation): Payload[] {
  const payloads: Payload[] = [];
  for (const arg of args) {
    for (const [, name = "", inside = ""] of arg.matchAll(CALLS)) {
      const strings = [...inside.matchAll(STRINGS)].map((found) => found[1] ?? found[2] ?? "");
      const [first] = strings;
      if (first === undefined) continue;
      if (/^r/i.test(name) && name !== "run") {
        payloads.push({ argv: ["rm", "-r", first], via: "code" });
      } else payloads.push(...scripts([first], "code"));
      if (strings.length > 1) payloads.push({ argv: strings, via: "code" });
    }
    for (const [, ticks, quoted] of arg.matchAll(BACKTICKS)) {
      payloads.push(...scripts([ticks ?? quoted], "code"));
    }
  }
  return payloads;
}
