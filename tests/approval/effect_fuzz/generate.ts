/**
 * Makes commands for the effect fuzzer from a seed: a dangerous text whose words are disguised,
 * inside constructs that execute it, spliced with everyday work, and sometimes damaged at random.
 * Knows nothing of the rules and executes nothing.
 */
import { shellQuote } from "../../../src/util/shell_quote.ts";
import { disguise, embed, type Random, rewriteWords, wrapCommand } from "../mutate.ts";
import { GAPS, PIECES } from "./constructs_data.ts";
import { PROTECTED_FILES, SECRET_FILES } from "./file_uses_data.ts";
import { HERMES_HOME, HOME, WORKSPACE } from "./protocol.ts";
import { SESSIONS } from "./sessions_data.ts";

/** A command and the directory it starts in. */
export interface Case {
  /** Ran before it in the same session, judged alone. */
  before?: string;
  command: string;
  cwd: string;
}

/** Between the two commands of a session. */
const THEN = " ⇒ ";

/** `[/directory] before ⇒ command`, "⏎" for a line break; directory and first command are optional. */
export function parseCase(line: string): Case {
  const [, cwd = WORKSPACE, text = ""] = /^(?:\[(\/[^\]]*)\] )?(.*)$/s.exec(line)!;
  const [command = "", before] = text.replaceAll("⏎", "\n").split(THEN).reverse();
  return before === undefined ? { command, cwd } : { before, command, cwd };
}

/** The line of a case, as `parseCase()` reads it. */
export function formatCase({ before, command, cwd }: Case): string {
  const text = before === undefined ? command : `${before}${THEN}${command}`;
  return `${cwd === WORKSPACE ? "" : `[${cwd}] `}${text.replaceAll("\n", "⏎")}`;
}

/** What commands are made of; see `constructs_data.ts`. */
export interface Grammar {
  /** Simple commands that need a decision. */
  payloads: readonly string[];
  /** Texts with shell syntax that need a decision. */
  scripts: readonly string[];
  /** Lines of the dangerous corpora. */
  dangerous: readonly string[];
  everyday: readonly string[];
  /** Templates of programs that use a file; see `file_uses_data.ts`. */
  readers: readonly string[];
  writers: readonly string[];
  executors: readonly string[];
  programForms: readonly string[];
  pathForms: readonly (readonly [RegExp, string])[];
}

/** One case of a single piece of the grammar; `piece` says which, to leave it out later. */
export interface SingleCase extends Case {
  piece: string;
}

const DIRECTORIES: readonly string[] = [
  HOME,
  "/",
  "/etc",
  "/opt",
  `${HOME}/.ssh`,
  HERMES_HOME,
  `${HOME}/Documents`,
  `${WORKSPACE}/src`,
  `${WORKSPACE}/.git`,
  "/tmp",
  "/var/log",
];
/** Harmless in the workspace, not elsewhere. */
const RELATIVE: readonly string[] = [
  "rm -rf *",
  "rm *",
  "rm -rf .",
  "rm -rf ./*",
  "cat *",
  "cat id_rsa",
  "cat .env",
  "head -5 ./*",
  "> config.yaml",
  "echo x > config.yaml",
  "echo x >> .bashrc",
  "cp hosts passwd",
  "mv app x",
  "truncate -s0 *",
  "sed -i s/a/b/ *",
  "grep -r . .",
  "find . -type f -exec cat {} +",
  "rm passwd",
  "touch hooks/pre-commit",
  "tar cf /tmp/a.tar .",
];
const MAX_LENGTH = 4_000;

/** Puts `text` into a template of `constructs_data.ts`. */
export function fillTemplate(template: string, text: string): string {
  // By the text alone, so that a command is the same whatever was generated before it.
  const number = `${(template.length + text.length) % 100}`;
  const forms: Record<string, () => string> = {
    T: () => text,
    Q: () => shellQuote(text),
    D: () => `"${text.replace(/["$`\\]/g, "\\$&")}"`,
    B: () => btoa(unescape(encodeURIComponent(text))),
    H: () =>
      [...text].map((char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join(""),
    R: () => [...text].reverse().join(""),
    N: () => number,
    P: () => text,
  };
  return template.replace(/\{([TQDBHRNP])\}/g, (_, name: string) => forms[name]!());
}

/** Known to need a decision by itself, so that a construct around it is all that is tested. */
const PROBE = "rm -rf /opt/app";

/**
 * Each piece of the grammar alone.
 * @param options.leaking filled by the caller: texts in it are not tried with other paths.
 * @param options.quick fewer: no corpora, a quarter of the texts with other paths, one file for
 *   each template of `file_uses_data.ts`.
 */
export function* singleCases(
  grammar: Grammar,
  options: { leaking: ReadonlySet<string>; quick?: boolean | undefined },
): Generator<SingleCase> {
  const { leaking, quick = false } = options;
  const cwd = WORKSPACE;
  const texts = [...grammar.payloads, ...grammar.scripts];
  for (const piece of quick ? texts : [...texts, ...grammar.dangerous]) {
    yield { command: piece.replaceAll("https://", "http://"), cwd, piece };
  }
  for (const piece of grammar.executors) yield { command: fillTemplate(piece, PROBE), cwd, piece };
  for (const piece of grammar.programForms) {
    yield { command: `${fillTemplate(piece, "rm")} -rf /opt/app`, cwd, piece };
  }
  for (const [at, [pattern, piece]] of grammar.pathForms.entries()) {
    for (const [i, text] of texts.entries()) {
      if (quick && (i + at) % 4 !== 0) continue;
      if (pattern.test(text) && !leaking.has(text)) {
        yield { command: text.replace(pattern, piece), cwd, piece };
      }
    }
  }
  yield* fileCases(grammar.readers, { files: SECRET_FILES, quick });
  yield* fileCases(grammar.writers, { files: PROTECTED_FILES, quick });
  for (const [before, command] of SESSIONS) {
    yield { before, command, cwd, piece: `${before}${THEN}${command}` };
  }
  for (const command of RELATIVE) {
    for (const cwd of DIRECTORIES) yield { command, cwd, piece: `${command} in ${cwd}` };
  }
}

/** Each template with each file, or with one of them in turn. */
function* fileCases(
  templates: readonly string[],
  { files, quick }: { files: readonly string[]; quick: boolean },
): Generator<SingleCase> {
  for (const [i, piece] of templates.entries()) {
    for (const file of quick ? [files[i % files.length]!] : files) {
      yield { command: piece.replaceAll("{F}", file), cwd: WORKSPACE, piece };
    }
  }
}

/** The grammar without the pieces that are known to leak. */
export function pruneGrammar(grammar: Grammar, leaking: ReadonlySet<string>): Grammar {
  const keep = (pieces: readonly string[]) => pieces.filter((piece) => !leaking.has(piece));
  return {
    payloads: keep(grammar.payloads),
    scripts: keep(grammar.scripts),
    dangerous: keep(grammar.dangerous),
    everyday: grammar.everyday,
    readers: keep(grammar.readers),
    writers: keep(grammar.writers),
    executors: keep(grammar.executors),
    programForms: keep(grammar.programForms),
    pathForms: grammar.pathForms.filter(([, piece]) => !leaking.has(piece)),
  };
}

/** The next command of the stream that `random` determines. */
export function generateCase(random: Random, grammar: Grammar): Case {
  let text = disguiseWords(pickText(random, grammar), random, grammar);
  for (let depth = [0, 1, 1, 1, 1, 2, 2, 3][random.below(8)]!; depth > 0; depth--) {
    text = random.chance(0.85)
      ? fillTemplate(random.pick(grammar.executors), text)
      : random.chance(0.5)
      ? embed(text, random)
      : wrapCommand(text, random);
  }
  if (random.chance(0.12)) text = splice(text, random.pick(grammar.everyday), random);
  if (random.chance(0.18)) text = damage(text, random);
  if (random.chance(0.02)) text = disguise(text, random);
  const cwd = random.chance(0.08) ? random.pick(DIRECTORIES) : WORKSPACE;
  return { command: text.replaceAll("https://", "http://").slice(0, MAX_LENGTH), cwd };
}

function pickText(random: Random, grammar: Grammar): string {
  const which = random.next();
  if (which < 0.35) return random.pick(grammar.payloads);
  if (which < 0.47) return useFile(grammar.readers, SECRET_FILES, random);
  if (which < 0.6) return useFile(grammar.writers, PROTECTED_FILES, random);
  if (which < 0.78) return random.pick(grammar.scripts);
  return random.pick(which < 0.95 ? grammar.dangerous : grammar.everyday);
}

function useFile(templates: readonly string[], files: readonly string[], random: Random): string {
  const file = random.pick(files);
  const name = random.chance(0.5)
    ? file
    : file.replace(`${WORKSPACE}/`, "").replace(`${HOME}/`, "~/");
  return random.pick(templates).replaceAll("{F}", name);
}

/** The same options in another shape: attached values, abbreviations, other order. */
export function reshapeOptions(text: string, random: Random): string {
  switch (random.below(7)) {
    case 0:
      return text.replace(/ (-[A-Za-z]) (?=[^-\s])/, " $1");
    case 1:
      return text.replace(/ (--[a-z-]+)=/, " $1 ");
    case 2:
      return text.replace(/ (--[a-z-]+) (?=[^-\s])/, " $1=");
    case 3:
      return text.replace(/ (--[a-z-]{3,}?)[a-z]{1,3}(?=[= ])/, " $1");
    case 4:
      return text.replace(/ (-[A-Za-z]+) -([A-Za-z]+)(?= )/, " $1$2");
    case 5:
      return text.replace(/^(\S+) (-\S+) (.*)$/, "$1 $3 $2");
    default:
      return text.replace(/^(\S+ (?:-\S+ )*)(?=[^-\s])/, "$1-- ");
  }
}

/** The same effect from other spellings of the program, the paths and the gaps. */
function disguiseWords(text: string, random: Random, grammar: Grammar): string {
  let result = text;
  if (random.chance(0.35)) {
    const [pattern, form] = random.pick(grammar.pathForms);
    result = result.replace(pattern, form);
  }
  if (random.chance(0.2)) result = reshapeOptions(result, random);
  const isSimple = !/[;\n&|<>(){}'"$]/.test(text);
  if (isSimple && random.chance(0.12)) return rewriteWords(result.split(" "), random);
  if (random.chance(0.1)) result = result.replace(" ", random.pick(GAPS));
  if (random.chance(0.35)) {
    const [program = "", ...rest] = result.split(" ");
    result = [fillTemplate(random.pick(grammar.programForms), program), ...rest].join(" ");
  }
  return result;
}

/** Puts the text beside or into an everyday command. */
function splice(text: string, everyday: string, random: Random): string {
  switch (random.below(9)) {
    case 0:
      return `${everyday} && ${text}`;
    case 1:
      return `${text}; ${everyday}`;
    case 2:
      return `${everyday} | ${text}`;
    case 3:
      return `${everyday}\n${text}`;
    case 4:
      return `${everyday} & ${text}`;
    case 5:
      return replaceWord(everyday, `$(${text})`, random);
    case 6:
      return replaceWord(everyday, `<(${text})`, random);
    case 7:
      return replaceWord(everyday, `"\`${text}\`"`, random);
    default:
      return `${everyday} # '\n${text}`;
  }
}

function replaceWord(line: string, word: string, random: Random): string {
  const words = line.split(" ");
  words[random.below(words.length)] = word;
  return words.join(" ");
}

/** Inserts, removes, doubles and swaps pieces: most results are no shell, some are another one. */
function damage(text: string, random: Random): string {
  const tokens = text.match(/[A-Za-z0-9_./-]+|\s+|[^]/g) ?? [];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(tokens.length + 1);
    switch (random.below(6)) {
      case 0:
        tokens.splice(at, 1);
        break;
      case 1:
        tokens.splice(at, 0, tokens[random.below(tokens.length)] ?? "");
        break;
      case 2:
        tokens.splice(at, 1, random.pick(PIECES));
        break;
      default:
        tokens.splice(at, 0, random.pick(PIECES));
    }
  }
  return tokens.join("");
}
