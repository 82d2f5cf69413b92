/** Shell builtins that change what later words of the same script mean: `cd`, `export`, `read`, `set`. */
import type { ShellState } from "./shell_state.ts";
import { hasUnknown } from "./unknown.ts";
import { inputText, type Invocation, parseLeading } from "./invocation.ts";
import { canonicalPath } from "./paths.ts";

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
  set: (state, { args }) => {
    const cut = args.indexOf("--");
    if (cut >= 0) state.positional = args.slice(cut + 1);
  },
  shift: (state, { args }) => state.positional = state.positional?.slice(Number(args[0] ?? 1)),
  printf: (state, { args }) => {
    if (args[0] === "-v" && args[1] !== undefined) state.vars.delete(args[1]);
  },
  mapfile: (state, { args }) => state.arrays.delete(args.at(-1) ?? ""),
  getopts: (state, { args }) => state.vars.delete(args[1] ?? ""),
};

/** Applies what `invocation` does to the shell itself, if it is such a builtin. */
export function applyBuiltin(state: ShellState, invocation: Invocation): void {
  if (Object.hasOwn(EFFECTS, invocation.program)) EFFECTS[invocation.program]!(state, invocation);
}

function changeDirectory(state: ShellState, { args, place }: Invocation): void {
  const target = parseLeading(args, {}).operands[0] ?? "~";
  const rooted = target.startsWith("/") || target.startsWith("~");
  const known = target !== "-" && !hasUnknown(target) && (rooted || state.cwd !== undefined);
  const path = known ? canonicalPath(target, { ...place, cwd: state.cwd }) : "";
  state.cwd = path !== "" && path.length <= MAX_PATH_CHARS ? path : undefined;
}

function declare(state: ShellState, { args }: Invocation): void {
  for (const arg of args) {
    const found = /^([A-Za-z_]\w*)=([^]*)$/.exec(arg);
    if (found !== null) state.assign(found[1]!, { value: found[2]!, certain: true });
  }
}

/** `read x` with certain input learns the values, otherwise forgets the variables. */
function readInput(state: ShellState, invocation: Invocation): void {
  const { operands } = parseLeading(invocation.args, { values: "adinNptu" });
  const lines = inputText(invocation)?.split("\n").filter((line) => line !== "") ?? [];
  operands.forEach((name, i) => {
    const values = lines.map((line) => operands.length === 1 ? line : line.split(/\s+/)[i] ?? "");
    if (values.length === 0) state.vars.delete(name);
    else state.vars.set(name, values.slice(0, 64));
  });
}
