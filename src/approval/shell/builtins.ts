/** Shell builtins that change what later words of the same script mean: `cd`, `export`, `read`, `set`. */
import type { ShellState } from "./shell_state.ts";
import { hasUnknown } from "./unknown.ts";
import { inputText, type Invocation, parseLeading } from "./invocation.ts";
import { literalOutput } from "./literal_output.ts";
import { canonicalPath, type Place } from "./paths.ts";

/** Longer paths no system opens; following them would make `cd a; cd a; …` costly. */
const MAX_PATH_CHARS = 4_096;

type Effect = (state: ShellState, invocation: Invocation) => void;

const EFFECTS: Readonly<Record<string, Effect>> = {
  alias: (state, { args }) => {
    for (const arg of args) {
      const cut = arg.indexOf("=");
      if (cut > 0) state.aliases.set(arg.slice(0, cut), arg.slice(cut + 1));
    }
  },
  cd: changeDirectory,
  pushd: changeDirectory,
  popd: (state) => state.cwd = undefined,
  export: declare,
  declare: declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  unset: (state, { args }) => args.forEach((name) => state.vars.delete(name)),
  read: readInput,
  set: setPositional,
  shift: (state, { args }) => state.positional = state.positional?.slice(Number(args[0] ?? 1)),
  printf: (state, { args }) => {
    const [flag, name, ...rest] = args;
    if (flag !== "-v" || name === undefined) return;
    const text = rest.some(hasUnknown) ? undefined : literalOutput(["printf", ...rest], {});
    state.assignAny(name, text === undefined ? [] : [text]);
  },
  mapfile: readLines,
  readarray: readLines,
  getopts: (state, { args }) => state.assignAny(args[1] ?? "", []),
  exec: (state, { args, redirects }) => {
    if (args.every((arg) => arg[0] === "-") && redirects.some(({ op }) => op.startsWith("<"))) {
      state.fed = true;
    }
  },
};

/** Applies what `invocation` does to the shell itself, if it is such a builtin. */
export function applyBuiltin(state: ShellState, invocation: Invocation): void {
  if (Object.hasOwn(EFFECTS, invocation.program)) EFFECTS[invocation.program]!(state, invocation);
}

/** `set -e -o pipefail a b` and `set -- a b`. */
function setPositional(state: ShellState, { args }: Invocation): void {
  let at = 0;
  while (/^[-+]./.test(args[at] ?? "") && args[at] !== "--") {
    at += /^[-+][a-zA-Z]*o$/.test(args[at]!) ? 2 : 1;
  }
  if (args[at] === "--" || args[at] === "-") state.positional = args.slice(at + 1);
  else if (at < args.length) state.positional = args.slice(at);
}

function changeDirectory(state: ShellState, { args, place }: Invocation): void {
  const target = parseLeading(args, {}).operands[0] ?? "~";
  // Where a search path is set, a plain name may lead anywhere.
  const searched = state.vars.has("CDPATH") && !/^(?:[/~]|\.{1,2}(?:\/|$))/.test(target);
  const known = target !== "-" && !/^[-+]\d/.test(target) && !searched;
  const before = state.vars.get("OLDPWD");
  const back = target === "-" && before?.length === 1 ? before[0] : undefined;
  if (state.cwd === undefined) state.vars.delete("OLDPWD");
  else state.vars.set("OLDPWD", [state.cwd]);
  state.cwd = known || back !== undefined
    ? directoryAfter(back ?? target, { ...place, cwd: state.cwd })
    : undefined;
}

/** The directory that `cd target` leads to; undefined when that cannot be known. */
export function directoryAfter(target: string, place: Place): string | undefined {
  const rooted = target.startsWith("/") || target.startsWith("~");
  if (hasUnknown(target) || !(rooted || place.cwd !== undefined)) return undefined;
  const path = canonicalPath(target, place);
  return path.length <= MAX_PATH_CHARS ? path : undefined;
}

function declare(state: ShellState, { program, args }: Invocation): void {
  for (const arg of args) {
    const found = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?(\+?)=([^]*)$/.exec(arg);
    if (found === null) continue;
    const [, name = "", plus, value = ""] = found;
    const before = plus === "+" ? state.vars.get(name)?.at(-1) ?? "" : "";
    if (program !== "export" && program !== "readonly") state.locals.add(name);
    state.assign(name, { value: before + value, certain: true });
  }
}

/** `read x` with certain input learns the values, otherwise forgets the variables. */
function readInput(state: ShellState, invocation: Invocation): void {
  const { operands, flags } = parseLeading(invocation.args, { values: "adinNptu" });
  const text = inputText(invocation) ?? "";
  // Without -r a backslash joins lines and quotes the next character.
  const plain = flags.has("r") ? text : text.replace(/\\(\n?)([^]?)/g, "$2");
  const lines = plain.split("\n").filter((line) => line !== "");
  operands.forEach((name, i) => {
    const values = lines.map((line) => operands.length === 1 ? line : line.split(/\s+/)[i] ?? "");
    state.assignAny(name, values);
  });
  if (operands.length === 0) state.assignAny("REPLY", lines);
}

/** `mapfile a` with certain input learns the lines. */
function readLines(state: ShellState, invocation: Invocation): void {
  const { operands } = parseLeading(invocation.args, { values: "dnOsuCc" });
  const name = operands[0] ?? "MAPFILE";
  const text = inputText(invocation);
  state.arrays.delete(name);
  if (text === undefined) state.assignAny(name, []);
  else state.assignArray(name, text.split("\n").filter((line) => line !== "").slice(0, 64));
}
