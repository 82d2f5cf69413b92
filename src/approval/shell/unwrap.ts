/** Looks through programs that run the program named in their arguments: `sudo`, `env`, `timeout`. */
import { executedByVariable } from "./executors.ts";
import {
  hasFlag,
  type Invocation,
  type OptionGrammar,
  type ParsedOptions,
  parseLeading,
  parseOptions,
} from "./invocation.ts";
import { type Common, type Payload, REMOTE } from "./payload.ts";
import { GLOBAL_OPTIONS, type Wrapper, WRAPPERS } from "./wrappers_data.ts";

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

/** Texts for a shell, without those that are empty or not there. */
export function scripts(texts: readonly (string | undefined)[], via: string): Payload[] {
  return texts.filter((text) => text !== undefined && text !== "")
    .map((text) => ({ text: text!, via }));
}

const HAS_SUBCOMMANDS = new Set(
  Object.keys(WRAPPERS).filter((name) => name.includes(" ")).map((name) => name.split(" ", 1)[0]!),
);

export function findWrapper(
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

export function unwrapWith(
  args: readonly string[],
  { spec, name }: { spec: Wrapper; name: string },
): Payload[] {
  const grammar: OptionGrammar = {
    values: (spec.values ?? "") + (spec.scripts ?? []).filter((flag) => flag.length === 1).join(""),
    longValues: [...spec.longValues ?? [], ...spec.scripts ?? []],
  };
  const options = parseLeading(args, grammar);
  if (spec.inert !== undefined && hasFlag(options, ...spec.inert)) return [];
  const via = spec.remote === true ? REMOTE : name;
  const cwd = spec.chdir?.flatMap((flag) => options.values.get(flag) ?? []).at(-1);
  const common: Common = { via, ...cwd === undefined ? {} : { cwd } };
  const found: Payload[] = [];
  if (spec.scripts !== undefined) {
    // These accept their script option after operands too; it may also be one of the command's own.
    const all = parseOptions(args, grammar);
    const texts = spec.scripts.flatMap((flag) => all.values.get(flag) ?? []);
    found.push(...texts.map((text) => ({ ...common, text })));
  }
  const { rest, payloads, variables } = skipAssignments(
    options.operands.slice(spec.operands ?? 0),
    { spec, name },
  );
  payloads.unshift(...found);
  if (rest.length === 0) return payloads;
  if (variables.length > 0) common.variables = variables;
  // No program is called like an option: `sudo A=1 -n CMD`.
  const named = variables.length === 0 ? 0 : rest.findIndex((word) => word[0] !== "-");
  if (named > 0) payloads.push({ ...common, argv: rest.slice(named) });
  // `flock -- FILE -c TEXT`
  const flag = /^-(?:-(\w[\w-]*)|(\w))$/.exec(rest[0]!);
  if (flag !== null && spec.scripts?.includes(flag[1] ?? flag[2]!)) {
    return [...payloads, { ...common, text: rest[1] ?? "" }];
  }
  if (spec.optional === true && rest.length > 1) {
    payloads.push({ ...common, argv: rest.slice(rest[1] === "--" ? 2 : 1) });
  }
  const inner = spec.joined === true
    ? { ...common, text: rest.join(" ") }
    : { ...common, argv: rest };
  return [...payloads, inner];
}

/** The words after `NAME=value`, those variables, and what their values execute. */
function skipAssignments(words: string[], { spec, name }: { spec: Wrapper; name: string }) {
  const payloads: Payload[] = [];
  const variables: [string, string][] = [];
  // `env` takes every word with a `=` before the command: `BASH_FUNC_ls%%=…`, `=`, `a/b=c`.
  const pattern = name === "env" ? /^([^=]*)=([^]*)$/ : /^([^=/\s-][^=/\s]*)=([^]*)$/;
  let at = 0;
  while (spec.assignments === true) {
    const found = pattern.exec(words[at] ?? "");
    if (found === null) break;
    variables.push([found[1]!, found[2]!]);
    payloads.push(...executedByVariable(found[1]!, found[2]!));
    at++;
  }
  return { rest: words.slice(words[at] === "--" ? at + 1 : at), payloads, variables };
}
