/**
 * Trees that a command reads as a whole: what it packs, copies, compares or searches, with the
 * directory that an option makes its paths relative to.
 */
import { tarWords } from "./effects_archives.ts";
import { type Invocation, type ParsedOptions, parseOptions } from "../shell/invocation.ts";
import { subcommand } from "../shell/unwrap.ts";

/** Programs that take a whole tree, and what makes them do so. */
const TREE_READERS: Readonly<Record<string, RegExp>> = {
  tar: /^-{0,2}[a-zA-Z]*[cru]/,
  gtar: /^-{0,2}[a-zA-Z]*[cru]/,
  bsdtar: /^-{0,2}[a-zA-Z]*[cru]/,
  zip: /^-[a-zA-Z]*r/,
  "7z": /^[au]$/,
  "7za": /^[au]$/,
  "7zz": /^[au]$/,
  cp: /^-[a-zA-Z]*[rRa]|^--(?:recursive|archive)/,
  scp: /^-[a-zA-Z]*r/,
  rsync: /^/,
  grep: /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive|^-d$|^--directories/,
  egrep: /^-[a-zA-Z]*[rR]/,
  fgrep: /^-[a-zA-Z]*[rR]/,
  zgrep: /^-[a-zA-Z]*[rR]/,
  ugrep: /^-[a-zA-Z]*[rR]/,
  rg: /^-[a-zA-Z]*(?:uu|\.)|^--(?:hidden|unrestricted)/,
  ag: /^-[a-zA-Z]*u|^--hidden/,
  ack: /^/,
  diff: /^-[a-zA-Z]*r|^--recursive/,
  colordiff: /^-[a-zA-Z]*r|^--recursive/,
  ditto: /^/,
  restic: /^backup$/,
  borg: /^create$/,
  duplicity: /^/,
  mksquashfs: /^/,
  genisoimage: /^/,
  mkisofs: /^/,
  rclone: /^(?:copy|sync|move|copyto)$/,
};

/** Programs that `treesRead()` knows. */
export const TREE_PROGRAMS: readonly string[] = [...Object.keys(TREE_READERS), "git"];

/** Programs whose last operand is where things go. */
const COPIERS = /^(?:cp|scp|rsync|ditto|rclone|mksquashfs)$/;

/** The trees of a command, as written but with the directory of its options in front. */
export function treesRead(command: Invocation): string[] {
  const { program, args } = command;
  if (program === "git") return treesOfGit(command);
  const pattern = TREE_READERS[program];
  if (pattern === undefined || !args.some((arg) => pattern.test(arg))) return [];
  if (/tar$/.test(program)) return treesOfTar(tarWords(args));
  const { operands } = parseOptions(args, { values: "feT", longValues: ["exclude", "include"] });
  const sources = COPIERS.test(program) && operands.length > 1 ? operands.slice(0, -1) : operands;
  return sources.filter((path) => !path.includes(":"));
}

/** `-C DIR` counts for the operands behind it, each relative to the one before. */
function treesOfTar(args: readonly string[]): string[] {
  const trees: string[] = [];
  let base = "";
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const directory = /^(?:-C|--directory=)(.+)$/s.exec(arg)?.[1] ??
      (/^(?:-[a-zA-Z]*C|--directory)$/.test(arg) ? args[++i] : undefined);
    if (directory !== undefined) base = below(base, directory);
    else if (/^-[a-zA-Z]*f$|^--file$|^-[TX]$/.test(arg)) i++;
    else if (arg[0] !== "-") trees.push(below(base, arg));
  }
  return trees;
}

/** What `git add`, `git grep --no-index` and `git config --file` read, from the directory that git is told to use. */
function treesOfGit({ args, env }: Invocation): string[] {
  const { name, args: rest, globals } = subcommand(args, "git");
  if (name === "config") {
    const { values } = parseOptions(rest, { values: "f", longValues: ["file"] });
    return [...values.get("f") ?? [], ...values.get("file") ?? []];
  }
  const searches = name === "grep" && rest.includes("--no-index");
  if (!searches && !/^(?:add|stage|stash)$/.test(name)) return [];
  const base = workTree(globals, env);
  // Without an option, what is tracked or ignored is the repository's own matter.
  if (base === undefined && !searches) return [];
  const { operands } = parseOptions(rest, { values: "emFC" });
  const paths = searches ? operands.slice(rest.includes("-e") ? 0 : 1) : operands;
  return (paths.length > 0 ? paths : ["."]).map((path) => below(base ?? "", path));
}

/** The directory that git's own options lead to; undefined when there are none. */
function workTree(
  { values }: ParsedOptions,
  env: ReadonlyMap<string, string>,
): string | undefined {
  const directory = values.get("C")?.reduce(below, "");
  const tree = values.get("work-tree")?.at(-1) ?? env.get("GIT_WORK_TREE");
  return tree === undefined ? directory : below(directory ?? "", tree);
}

function below(base: string, path: string): string {
  return base === "" || /^[/~]/.test(path) ? path : `${base}/${path}`;
}
