/**
 * Changes of files whose names are data: what copies, moves, archives and patches put below a
 * directory. Says which directory; what is protected there is decided elsewhere.
 */
import { isAbsent } from "../shell/real_paths.ts";
import { hasFlag, type Invocation, type ParsedOptions, parseOptions } from "../shell/invocation.ts";
import { allBelow, type Touch } from "../shell/mentions.ts";
import { hasGlob } from "../shell/shell_glob.ts";
import { deleteTarget } from "../shell/paths.ts";
import { hasUnknown } from "../shell/unknown.ts";
import { basename } from "../../util/path.ts";

const COPY_GRAMMAR = {
  longValues: ["target-directory", "suffix", "mode", "owner", "group", "exclude", "include", "rsh"],
};

/** What a copying or linking program takes, and where it puts it; without a target, here. */
export function copiedFrom({ program, args }: Invocation) {
  const options = parseOptions(args, {
    ...COPY_GRAMMAR,
    values: program === "rsync" ? "efBMT" : program === "install" ? "gmotS" : "tS",
  });
  const into = (options.values.get("t") ?? options.values.get("target-directory"))?.[0];
  const isAlone = into === undefined && options.operands.length === 1;
  const sources = into === undefined && !isAlone ? options.operands.slice(0, -1) : options.operands;
  return { options, sources, target: into ?? (isAlone ? undefined : options.operands.at(-1)) };
}

/** Directories into which a copying program puts a whole tree, or names that only the disk knows. */
export function copiedBelow(command: Invocation): Touch[] {
  const { program } = command;
  const { options, sources, target } = copiedFrom(command);
  if (target === undefined || sources.length === 0 || /^[\w.@-]+:/.test(target)) return [];
  // `cp --parents .x/y ~` makes `~/.x/y`.
  const keepsNames = program === "rsync" ? hasFlag(options, "R") : hasFlag(options, "parents");
  const named = sources.map((source) => `${target}/${keepsNames ? source : basename(source)}`);
  const direct = keepsNames ? [...named].map((path): Touch => ({ effect: "write", path })) : [];
  if (!takesTrees(program, options)) return direct;
  const merges = sources.some((source) => isOpenName(source, program)) ||
    replacesTarget(command, { options, target, count: sources.length });
  return [...direct, ...allBelow("write", merges ? [target] : named)];
}

function takesTrees(program: string, options: ParsedOptions): boolean {
  switch (program) {
    case "cp":
      return hasFlag(options, "r", "R", "a", "recursive", "archive");
    case "rsync":
      return hasFlag(options, "r", "a", "recursive", "archive", "files-from");
    case "scp":
      return options.flags.has("r");
    default:
      return program !== "install" && program !== "link";
  }
}

/** Sources of which the disk, not the command, says what they are called at the target. */
function isOpenName(source: string, program: string): boolean {
  const last = source.slice(source.lastIndexOf("/") + 1);
  if (last === "" && program !== "rsync") return isOpenName(source.slice(0, -1), "rsync");
  return /^\.{0,2}$/.test(last) || hasGlob(last) || hasUnknown(last);
}

/** Whether the target itself becomes what is copied, moved or linked. */
function replacesTarget(
  { program, place }: Invocation,
  { options, target, count }: { options: ParsedOptions; target: string; count: number },
): boolean {
  if (hasFlag(options, "T", "no-target-directory") || hasFlag(options, "files-from")) return true;
  if (count > 1 || target.endsWith("/")) return false;
  if (program === "ln" && hasFlag(options, "n", "no-dereference")) return true;
  const isDirectory = /^(?:root|home|system)$/.test(deleteTarget(target, place));
  return !isDirectory && isAbsent(target, place);
}

/** Where unzip, cpio, pax and 7z put what an archive holds; nothing when they only list it. */
export function unpackedBelow(command: Invocation): Touch[] {
  const { program, args } = command;
  const options = parseOptions(args, {
    values: program === "unzip" ? "dxP" : "DFIEHCOxsbT",
    longValues: ["directory", "file"],
  });
  const given = ["d", "D", "directory"].flatMap((name) => options.values.get(name) ?? []);
  const into = given.length > 0 ? given : ["."];
  switch (program) {
    case "unzip":
      return hasFlag(options, "l", "t", "p", "v", "Z") ? [] : allBelow("write", into);
    case "cpio":
    case "pax": {
      if (hasFlag(options, "p") || (program === "pax" && hasFlag(options, "w"))) {
        return hasFlag(options, "p", "r") ? allBelow("write", options.operands.slice(-1)) : [];
      }
      const unpacks = hasFlag(options, "i", "extract") ||
        (program === "pax" && hasFlag(options, "r"));
      return unpacks && !hasFlag(options, "t", "list") ? allBelow("write", into) : [];
    }
    default: {
      const own = args.flatMap((arg) => /^-o(.+)$/s.exec(arg)?.[1] ?? []);
      const unpacks = /^[xe]$/.test(args[0] ?? "");
      return unpacks ? allBelow("write", own.length > 0 ? own : ["."]) : [];
    }
  }
}

/** The directory in which `patch` looks for the files that the patch names. */
export function patchedBelow({ args }: Invocation): Touch[] {
  const { operands, values, flags } = parseOptions(args, {
    values: "iodBpFDrVYzg",
    longValues: ["input", "output", "directory", "strip"],
  });
  if (flags.has("--dry-run")) return [];
  const into = [...values.get("d") ?? [], ...values.get("directory") ?? []];
  return operands.length > 0 ? [] : allBelow("write", into.length > 0 ? into : ["."]);
}

/** Git commands that replace files of the directory they run in with what the repository holds. */
const GIT_REPLACES =
  /^(?:apply|am|checkout|restore|reset|stash|clean|pull|merge|rebase|cherry-pick|revert|switch|read-tree|checkout-index|worktree|submodule|sparse-checkout|bisect)$/;

export function gitBelow(
  name: string,
  { args, where }: { args: readonly string[]; where: readonly string[] },
): Touch[] {
  if (!GIT_REPLACES.test(name)) return [];
  if (/^(?:apply|am)$/.test(name) && args.some((arg) => /^--(?:check|stat|numstat)$/.test(arg))) {
    return [];
  }
  const roots = where.length > 0 ? where : ["."];
  const inside = args.flatMap((arg, i) =>
    args[i - 1] === "--directory" ? [arg] : /^--directory=(.*)$/s.exec(arg)?.[1] ?? []
  );
  const free = args.includes("--unsafe-paths") ? ["/"] : [];
  return allBelow("write", [
    ...roots,
    ...inside.map((path) => /^[/~]/.test(path) ? path : `${roots[0]}/${path}`),
    ...free,
  ]);
}
