/**
 * The shell text that `make` runs for its goals, as far as a makefile says it literally. A value
 * that only running would tell becomes the variable's name as a plain word: it is never by itself
 * a reason to ask.
 */
import { globMatch } from "./shell_glob.ts";
import { MAKE_DEFAULTS } from "./package_scripts_data.ts";

interface MakeRule {
  targets: string;
  dependencies: string;
  recipe: string[];
}

/** Rules followed, nesting of variables, and characters that expansion may make. */
const MAX_RULES = 500;
const MAX_DEPTH = 16;
const MAX_CHARS = 64_000;

export interface MakeUse {
  /** Targets to make; none: the first of the file. */
  goals: readonly string[];
  /** Values given on the command line or by the environment. */
  given: (name: string) => string | undefined;
  /** The text of a file that the makefile includes. */
  include: (path: string) => string | undefined;
}

/** The commands that making the goals runs; undefined when they are for no shell. */
export function makeCommands(text: string, use: MakeUse): string[] | undefined {
  const file = new Makefile(use);
  file.read(text, 0);
  return file.commands();
}

class Makefile {
  readonly #use: MakeUse;
  readonly #variables = new Map<string, string>();
  readonly #rules: MakeRule[] = [];
  /** What `$(shell …)` and `!=` run. */
  readonly #shell: string[] = [];
  #chars = 0;

  constructor(use: MakeUse) {
    this.#use = use;
  }

  read(text: string, depth: number): void {
    const lines = text.replaceAll("\\\n", " ").split("\n");
    let rule: MakeRule | undefined;
    for (let i = 0; i < lines.length; i++) {
      const line = lines[i]!.trimEnd();
      const prefix = this.#variables.get(".RECIPEPREFIX")?.[0] ?? "\t";
      if (line.startsWith(prefix) && rule !== undefined) {
        rule.recipe.push(line.slice(1));
        continue;
      }
      const clean = line.replace(/(^|\s)#.*$/s, "").trim();
      if (clean === "") continue;
      if (/^(?:override +)?define\b/.test(clean)) {
        const end = lines.findIndex((other, at) => at > i && other.trim() === "endef");
        const body = lines.slice(i + 1, end < 0 ? undefined : end);
        this.#variables.set(
          clean.replace(/^.*define +/, "").split(/[\s:?+=]/, 1)[0]!,
          body.join("\n"),
        );
        if (end < 0) return;
        i = end;
        continue;
      }
      if (/\$[({]shell\b/.test(clean)) this.expand(clean);
      const included = /^[-s]?include\s(.*)$/s.exec(clean)?.[1];
      if (included !== undefined) {
        for (const path of depth < 4 ? words(this.expand(included)) : []) {
          this.read(this.#use.include(path) ?? "", depth + 1);
        }
      } else if (!this.#assign(clean)) rule = this.#rule(clean) ?? rule;
    }
  }

  /** `NAME = value` in any of its forms. */
  #assign(line: string): boolean {
    const cut = line.indexOf("=");
    if (cut <= 0) return false;
    const [, name, how] = /^(?:(?:export|override|private) +)*([\w.-]+)\s*([?:+!]{0,3})$/.exec(
      line.slice(0, cut),
    ) ?? [];
    if (name === undefined) return false;
    const value = line.slice(cut + 1).trim();
    if (how === "!") this.#shell.push(this.expand(value));
    const before = how === "+" ? `${this.#variables.get(name) ?? ""} ` : "";
    if (how !== "?" || !this.#variables.has(name)) this.#variables.set(name, before + value);
    return true;
  }

  #rule(line: string): MakeRule | undefined {
    const cut = line.indexOf(":");
    if (cut <= 0) return undefined;
    const [dependencies = "", ...inline] = line.slice(cut).replace(/^::?/, "").split(";");
    // `target: NAME = value` sets a variable for that target.
    if (this.#assign(dependencies.trim())) return undefined;
    const recipe = inline.length > 0 ? [inline.join(";")] : [];
    const rule = { targets: line.slice(0, cut), dependencies, recipe };
    this.#rules.push(rule);
    return rule;
  }

  commands(): string[] | undefined {
    const shell = this.#variables.get("SHELL");
    if (shell !== undefined && !/(?:^|\/)(?:env )?(?:ba|da|z|k|a)?sh$|\$/.test(shell)) {
      return undefined;
    }
    const found: string[] = [];
    for (const { rule, target } of this.#reached()) {
      const dependencies = words(this.expand(rule.dependencies));
      const automatic: Record<string, string> = {
        "@": target,
        "<": dependencies[0] ?? "input",
        "^": dependencies.join(" ") || "input",
      };
      for (const line of rule.recipe) {
        // A variable of several lines is several commands.
        for (const command of this.expand(line, { automatic }).split("\n")) {
          found.push(command.replace(/^[\s@+-]+/, ""));
        }
      }
    }
    return [...this.#shell, ...found].filter((command) => command.trim() !== "");
  }

  /** The rules for the goals and for everything they depend on. */
  #reached(): { rule: MakeRule; target: string }[] {
    const rules = this.#rules.map((rule) => ({ rule, names: words(this.expand(rule.targets)) }));
    const first = rules.find(({ names }) => /^[^.%]/.test(names[0] ?? "."))?.names[0];
    const usual = this.#variables.get(".DEFAULT_GOAL") ?? first;
    const open = this.#use.goals.length > 0
      ? [...this.#use.goals]
      : usual === undefined
      ? []
      : [usual];
    const reached = new Map<MakeRule, string>();
    for (let i = 0; i < open.length && i < MAX_RULES; i++) {
      const target = open[i]!;
      const named = rules.filter(({ names }) => names.includes(target));
      const meant = named.some(({ rule }) => rule.recipe.length > 0) ? named : [
        ...named,
        ...rules.filter(({ names }) =>
          names.some((name) => name.includes("%") && globMatch(name.replaceAll("%", "*"), target))
        ),
      ];
      for (const { rule } of meant) {
        if (reached.has(rule)) continue;
        reached.set(rule, target);
        for (const word of words(this.expand(rule.dependencies))) {
          if (word !== "|" && !open.includes(word)) open.push(word);
        }
      }
    }
    return [...reached].map(([rule, target]) => ({ rule, target }));
  }

  /** The text with its variables, as far as they are known. */
  expand(
    text: string,
    { automatic = {}, depth = 0 }: { automatic?: Record<string, string>; depth?: number } = {},
  ): string {
    let out = "";
    for (let i = 0; i < text.length; i++) {
      if (text[i] !== "$") {
        out += text[i];
        continue;
      }
      const open = text[++i] ?? "";
      if (open === "$") out += "$";
      else if (open !== "(" && open !== "{") {
        out += automatic[open] ?? this.#value(open, { automatic, depth });
      } else {
        const end = closing(text, i);
        out += this.#reference(text.slice(i + 1, end), { automatic, depth: depth + 1 });
        i = end;
      }
    }
    this.#chars += out.length;
    return this.#chars > MAX_CHARS * MAX_DEPTH ? "" : out;
  }

  #reference(
    text: string,
    at: { automatic: Record<string, string>; depth: number },
  ): string {
    if (at.depth > MAX_DEPTH || this.#chars > MAX_CHARS) return "";
    const cut = text.search(/[\s:]/);
    if (cut < 0) return at.automatic[text] ?? this.#value(text, at);
    const name = text.slice(0, cut);
    // `$(OBJ:.c=.o)`, `$(@D)`
    if (text[cut] === ":") return this.#value(name, at);
    const args = this.expand(text.slice(cut + 1), at);
    if (name === "shell") {
      this.#shell.push(args);
      return "shell_output";
    }
    if (name !== "call") return args.replaceAll(",", " ");
    const [called = "", ...rest] = args.split(",");
    const numbered = Object.fromEntries(rest.map((arg, i) => [`${i + 1}`, arg.trim()]));
    return this.#value(called.trim(), { ...at, automatic: { ...at.automatic, ...numbered } });
  }

  #value(name: string, at: { automatic: Record<string, string>; depth: number }): string {
    const given = this.#use.given(name);
    if (given !== undefined) return given;
    const value = this.#variables.get(name);
    if (value !== undefined && at.depth <= MAX_DEPTH) {
      return this.expand(value, { ...at, depth: at.depth + 1 });
    }
    return MAKE_DEFAULTS.get(name) ?? name.replace(/[^\w.-]+/g, "_");
  }
}

/** Where the parenthesis or brace at `start` is closed. */
function closing(text: string, start: number): number {
  const open = text[start];
  const close = open === "(" ? ")" : "}";
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) return i;
  }
  return text.length;
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
