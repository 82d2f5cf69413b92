/**
 * Completion scripts for bash, zsh and fish, made from the command table. Pure: data in,
 * text out. The scripts carry every name themselves, so that a Tab starts no process.
 */
import type { CommandSpec, FlagSpec } from "./command.ts";

export type Shell = "bash" | "zsh" | "fish";

interface Place {
  /** The command path typed so far, joined by spaces; empty at the top. */
  path: string;
  subcommands: readonly CommandSpec[];
  flags: readonly FlagSpec[];
}

/** The table as completion sees it. */
export interface CompletionTable {
  commands: readonly CommandSpec[];
  globals: readonly FlagSpec[];
}

/** The script that a person sources. */
export function renderCompletion(shell: Shell, { commands, globals }: CompletionTable): string {
  const helped = commands.map((spec) => spec.name === "help" ? withTopics(spec, commands) : spec);
  const top = { name: "", summary: "", subcommands: helped, flags: [] };
  const places = [...walk(top, "", globals)];
  switch (shell) {
    case "bash":
      return renderBash(places);
    case "zsh":
      return renderZsh(places);
    case "fish":
      return renderFish(places);
  }
}

/** `hermes help` takes the names of commands, and of theirs. */
function withTopics(help: CommandSpec, commands: readonly CommandSpec[]): CommandSpec {
  const bare = ({ name, summary, hidden, subcommands }: CommandSpec): CommandSpec => ({
    name,
    summary,
    ...(hidden === undefined ? {} : { hidden }),
    ...(subcommands === undefined ? {} : { subcommands: subcommands.map(bare) }),
  });
  return { ...help, subcommands: commands.filter((spec) => spec !== help).map(bare) };
}

function* walk(spec: CommandSpec, path: string, globals: readonly FlagSpec[]): Generator<Place> {
  const subcommands = (spec.subcommands ?? []).filter((sub) => !sub.hidden);
  const flags = [...spec.flags ?? [], ...globals].filter((flag) => !flag.hidden);
  yield { path, subcommands, flags };
  for (const sub of subcommands) {
    yield* walk(sub, path === "" ? sub.name : `${path} ${sub.name}`, globals);
  }
}

/** Walks the words typed so far down the table, skipping flags and their values. */
function shellWalker(places: readonly Place[]): string {
  const paths = places.filter((place) => place.path !== "").map((place) => `"${place.path}"`);
  return `  local at="" word next skip=0
  for word in "\${words_before[@]}"; do
    if (( skip )); then skip=0; continue; fi
    case "$word" in
      ${valueFlags(places)}) skip=1; continue ;;
      -*) continue ;;
    esac
    next="\${at:+$at }$word"
    case "$next" in
      ${paths.join("|")}) at="$next" ;;
      *) break ;;
    esac
  done`;
}

/** Every flag that takes a value, as a shell pattern. */
function valueFlags(places: readonly Place[]): string {
  const flags = places.flatMap((place) => place.flags).filter((flag) => flag.type !== "boolean");
  return [...new Set(flags.flatMap(spellings))].join("|");
}

function renderBash(places: readonly Place[]): string {
  return `# bash completion for hermes: source <(hermes completion bash)
_hermes() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local words_before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${shellWalker(places)}
  COMPREPLY=()
  case "$at:$previous" in
${choiceCases(places, (words) => `COMPREPLY=($(compgen -W "${words}" -- "$current")); return`)}
    ${anyPlace(places)}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  local commands="" flags=""
  case "$at" in
${
    places.map((place) =>
      `    "${place.path}") commands="${names(place.subcommands)}" flags="${
        place.flags.flatMap(spellings).join(" ")
      }" ;;`
    ).join("\n")
  }
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _hermes hermes
`;
}

function renderZsh(places: readonly Place[]): string {
  return `#compdef hermes
# zsh completion for hermes: source <(hermes completion zsh)
_hermes() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}"
  local -a words_before=("\${(@)words[2,CURRENT-1]}")
${shellWalker(places)}
  case "$at:$previous" in
${choiceCases(places, (words) => `compadd -- ${words}; return`)}
    ${anyPlace(places)}) _files; return ;;
  esac
  local -a commands flags
  case "$at" in
${
    places.map((place) =>
      `    "${place.path}")
      commands=(${place.subcommands.map((sub) => zshItem(sub.name, sub.summary)).join(" ")})
      flags=(${
        place.flags.flatMap((flag) => spellings(flag).map((name) => zshItem(name, flag.help)))
          .join(" ")
      }) ;;`
    ).join("\n")
  }
  esac
  if [[ $current == -* ]]; then
    _describe flag flags
  elif (( \${#commands} )); then
    _describe command commands
  else
    _files
  fi
}
if [[ "\${zsh_eval_context[-1]}" == loadautofunc ]]; then _hermes "$@"; else compdef _hermes hermes; fi
`;
}

function zshItem(name: string, help: string): string {
  return `'${name.replaceAll(":", "\\:")}:${quoteText(help).replaceAll(":", "\\:")}'`;
}

function renderFish(places: readonly Place[]): string {
  const lines = [
    "# fish completion for hermes: hermes completion fish | source",
    "function __hermes_at",
    "  set -l at",
    "  set -l skip no",
    "  for word in (commandline -opc)[2..-1]",
    "    if test $skip = yes; set skip no; continue; end",
    `    if contains -- $word ${
      valueFlags(places).replaceAll("|", " ")
    }; set skip yes; continue; end`,
    "    string match -q -- '-*' $word; and continue",
    `    contains -- "$at $word" ${
      places.filter((place) => place.path !== "").map((place) => `" ${place.path}"`).join(" ")
    }; or break`,
    `    set at "$at $word"`,
    "  end",
    `  test "$at" = "$argv[1]"`,
    "end",
  ];
  for (const place of places) {
    const at = place.path === "" ? "" : ` ${place.path}`;
    const here = `complete -c hermes -n '__hermes_at "${at}"'`;
    for (const sub of place.subcommands) {
      lines.push(`${here} -f -a ${sub.name} -d '${quoteText(sub.summary)}'`);
    }
    for (const flag of place.flags) {
      const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
      const value = flag.type === "boolean"
        ? ""
        : flag.choices === undefined
        ? " -r"
        : ` -x -a '${choiceWords(flag)}'`;
      lines.push(`${here} -l ${flag.name}${short}${value} -d '${quoteText(flag.help)}'`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** One case per flag with choices: what may follow it. */
function choiceCases(places: readonly Place[], render: (words: string) => string): string {
  return places.flatMap((place) =>
    place.flags.filter((flag) => flag.choices !== undefined).map((flag) => {
      const patterns = spellings(flag).map((name) => `"${place.path}:${name}"`);
      return `    ${patterns.join("|")}) ${render(choiceWords(flag))} ;;`;
    })
  ).join("\n");
}

function anyPlace(places: readonly Place[]): string {
  return valueFlags(places).split("|").map((name) => `*:${name}`).join("|");
}

function spellings(flag: FlagSpec): string[] {
  const long = `--${flag.name}`;
  return flag.short === undefined ? [long] : [long, `-${flag.short}`];
}

function names(commands: readonly CommandSpec[]): string {
  return commands.map((command) => command.name).join(" ");
}

function choiceWords(flag: FlagSpec): string {
  return (flag.choices ?? []).filter((choice) => choice !== "").join(" ");
}

/** Inside single quotes of any of the three shells. */
function quoteText(text: string): string {
  return text.replaceAll("'", "’");
}
