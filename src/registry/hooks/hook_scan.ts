/**
 * Names in the text of a script: its interpreter, files that it loads or runs, modules that it
 * imports. Pure; whether such a file exists is for `hook_program.ts` to find out.
 */
import { basename, isAbsolute } from "../../util/path.ts";
import {
  INTERPRETER,
  LOADING_WORD,
  LOADING_WORD_OF_PATHS,
  RUNS_TEXT,
} from "./hook_program_data.ts";

const MAX_WORD_CHARS = 1_000;
/** A variable made of variables made of variables. */
const MAX_EXPANSIONS = 8;
/** Values that one variable is given in one script, and paths that one word may mean. */
const MAX_VALUES = 4;
const MAX_SPELLINGS = 32;
/** Where a module that was named without an end is looked for. */
const MODULE_ENDS = [".js", ".mjs", ".cjs", ".ts", ".node", ".rb", "/index.js", "/index.ts"];

type Variables = Readonly<Record<string, string>>;

/** What the first line of a script says runs it, as the kernel reads it: a program and one argument. */
export function shebangOf(text: string): string[] | undefined {
  if (!text.startsWith("#!")) return undefined;
  const end = text.indexOf("\n");
  const line = text.slice(2, Math.min(end < 0 ? text.length : end, 256)).trim();
  const at = line.search(/[ \t]/);
  return at < 0 ? [line] : [line.slice(0, at), line.slice(at).trim()];
}

export interface NamedFiles {
  /** Names, and whether each is run for certain. */
  names: Map<string, boolean>;
  /** Some name is made of what only the running script knows. */
  isComputed: boolean;
}

/** Paths that a text spells out, its own variables and those of `env` replaced. */
export function filesNamedIn(text: string, env: Variables): NamedFiles {
  const found: NamedFiles = { names: new Map(), isComputed: false };
  const plain = text.replaceAll(/\$\{(\w+)\}/g, "$$$1");
  const variables = assignmentsIn(plain, env);
  const runsText = RUNS_TEXT.test(text);
  let before = "";
  for (const [word] of plain.matchAll(/[^\s"'`;|&()<>,=[\]{}]+/g)) {
    const loader = before;
    before = word;
    const hasSlash = word.includes("/");
    const isLoaded = LOADING_WORD.test(loader) || INTERPRETER.test(basename(loader));
    if (word.length > MAX_WORD_CHARS || word.startsWith("-")) continue;
    if (!hasSlash && !isLoaded) continue;
    const isForced = isLoaded || runsText || LOADING_WORD_OF_PATHS.test(loader);
    const { spelt, isComputed } = spellings(word, variables);
    found.isComputed ||= isComputed;
    for (const name of spelt.flatMap((one) => isForced ? moduleNames(one) : [one])) {
      found.names.set(name, isForced || found.names.get(name) === true);
    }
  }
  return found;
}

/** `./rules` may mean `./rules.js`. */
function moduleNames(name: string): string[] {
  return name.startsWith(".") ? [name, ...MODULE_ENDS.map((end) => `${name}${end}`)] : [name];
}

/** What the variables of a shell script may hold, where the script says it in so many words. */
function assignmentsIn(text: string, env: Variables): Map<string, Set<string>> {
  const known = new Map(Object.entries(env).map(([name, value]) => [name, new Set([value])]));
  const assigned = /(?:^|[\s;])([A-Za-z_]\w*)=(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;&|"'`()]+))/g;
  for (const [, name, double, single, bare] of text.matchAll(assigned)) {
    const value = double ?? single ?? bare ?? "";
    // What a command prints is not known: such a variable stays as it is written.
    if (/[`(]/.test(value) || value.length > MAX_WORD_CHARS) continue;
    const values = known.get(name!) ?? new Set();
    if (values.size < MAX_VALUES) known.set(name!, values.add(value));
  }
  return known;
}

/** The word with its variables replaced, in every way the script may mean it. */
function expand(word: string, variables: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  let words = new Set([word]);
  for (let i = 0; i < MAX_EXPANSIONS; i++) {
    const next = new Set<string>();
    for (const one of words) {
      const name = [...one.matchAll(/\$(\w+)/g)].map(([, found]) => found!)
        .find((found) => variables.has(found));
      if (name === undefined || one.length > MAX_WORD_CHARS) next.add(one);
      else for (const value of variables.get(name)!) next.add(one.replace(`$${name}`, () => value));
    }
    if (next.size > MAX_SPELLINGS) break;
    words = next;
  }
  return words;
}

/** A path with its variables replaced; what a script computes is taken for its own folder. */
function spellings(
  word: string,
  variables: ReadonlyMap<string, ReadonlySet<string>>,
): { spelt: string[]; isComputed: boolean } {
  let isComputed = false;
  const spelt = [...expand(word, variables)].flatMap((known) => {
    const computed = known.lastIndexOf("$");
    if (computed < 0) {
      // After `$(dirname "$0")` a path begins with a slash and means a neighbour.
      return isAbsolute(known) ? [known, known.replace(/^\/+/, "")] : [known];
    }
    isComputed = true;
    const slash = known.indexOf("/", computed);
    return slash < 0 ? [] : [known.slice(slash + 1)];
  });
  return { spelt, isComputed };
}

/** Names of modules that Python text imports. */
export function importedModules(text: string): Set<string> {
  const lines = text.matchAll(/(?:^|[;\n])[ \t]*(?:from|import)[ \t]+([\w., \t]+)/g);
  const names = [...lines].flatMap(([, list]) => list!.split(/\bimport\b/)[0]!.split(","));
  return new Set(
    names.map((name) => name.trim().split(/\s/)[0]!.replaceAll(".", "/").replace(/^\/+/, ""))
      .filter((name) => name !== ""),
  );
}

/** Words of a shell's text that stand where a command stands. */
export function commandWords(text: string): Set<string> {
  const words = text.matchAll(
    /(?:^|[;&|({\n]|\b(?:then|do|else|exec|env|if|while)\b)[ \t]*([\w.+-]+)/g,
  );
  return new Set([...words].map(([, word]) => word!));
}
