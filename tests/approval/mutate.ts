/** Seeded rewriting of shell commands: the same effect in another guise. */
import { shellQuote } from "../../src/util/shell_quote.ts";

/** A small deterministic generator (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}

/** A command as words that mean themselves, so that each can be rewritten alone. */
export type Mutator = (text: string, random: Random) => string;

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, "0");
}

/** The same word, spelled with quotes, escapes and empty strings. */
function requote(word: string, random: Random): string {
  return [...word].map((char) => {
    if (/['"\\$`\n]/.test(char)) return char;
    switch (random.below(12)) {
      case 0:
        return `'${char}'`;
      case 1:
        return `"${char}"`;
      case 2:
        return `\\${char}`;
      case 3:
        return `$'\\x${hex(char)}'`;
      case 4:
        return `''${char}`;
      case 5:
        return `${char}""`;
      case 6:
        return `${char}$@`;
      default:
        return char;
    }
  }).join("");
}

let counter = 0;

/** The same word, from a variable or a substitution; `before` must run first. */
function compute(word: string, random: Random): { before: string; word: string } {
  const name = `v${counter++ % 50}`;
  const quoted = shellQuote(word);
  const cut = 1 + random.below(Math.max(1, word.length - 1));
  switch (random.below(9)) {
    case 0:
      return { before: `${name}=${quoted}; `, word: `"$${name}"` };
    case 1:
      return { before: `${name}=${quoted}; `, word: `\${${name}}` };
    case 2:
      return {
        before: `${name}=${shellQuote(word.slice(0, cut))}; `,
        word: `"$${name}"${shellQuote(word.slice(cut))}`,
      };
    case 3:
      return { before: "", word: `\${${name}:-${quoted}}` };
    case 4:
      return { before: "", word: `"$(echo ${quoted})"` };
    case 5:
      return { before: "", word: `"$(printf %s ${quoted})"` };
    case 6:
      return { before: `export ${name}=${quoted}\n`, word: `"\${${name}}"` };
    case 7:
      return { before: `${name}=${quoted} && `, word: `"$${name}"` };
    default:
      return { before: "", word: `"\`echo ${quoted}\`"` };
  }
}

/** Rewrites the words of a simple command. */
export function rewriteWords(words: readonly string[], random: Random): string {
  let before = "";
  const rewritten = words.map((word) => {
    if (/[{}();|&]/.test(word)) return word;
    if (random.chance(0.35)) {
      const computed = compute(word, random);
      before += computed.before;
      return computed.word;
    }
    return /[*~]/.test(word) || random.chance(0.4) ? word : requote(word, random);
  });
  const gaps = ["  ", "\t", " \\\n", "${IFS}", " ", " "];
  return before + rewritten.reduce((line, word) => line + random.pick(gaps) + word);
}

const WRAPPERS: readonly string[] = [
  "sudo ",
  "sudo -u bob ",
  "sudo -E -n -- ",
  "sudo --user=bob A=1 ",
  "doas ",
  "env ",
  "env -i A=1 ",
  "env -u A ",
  "nice ",
  "nice -n 5 ",
  "ionice -c3 ",
  "nohup ",
  "setsid ",
  "timeout 5 ",
  "timeout -s KILL 5s ",
  "stdbuf -oL ",
  "command ",
  "exec ",
  "time ",
  "busybox ",
  "env A=1 B=2 ",
  "xargs -0 ",
];

/** Puts a program before a plain command (not before a list). */
export function wrapCommand(text: string, random: Random): string {
  return random.pick(WRAPPERS) + text;
}

function heredoc(text: string): string {
  const end = `END${counter++}`;
  return `bash <<'${end}'\n${text}\n${end}`;
}

/** Puts any script into a larger one that runs it. */
export function embed(text: string, random: Random): string {
  const quoted = shellQuote(text);
  switch (random.below(36)) {
    case 0:
      return `true && { ${text}\n}`;
    case 1:
      return `(${text}\n)`;
    case 2:
      return `{ ${text}\n}`;
    case 3:
      return `if true; then ${text}\nfi`;
    case 4:
      return `for i in 1 2; do ${text}\ndone`;
    case 5:
      return `echo "$(${text}\n)"`;
    case 6:
      return `f() { ${text}\n}; f`;
    case 7:
      return `ls; ${text}`;
    case 8:
      return `false || (${text}\n)`;
    case 9:
      return `# nothing to see\n${text}`;
    case 10:
      return `bash -c ${quoted}`;
    case 11:
      return `sh -ec ${quoted}`;
    case 12:
      return `eval ${quoted}`;
    case 13:
      return `ssh host ${quoted}`;
    case 14:
      return `su - bob -c ${quoted}`;
    case 15:
      return `echo ${quoted} | sh`;
    case 16:
      return heredoc(text);
    case 17:
      return `x=$(${text}\n)`;
    case 18:
      return `! { ${text}\n}`;
    case 19:
      return `case a in a) ${text}\n;; esac`;
    case 20:
      return `cat <(${text}\n)`;
    case 21:
      return `echo ${quoted} > /tmp/s; bash /tmp/s`;
    case 22:
      return `eval -- ${quoted}`;
    case 23:
      return `"$SHELL" -c ${quoted}`;
    case 24:
      return `trap -- ${quoted} EXIT`;
    case 25:
      return `mapfile -C ${shellQuote(`${text}\n:`)} -c 1 lines <<< x`;
    case 26:
      return `builtin eval ${quoted}`;
    case 27:
      return `PROMPT_COMMAND=${quoted} bash -i`;
    case 28:
      return `PS4=${shellQuote(`$(${text}\n)`)}; set -x; :`;
    case 29:
      return `x=${shellQuote(`$(${text}\n)`)}; echo "\${x@P}"`;
    case 30:
      return `test -v ${shellQuote(`a[$(${text}\n)]`)}`;
    case 31:
      return `x=${shellQuote(`a[$(${text}\n)]`)}; echo $((x))`;
    case 32:
      return `. /dev/stdin <<< ${quoted}`;
    case 33:
      return `source <(echo ${quoted})`;
    case 34:
      return `compgen -W ${shellQuote(`$(${text}\n)`)}`;
    default:
      return `while true; do ${text}\ndone`;
  }
}

/** Characters that look the same or are not seen. */
export function disguise(text: string, random: Random): string {
  return [...text].map((char) => {
    if (!random.chance(0.25)) return char;
    const code = char.charCodeAt(0);
    if (/[a-z0-9/.-]/.test(char) && random.chance(0.5)) return String.fromCharCode(code + 0xfee0);
    return char +
      random.pick(["\u200b", "\u00ad", "\u2060", "\ufeff", "\x1b[31m", "\x1b[0m", "\0"]);
  }).join("");
}
