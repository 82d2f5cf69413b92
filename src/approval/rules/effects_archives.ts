/** What archive programs do to the paths in their arguments: packed, unpacked, replaced, removed. */
import { EFFECTS } from "./effects_data.ts";
import { byRow } from "./effects_rows.ts";
import { unpackedBelow } from "./effects_trees.ts";
import { hasFlag, type Invocation, type ParsedOptions, parseOptions } from "../shell/invocation.ts";
import { all, allBelow, mentioned, type Touch } from "../shell/mentions.ts";

/** What a row says of unzip and its like, and where the archive's files go. */
export function unpacked(command: Invocation): Touch[] {
  return [...byRow(command, EFFECTS.get(command.program)!), ...unpackedBelow(command)];
}

/** Letters of tar and of jar that take a value. */
const TAR_VALUES = "CfTXIbgHVKNLF";
const JAR_VALUES = "fmeC";

/** The words of tar with each letter of `cvf FILE DIR` as an option of its own. */
export function tarWords(args: readonly string[]): readonly string[] {
  return /^[^-]/.test(args[0] ?? "") ? dashed(args, TAR_VALUES) : args;
}

/** `cvf FILE DIR`, without a dash: each letter takes its value from the words that follow. */
function dashed([letters = "", ...rest]: readonly string[], values: string): string[] {
  const words: string[] = [];
  for (const letter of letters) {
    words.push(`-${letter}`);
    if (values.includes(letter)) words.push(...rest.splice(0, 1));
  }
  return [...words, ...rest];
}

/** The library that `ar` makes or changes; listing and unpacking leave it alone. */
export function listedArchive({ args }: Invocation): string[] {
  const [letters = "", ...rest] = args.filter((arg) => !arg.startsWith("--"));
  // `a`, `b` and `i` name a member before the library.
  return /^-?[tpx]/.test(letters) ? [] : rest.slice(0, /[abi]/.test(letters) ? 2 : 1);
}

/** Archives read what they pack, and write where they are unpacked. */
export function archived(command: Invocation): Touch[] {
  const { program, args } = command;
  const values = program === "jar" ? JAR_VALUES : TAR_VALUES;
  const options = parseOptions(/^[^-]/.test(args[0] ?? "") ? dashed(args, values) : args, {
    values,
    longValues: [
      "directory",
      "file",
      "exclude",
      "use-compress-program",
      "index-file",
      "listed-incremental",
      "volno-file",
    ],
  });
  const into = [...options.values.get("C") ?? [], ...options.values.get("directory") ?? []];
  const touches = mentioned(command, args);
  // Names are relative to the directory that was given before them.
  if (into.length > 0) {
    const below = options.operands.filter((path) => !/^[/~]/.test(path));
    touches.push(...all("read", below.map((path) => `${into.at(-1)}/${path}`)));
  }
  if (hasFlag(options, "x", "extract", "get")) {
    touches.push(...allBelow("write", into.length > 0 ? into : ["."]));
    touches.push(...all("write", options.operands.filter((path) => path.startsWith("/"))));
  } else if (changesArchive(options)) {
    const file = [...options.values.get("f") ?? [], ...options.values.get("file") ?? []];
    touches.push(...all("write", file.filter((path) => path !== "-")));
  }
  const lists = ["g", "listed-incremental", "index-file", "volno-file"];
  touches.push(...all("write", lists.flatMap((name) => options.values.get(name) ?? [])));
  if (args.includes("--remove-files")) touches.push(...all("delete", options.operands));
  return touches;
}

/** Whether tar makes an archive, or changes one. */
function changesArchive(options: ParsedOptions): boolean {
  return hasFlag(options, "c", "r", "u", "A", "create", "append", "update", "concatenate") ||
    hasFlag(options, "catenate", "delete");
}

/** Zip writes its first operand; 7z writes where `-o` says. */
export function zipped(command: Invocation): Touch[] {
  const { program, args } = command;
  const { operands, flags } = parseOptions(args, { values: "xibnt" });
  const removes = program === "zip"
    ? flags.has("m") || flags.has("--move")
    : args.includes("-sdel");
  const into = program === "zip" ? [] : args.flatMap((arg) => /^-o(.+)$/.exec(arg)?.[1] ?? []);
  return [
    ...mentioned(command, args),
    ...all("write", program === "zip" ? operands.slice(0, 1) : into),
    ...removes ? all("delete", operands.slice(program === "zip" ? 1 : 2)) : [],
    ...program === "zip" ? [] : unpackedBelow(command),
  ];
}
