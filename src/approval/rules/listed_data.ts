/** Changes to files that another command lists, and links that lead into protected places. */
import { copiedFrom } from "./effects_trees.ts";
import { touchesOf } from "./effects.ts";
import { dirname } from "../../util/path.ts";
import { type Invocation, parseOptions } from "../shell/invocation.ts";
import { protectedBelow, protectedThrough } from "./protected_below.ts";
import { protectionAt } from "./protection.ts";
import { editedInPlace, given, type Rule } from "./rule.ts";

/** Programs that run another one on the names they are given. */
const RUNNERS = /^(?:xargs|parallel|find|fd|fdfind)$/;
const WRITERS =
  /^(?:rm|unlink|shred|truncate|tee|mv|cp|dd|ln|install|sponge|gzip|bzip2|xz|zstd|chmod|chown|chgrp|touch|ed|ex|vim|patch|rename|prename)$/;
const EDITORS = /^(?:g?sed|perl|ruby)$/;
const CHANGES = new Set(["write", "append", "delete", "mode"]);

/** Whether a command changes files whose names come from elsewhere. */
function changesListed(command: Invocation): boolean {
  const { program, via, args } = command;
  if (via.some((name) => RUNNERS.test(name))) {
    if (WRITERS.test(program)) return true;
    if (EDITORS.test(program) && (editedInPlace(command).length > 0 || edits(args))) return true;
  }
  return touchesOf(command).some(({ effect, path }) =>
    CHANGES.has(effect) && (path[0] === "\0" || path.includes("{}"))
  );
}

/** `sed -i s/a/b/` before xargs has added a name. */
function edits(args: readonly string[]): boolean {
  return args.some((arg) => /^-[a-zA-Z]{0,8}i|^--in-place/.test(arg));
}

/** Where a program that prints names of files looks; empty for others. */
function listedRoots({ program, args }: Invocation): string[] {
  switch (program) {
    case "find": {
      const end = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPD]$/.test(arg));
      return orHere(args.slice(0, end < 0 ? undefined : end).filter((arg) => arg[0] !== "-"));
    }
    case "locate":
    case "plocate":
      return ["/"];
    case "fd":
    case "fdfind":
    case "rg":
    case "ag":
    case "ack":
      return orHere(parseOptions(args, { values: "etEdxXgm" }).operands.slice(1));
    case "grep":
    case "egrep":
    case "fgrep":
      return parseOptions(args, { values: "efmABC" }).operands.slice(1);
    case "ls":
    case "tree":
    case "du":
    case "dir":
      return orHere(parseOptions(args, { values: "LPI" }).operands);
    default:
      return [];
  }
}

function orHere(roots: string[]): string[] {
  return roots.length > 0 ? roots : ["."];
}

function reachesTrusted(path: string, command: Invocation): boolean {
  const { place } = command;
  const verdicts = [protectionAt, protectedBelow, protectedThrough].map((ask) => ask(path, place));
  return verdicts.map((verdict) => verdict?.kind).some((kind) =>
    kind === "trusted base" || kind === "credentials"
  );
}

function changesFound(command: Invocation, all: readonly Invocation[]): boolean {
  if (!changesListed(command)) return false;
  return all.some((other) =>
    other !== command && listedRoots(other).some((root) => reachesTrusted(root, other))
  );
}

/** A link or a hard link to a protected place, or to a directory that holds one. */
function linksIntoTrusted(command: Invocation): boolean {
  const makes = command.program !== "cp" ||
    given(command, "s", "l", "symbolic-link", "link");
  return makes && linkTargets(command).some((path) => reachesTrusted(path, command));
}

/** What links are made to; a symbolic one is read from the directory it lies in. */
function linkTargets(command: Invocation): string[] {
  const { sources, target } = copiedFrom(command);
  const isSymbolic = given(command, "s", "symbolic", "symbolic-link");
  const isDirectory = target !== undefined && (sources.length > 1 || target.endsWith("/"));
  const from = target === undefined ? "." : isDirectory ? target : dirname(target);
  return sources.flatMap((path) =>
    isSymbolic && !/^[/~\0]/.test(path) ? [`${from}/${path}`, `${target ?? "."}/${path}`] : [path]
  );
}

export const LISTED_RULES: readonly Rule[] = [
  {
    key: "change what a search finds",
    kind: "dangerous",
    description:
      "changes every file that a search finds in a place that holds keys or what hermes trusts",
    once: true,
    everyTime: true,
    test: changesFound,
    match: [
      "find ~ -name config.yaml -exec sed -i s/a/b/ {} +",
      "find ~ -name config.yaml | xargs sed -i s/a/b/",
      'find ~ -name c.yaml | while read f; do sed -i s/a/b/ "$f"; done',
      "sed -i s/a/b/ $(grep -rl never ~)",
      'for f in $(find ~ -name x); do rm "$f"; done',
      "ls -d ~/.*/x | xargs rm",
      "find ~ -name x -execdir env sed -i s/a/b/ {} ';'",
    ],
    noMatch: [
      "find . -name '*.ts' -exec sed -i s/a/b/ {} +",
      "find src -name x | xargs sed -i s/a/b/",
      "grep -rl never src | xargs sed -i s/a/b/",
      "find ~ -name config.yaml | xargs ls -l",
      "find ~ -name x | head",
    ],
  },
  {
    key: "link into a protected place",
    kind: "dangerous",
    description:
      "makes another name for keys, for what hermes trusts, or for a place that holds them",
    programs: ["ln", "gln", "link", "cp", "gcp"],
    once: true,
    everyTime: true,
    test: linksIntoTrusted,
    match: [
      "ln -s ~/.hermes hh",
      "ln ~/.hermes/config.yaml c.yaml",
      "ln -s ~ up",
      "cp -s ~/.hermes/config.yaml c.yaml",
      "ln -s / root",
      "ln -st . ~/.ssh",
    ],
    noMatch: [
      "ln -s ~/project/lib lib",
      "ln -s ../dist/app.js bin/app",
      "cp -r ~/.hermes/skills .",
      "ln -sf v2 current",
    ],
  },
];
