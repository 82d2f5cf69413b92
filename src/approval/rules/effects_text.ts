/** Paths in the small languages of awk, sqlite and python's modules, and in git's own options. */
import { optionValues } from "../shell/executors.ts";
import { type Invocation, parseOptions } from "../shell/invocation.ts";
import { all, allBelow, mentioned, type Touch } from "../shell/mentions.ts";

/** `> "file"` and `>> name` in an awk program; a comparison has a blank or digit behind it as well. */
const AWK_WRITES = />>?\s{0,20}(?:"([^"]{1,400})"|([A-Za-z_(]))/g;

export function awked(command: Invocation): Touch[] {
  const { args } = command;
  const inPlace = args.some((arg, i) =>
    arg === "-iinplace" || (arg === "inplace" && /^-i$|^--include$/.test(args[i - 1]!))
  );
  const { operands, values } = parseOptions(args, {
    values: "Ffvi",
    longValues: ["include", "assign"],
  });
  const touches = mentioned(command, args);
  if (inPlace) touches.push(...all("write", operands.slice(1)));
  for (const [, quoted, name] of (operands[0] ?? "").matchAll(AWK_WRITES)) {
    if (quoted !== undefined) touches.push({ effect: "write", path: quoted });
    // Which variable is meant is not followed: each that was given may be.
    if (name !== undefined) {
      const given = [...values.get("v") ?? [], ...values.get("assign") ?? [], ...operands.slice(1)];
      touches.push(...all("write", given.map((value) => value.slice(value.indexOf("=") + 1))));
    }
  }
  return touches;
}

const SQLITE_WRITES =
  /^\s*\.(?:output|once|backup|save|log|clone|dump|excel|archive)\s+(?:[\w-]+\s+)?["'|]?([^\s"']{1,400})/i;
const SQLITE_ASKS =
  /^\s*(?:select|explain|pragma\s+\w+\s*;?$|\.(?:tables|schema|dump|indexes|help)\b)/i;

/** A query changes nothing; anything else may. */
export function queried(command: Invocation): Touch[] {
  const { operands, values } = parseOptions(command.args, {
    values: "c",
    longValues: ["cmd", "init", "separator"],
  });
  const [file = "", ...statements] = operands;
  const texts = [...statements, ...values.get("cmd") ?? []];
  const touches = mentioned(command, command.args);
  const written = texts.flatMap((text) => SQLITE_WRITES.exec(text)?.[1] ?? []);
  touches.push(...all("write", written.map((path) => path.replaceAll("\\", ""))));
  const asks = texts.length > 0 && texts.every((text) => SQLITE_ASKS.test(text));
  if (file !== "" && file !== ":memory:" && !asks) touches.push({ effect: "write", path: file });
  return touches;
}

/** `python -m venv DIR` and other modules that write where they are told. */
export function interpreted(command: Invocation): Touch[] {
  const { args } = command;
  const at = args.findIndex((arg) => /^-m$/.test(arg));
  const makes = at >= 0 &&
    /^(?:venv|virtualenv|zipfile|tarfile|compileall|pydoc|cProfile|trace|zipapp)$/.test(
      args[at + 1] ?? "",
    );
  const words = makes ? args.slice(at + 2).filter((word) => !word.startsWith("-")) : [];
  return [...mentioned(command, args), ...allBelow("write", words)];
}

/** Files that git writes or takes a message from, by option. */
export function gitOptionFiles(name: string, args: readonly string[]): Touch[] {
  const value = (...names: string[]) => optionValues(args, names);
  const touches = all("write", value("output", "output-directory"));
  if (/^(?:archive|format-patch|diff|log|show)$/.test(name)) {
    touches.push(...all("write", value("o")));
  }
  if (/^(?:commit|tag|notes|merge)$/.test(name)) {
    touches.push(...all("read", value("F", "file", "t", "template")));
  }
  if (name === "config") {
    const asks = args.some((arg) => /^(?:--get.*|-l|--list|get|list)$/.test(arg));
    touches.push(...all(asks ? "look" : "write", value("f", "file")));
  }
  if (name === "bundle" && args[0] === "create") {
    touches.push(...all("write", args.slice(1).filter((arg) => !arg.startsWith("-")).slice(0, 1)));
  }
  if (name === "grep") {
    touches.push(...all("read", parseOptions(args, { values: "efmABC" }).operands.slice(1)));
  }
  return touches;
}
