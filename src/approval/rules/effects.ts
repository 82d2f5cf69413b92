/**
 * What one program run does to the paths it names: read, written, deleted, or only looked at.
 * Judges by the arguments alone; which of these paths matter is the rules' business.
 */
import { archived, listedArchive, unpacked, zipped } from "./effects_archives.ts";
import { EFFECTS, GIT_LOOKS, GIT_READS, OPTION_WRITES } from "./effects_data.ts";
import { byRow, ordinary, outputsOf } from "./effects_rows.ts";
import { copiedBelow, gitBelow, patchedBelow } from "./effects_trees.ts";
import { all, allBelow, isSecretPlace, mentioned, pathsIn, type Touch } from "../shell/mentions.ts";
import {
  hasFlag,
  inputText,
  type Invocation,
  parseLeading,
  parseOptions,
  type RedirectUse,
} from "../shell/invocation.ts";
import { optionValues } from "../shell/executors.ts";
import { modeTargets } from "../modes.ts";
import { destinations, editedInPlace } from "./rule.ts";
import { sedUse } from "../shell/sed_code.ts";
import { subcommand } from "../shell/unwrap.ts";
import { awked, gitOptionFiles, interpreted, queried } from "./effects_text.ts";
import { basename } from "../../util/path.ts";

const known = new WeakMap<Invocation, readonly Touch[]>();

/** Every path a command names, with what happens there. */
export function touchesOf(command: Invocation): readonly Touch[] {
  let touches = known.get(command);
  if (touches === undefined) {
    touches = [...redirected(command), ...named(command)];
    known.set(command, touches);
  }
  return touches;
}

/** The paths a command deletes, moves away or empties the place of. */
export function deletedBy(command: Invocation): string[] {
  return touchesOf(command).filter(({ effect }) => effect === "delete").map(({ path }) => path);
}

/** The paths a command writes, anew or at the end. */
export function writtenBy(command: Invocation): string[] {
  return touchesOf(command).filter(({ effect }) => effect === "write" || effect === "append")
    .map(({ path }) => path);
}

/** Programs that are told on their input which files to take. */
const READS_NAMES = /^(?:cpio|pax|sftp|ftp|lftp|xargs|parallel|tar|gtar|rsync|zip)$/;

function redirected(command: Invocation): Touch[] {
  const { redirects, program } = command;
  const names = READS_NAMES.test(program) ? inputText(command) : undefined;
  const told = names === undefined ? [] : all("read", pathsIn(names, { readsText: true }));
  // `GIT_TRACE=/x`, `LESSHISTFILE=/x`: a program writes what it does there.
  const traced = [...command.env].filter(([name]) => /TRACE|LOG|HISTFILE|OUTPUT/.test(name));
  const kept = /^(?:export|declare|typeset)$/.test(program) ? command.args : [];
  return [
    ...told,
    ...all("write", traced.map(([, value]) => value)),
    ...all("write", kept.flatMap((arg) => /^GIT_TRACE\w*=(.+)/s.exec(arg)?.[1] ?? [])),
    ...redirects.flatMap(redirectedTo),
    ...WRITES_HERE.test(program) && isSecretPlace(command.place) ? all("write", [SOME_FILE]) : [],
  ];
}

/** Programs that leave files in the directory they run in, whatever their arguments; one of them. */
const WRITES_HERE =
  /^(?:ctest|cmake|make|ninja|meson|cargo|npm|pnpm|yarn|bun|mvn|gradle|pytest|tox|nox|jest|vitest|bundle|composer|bazel)$/;

const SOME_FILE = "left-by-a-build.log";

function redirectedTo({ op, target }: RedirectUse): Touch[] {
  if (op === "<") return all("read", [target]);
  if (op === ">>" || op === "&>>") return all("append", [target]);
  if (op === ">&" && /^(?:\d+-?|-)$/.test(target)) return [];
  return /^(?:>|>\||&>|<>|>&)$/.test(op) ? all("write", [target]) : [];
}

type Reader = (command: Invocation) => Touch[];

/** Programs whose grammar is their own. */
const SPECIAL: ReadonlyMap<string, Reader> = new Map(Object.entries<Reader>({
  cp: copied,
  curl: fetched,
  wget: fetched,
  aria2c: fetched,
  ditto: copied,
  install: copied,
  ln: linked,
  link: copied,
  mv: moved,
  rsync: synced,
  scp: copied,
  tee: teed,
  dd: dumped,
  chmod: modeChanged,
  sed: edited,
  gsed: edited,
  perl: edited,
  ruby: edited,
  python: interpreted,
  python3: interpreted,
  awk: awked,
  mawk: awked,
  nawk: awked,
  gawk: awked,
  ar: (command) => [...mentioned(command, command.args), ...all("write", listedArchive(command))],
  jar: archived,
  ffmpeg: (
    command,
  ) => [...mentioned(command, command.args), ...all("write", command.args.slice(-1))],
  yq: (command) => [...ordinary(command), ...all("write", editedInPlace(command).slice(1))],
  tar: archived,
  gtar: archived,
  bsdtar: archived,
  unzip: unpacked,
  cpio: unpacked,
  pax: unpacked,
  patch: (command) => [...byRow(command, EFFECTS.get("patch")!), ...patchedBelow(command)],
  zip: zipped,
  "7z": zipped,
  "7za": zipped,
  find: found,
  git: versioned,
  docker: contained,
  podman: contained,
  nerdctl: contained,
  sqlite3: queried,
  openssl: converted,
  gpg: converted,
  iconv: converted,
  time: timed,
  gtime: timed,
}));

function named(command: Invocation): Touch[] {
  const { program, args } = command;
  if (args.length === 0) return [];
  const special = SPECIAL.get(program);
  const row = EFFECTS.get(program);
  const touches = special !== undefined
    ? special(command)
    : row === undefined
    ? ordinary(command)
    : byRow(command, row);
  const options = OPTION_WRITES.get(program);
  return options === undefined
    ? touches
    : [...touches, ...all("write", [...optionValues(args, options), ...attached(args, options)])];
}

/** `-MFfile`: a word with one dash and what is attached to it. */
function attached(args: readonly string[], options: readonly string[]): string[] {
  return options.filter((name) => /^-\w\w/.test(name)).flatMap((name) =>
    args.filter((arg) => arg.startsWith(name) && arg !== name).map((arg) => arg.slice(name.length))
  );
}

function copied(command: Invocation): Touch[] {
  return [
    ...mentioned(command, command.args),
    ...all("write", destinations(command)),
    ...copiedBelow(command),
  ];
}

/** Downloads also go where the address's last name says. */
function fetched(command: Invocation): Touch[] {
  const { program, args } = command;
  const row = EFFECTS.get(program)!;
  const { values, operands, flags } = parseOptions(args, row);
  const option = (...names: string[]) => names.flatMap((name) => values.get(name) ?? []).at(-1);
  const into = option("output-dir", "P", "directory-prefix", "d", "dir") ?? ".";
  const named = option("o", "out", "O", "output-document");
  const keepsName = program !== "curl" || flags.has("O") || flags.has("--remote-name");
  const names = program === "aria2c" && named !== undefined
    ? [named]
    : keepsName
    ? operands.map((url) => basename(url.replace(/[?#].*$/s, "")))
    : [];
  const isOpen = program === "wget"
    ? hasFlag({ flags, values, operands }, "r", "m", "i", "x", "recursive", "mirror", "input-file")
    : flags.has("J") || flags.has("--remote-header-name");
  // `wget A B -o`: an option without its value takes the first operand, as wget sees them.
  const isOpenEnd = program === "wget" && /^-[a-zA-Z]*[aoOP]$|^--/.test(args.at(-1) ?? "");
  return [
    ...byRow(command, row),
    ...isOpenEnd ? all("write", operands) : [],
    ...all("write", names.map((name) => `${into}/${name}`)),
    ...isOpen ? allBelow("write", [into]) : [],
  ];
}

/** `ln TARGET` makes its link in the directory it runs in. */
function linked(command: Invocation): Touch[] {
  return copied(command);
}

function moved(command: Invocation): Touch[] {
  const { operands, values } = parseOptions(command.args, { values: "tS" });
  const sources = values.has("t") ? operands : operands.slice(0, -1);
  return [...copied(command), ...allBelow("delete", sources)];
}

function synced(command: Invocation): Touch[] {
  const removes = command.args.some((arg) => arg === "--remove-source-files");
  const { operands } = parseOptions(command.args, { values: "efBMT", longValues: ["rsh"] });
  const touches = removes ? all("delete", operands.slice(0, -1)) : [];
  return [...touches, ...copied(command)];
}

function teed({ args }: Invocation): Touch[] {
  const options = parseOptions(args);
  return all(hasFlag(options, "a", "append") ? "append" : "write", options.operands);
}

function dumped(command: Invocation): Touch[] {
  const writes = command.args.flatMap((arg) => /^of=(.+)$/s.exec(arg)?.[1] ?? []);
  return [...mentioned(command, command.args), ...all("write", writes)];
}

function modeChanged(command: Invocation): Touch[] {
  const paths = modeTargets(command);
  return command.args.some((arg) => /^-[a-z]*R|^--rec/.test(arg))
    ? allBelow("mode", paths)
    : all("mode", paths);
}

function edited(command: Invocation): Touch[] {
  const { program, args } = command;
  const writes = all("write", editedInPlace(command));
  if (program !== "sed" && program !== "gsed") return [...writes, ...mentioned(command, args)];
  const options = parseOptions(args, {
    values: "efl",
    longValues: ["expression", "file", "line-length"],
  });
  const scripted = hasFlag(options, "e", "f", "expression", "file");
  const files = scripted ? options.operands : options.operands.slice(1);
  const scripts = [
    ...options.values.get("e") ?? [],
    ...options.values.get("expression") ?? [],
    ...scripted ? [] : options.operands.slice(0, 1),
  ];
  const use = sedUse(scripts.join("\n"));
  return [...writes, ...all("read", [...files, ...use.reads]), ...all("write", use.writes)];
}

/** `find` deletes below its starting points, and writes its lists. */
function found({ args }: Invocation): Touch[] {
  const end = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPD]$/.test(arg));
  const roots = args.slice(0, end < 0 ? undefined : end);
  const lists = args.filter((_, i) => /^-(?:fprintf?0?|fls)$/.test(args[i - 1] ?? ""));
  const touches = [
    ...all("write", lists),
    ...args.includes("-delete") ? allBelow("delete", roots) : [],
  ];
  const run = args[args.findIndex((arg) => /^-(?:exec|execdir|ok|okdir)$/.test(arg)) + 1];
  if (run === undefined || run === args[0] || FIND_LOOKS.test(run)) return touches;
  return [...touches, ...all(FIND_WRITES.test(run) ? "write" : "read", roots)];
}

/** What `find -exec` runs to show names only, and what changes the files it found. */
const FIND_LOOKS =
  /(?:^|\/)(?:ls|stat|echo|printf|file|basename|dirname|test|du|chmod|chown|realpath)$/;
const FIND_WRITES =
  /(?:^|\/)(?:rm|truncate|shred|unlink|sed|perl|mv|cp|tee|dd|ln|sh|bash|gzip|install|sponge)$/;

function versioned(command: Invocation): Touch[] {
  const { name, args, globals } = subcommand(command.args, "git");
  const where = ["C", "git-dir", "work-tree"].flatMap((key) => globals.values.get(key) ?? []);
  const touches: Touch[] = gitBelow(name, { args, where });
  if (!GIT_LOOKS.has(name)) {
    touches.push(...all("create", where.length > 0 ? where : ["."]));
  }
  touches.push(...gitOptionFiles(name, args));
  if (GIT_READS.has(name)) touches.push(...mentioned(command, args));
  // With a patch, a log shows contents; after `--` a search names files.
  const shows = name === "grep" || args.some((arg) => /^(?:-p|-u|--patch|-L.*)$/.test(arg));
  if (shows && args.includes("--")) {
    touches.push(...mentioned(command, args.slice(args.indexOf("--") + 1)));
  }
  const from = globals.values.get("C")?.at(-1);
  const operands = parseOptions(args, { values: "bcoujF" }).operands
    .map((path) => from === undefined || /^[/~]/.test(path) ? path : `${from}/${path}`);
  if (name === "clone") touches.push(...all("write", operands.slice(1, 2)));
  if (name === "init") touches.push(...all("create", operands));
  if (name === "checkout" || name === "restore" || name === "mv") {
    touches.push(...all("write", operands));
  }
  if (name === "rm" && !args.includes("--cached")) touches.push(...all("delete", operands));
  return touches;
}

/** `docker cp` writes here; volumes and files of variables are read. */
function contained(command: Invocation): Touch[] {
  const { name, args } = subcommand(command.args, "docker");
  if (name === "cp" || (name === "container" && args[0] === "cp")) {
    const { operands } = parseOptions(args);
    const target = operands.at(-1) ?? "";
    return [...mentioned(command, args), ...target.includes(":") ? [] : all("write", [target])];
  }
  const isExec = name === "exec" || name === "compose";
  return isExec && !command.args.some((arg) => /^(?:-v|--volume|--mount)/.test(arg))
    ? mentioned(
      command,
      command.args.filter((arg, i) => isPathOption(command.args, i) && arg !== ""),
    )
    : mentioned(command, command.args);
}

/** Compose reads its files; a command inside a container reads the container's. */
function isPathOption(args: readonly string[], i: number): boolean {
  return /^(?:-f|--file)$/.test(args[i - 1] ?? "");
}

/** `time -oFILE COMMAND` writes its own report. */
function timed(command: Invocation): Touch[] {
  const { values } = parseLeading(command.args, { values: "fo", longValues: ["format", "output"] });
  const files = ["o", "output"].flatMap((name) => values.get(name) ?? []);
  return [...ordinary(command), ...all("write", files)];
}

/** `openssl req -keyout FILE`: its long options have one dash. */
const OPENSSL_OUTPUTS = /^--?(?:\w*out|outdir|writerand|keylogfile|CAserial)$/;

function converted(command: Invocation): Touch[] {
  const { program, args } = command;
  if (program !== "openssl") {
    return [...mentioned(command, args), ...all("write", outputsOf(args))];
  }
  const files = args.flatMap((arg, i) => {
    const cut = arg.indexOf("=");
    if (cut > 0) return OPENSSL_OUTPUTS.test(arg.slice(0, cut)) ? [arg.slice(cut + 1)] : [];
    return i > 0 && OPENSSL_OUTPUTS.test(args[i - 1]!) ? [arg] : [];
  });
  return [...mentioned(command, args), ...all("write", files)];
}
