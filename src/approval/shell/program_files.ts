/** The files that a command loads as code, by the rows of `program_files_data.ts`. */
import {
  hasFlag,
  type Invocation,
  isShell,
  parseLeading,
  parseOptions,
  shellUse,
} from "./invocation.ts";
import { optionValues } from "./executors.ts";
import { PROGRAM_FILE_ROWS, type ProgramFileRow } from "./program_files_data.ts";

const BY_PROGRAM = new Map<string, ProgramFileRow[]>();
for (const row of PROGRAM_FILE_ROWS) {
  for (const name of row.programs.split(" ")) {
    BY_PROGRAM.set(name, [...BY_PROGRAM.get(name) ?? [], row]);
  }
}

export interface ProgramFile {
  path: string;
  /** True where a shell reads it, so that a text which is known was followed. */
  isShell: boolean;
}

function rowsFor(program: string): readonly ProgramFileRow[] {
  // `python3.12` goes by the name of its family.
  const family = /^[a-z]*(?=[\d.])/.exec(program)?.[0] ?? "";
  return BY_PROGRAM.get(program) ?? BY_PROGRAM.get(family) ?? [];
}

/** Files whose text the command runs. */
export function programFiles(invocation: Invocation): ProgramFile[] {
  const { path, args, program } = invocation;
  const files: ProgramFile[] = path.includes("/") ? [{ path, isShell: true }] : [];
  if (isShell(invocation)) {
    const use = shellUse(invocation);
    const named = use.mode === "file" ? [use.script] : [];
    for (const file of [...named, ...use.startFiles]) files.push({ path: file, isShell: true });
    if (use.mode === "stdin") files.push(...inputFiles(invocation, true));
    return files;
  }
  if (program === "source" || program === ".") {
    const [file] = args[0] === "--" ? args.slice(1) : args;
    if (file !== undefined) files.push({ path: file, isShell: true });
    return files;
  }
  for (const row of rowsFor(program)) {
    for (const file of filesOf(row, invocation)) files.push({ path: file, isShell: false });
    if (row.input === true) files.push(...inputFiles(invocation, false));
  }
  return files;
}

function filesOf(row: ProgramFileRow, { args, program }: Invocation): string[] {
  const files = row.options === undefined ? [] : optionValues(args, row.options);
  if (row.operands !== undefined) {
    const letters = (row.options ?? []).filter((name) => name.length === 1).join("");
    const parsed = (row.operands === "all" ? parseOptions : parseLeading)(args, {
      values: (row.values ?? "") + letters,
      longValues: [...row.longValues ?? [], ...row.options ?? []],
    });
    const skips = row.unless !== undefined && hasFlag(parsed, ...row.unless);
    const operands = parsed.operands.filter((word) => word[0] !== "-");
    if (!skips) files.push(...operands.slice(...PICK[row.operands]));
  }
  if (/^(?:python|pypy)/.test(program)) {
    for (const name of optionValues(args, ["m"])) files.push(`${name.replaceAll(".", "/")}.py`);
  }
  if (row.implicit !== undefined) {
    const [where] = optionValues(args, ["C", "directory", "prefix", "cwd"]);
    files.push(...row.implicit.map((name) => where === undefined ? name : `${where}/${name}`));
  }
  return files;
}

const PICK = { first: [0, 1], second: [1, 2], all: [0, undefined] } as const;

/** Files that standard input comes from. */
function inputFiles({ redirects, input }: Invocation, isShell: boolean): ProgramFile[] {
  const named = redirects.filter(({ op, fd }) => /^<>?$/.test(op) && /^0?$/.test(fd));
  const paths = named.length > 0 ? named.map(({ target }) => target) : input ?? [];
  return paths.map((path) => ({ path, isShell }));
}

/** Whether the program runs what arrives on its standard input. */
export function runsInput(invocation: Invocation): boolean {
  if (isShell(invocation)) return shellUse(invocation).mode === "stdin";
  const rows = rowsFor(invocation.program).filter((row) => row.input === true);
  return rows.length > 0 && rows.every((row) => {
    const parsed = parseLeading(invocation.args, { values: row.values ?? "" });
    const isBusy = row.unless !== undefined && hasFlag(parsed, ...row.unless);
    return !isBusy && !hasFlag(parsed, "version", "help") &&
      (row.operands === undefined || parsed.operands.every((word) => word === "-"));
  });
}
