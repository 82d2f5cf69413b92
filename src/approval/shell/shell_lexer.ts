/**
 * Cursor and look-ahead of the shell parser: blanks, comments, newlines with the here-documents
 * they end, words in a row and redirections. Knows no command.
 */
import { type Redirect, type Script, ShellSyntaxError, type Word } from "./shell_ast.ts";
import { type Cursor, deeper, scanHeredoc, scanWord } from "./shell_words.ts";

export interface Span {
  start: number;
  end: number;
}

interface PendingHeredoc {
  redirect: Redirect;
  delimiter: string;
  stripTabs: boolean;
  quoted: boolean;
}

const BLANKS = /(?:[ \t]+|\\\n)+/y;
const REDIRECT = /([0-9]*|\{[A-Za-z_]\w*\})(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\())/y;

export abstract class ShellLexer implements Cursor {
  readonly src: string;
  pos = 0;
  depth: number;
  readonly comments: Span[] = [];
  #heredocs: PendingHeredoc[] = [];

  constructor(src: string, depth: number) {
    this.src = src;
    this.depth = depth;
  }

  abstract nested(): Script;
  abstract inner(text: string): Script;
  /** A cursor of the same kind over another text, at the same depth. */
  abstract fresh(text: string): Cursor;

  redirect(into: Redirect[]): boolean {
    REDIRECT.lastIndex = this.pos;
    const found = REDIRECT.exec(this.src);
    if (found === null) return false;
    this.pos += found[0].length;
    this.blanks();
    const op = found[2]!;
    const target = scanWord(this);
    if (target === undefined) throw new ShellSyntaxError(`nothing after ${op}`);
    const redirect: Redirect = { fd: found[1]!, op, target };
    into.push(redirect);
    if (op === "<<" || op === "<<-") {
      this.#heredocs.push({
        redirect,
        delimiter: target.raw.replace(/\\(.)|['"]/g, "$1"),
        stripTabs: op === "<<-",
        quoted: /['"\\]/.test(target.raw),
      });
    }
    return true;
  }

  /** Consumes the newline and the bodies of here-documents announced before it. */
  newline(): void {
    this.pos++;
    const pending = this.#heredocs;
    this.#heredocs = [];
    for (const { redirect, delimiter, stripTabs, quoted } of pending) {
      const lines: string[] = [];
      while (this.pos < this.src.length) {
        const end = this.src.indexOf("\n", this.pos);
        const line = this.src.slice(this.pos, end < 0 ? undefined : end);
        this.pos = end < 0 ? this.src.length : end + 1;
        const text = stripTabs ? line.replace(/^\t+/, "") : line;
        if (text === delimiter) break;
        lines.push(text);
      }
      const body = lines.map((line) => `${line}\n`).join("");
      redirect.body = quoted
        ? { parts: [{ kind: "text", text: body, quoted: true }], raw: body }
        : deeper(this, () => scanHeredoc(this.fresh(body)));
    }
  }

  skipNewlines(): void {
    for (;;) {
      this.blanks();
      if (this.src[this.pos] === "\n") this.newline();
      else if (this.src[this.pos] === "#") this.comment();
      else return;
    }
  }

  comment(): void {
    const start = this.pos;
    const end = this.src.indexOf("\n", start);
    this.pos = end < 0 ? this.src.length : end;
    this.comments.push({ start, end: this.pos });
  }

  blanks(): void {
    this.pos += this.match(BLANKS)?.length ?? 0;
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.pos;
    return pattern.exec(this.src)?.[0];
  }

  expect(token: string): void {
    this.blanks();
    if (!this.src.startsWith(token, this.pos)) throw this.unexpected(token);
    this.pos += token.length;
  }

  unexpected(wanted?: string): ShellSyntaxError {
    const found = this.src.slice(this.pos, this.pos + 12) || "end of command";
    return new ShellSyntaxError(
      wanted === undefined ? `unexpected ${found}` : `expected ${wanted} before ${found}`,
    );
  }

  /** Words up to an operator, over several lines inside an array. */
  words(options: { multiline?: boolean } = {}): Word[] {
    const words: Word[] = [];
    for (;;) {
      this.blanks();
      if (options.multiline === true && this.src[this.pos] === "#") this.comment();
      const word = scanWord(this);
      if (word !== undefined) words.push(word);
      else if (options.multiline === true && this.src[this.pos] === "\n") this.skipNewlines();
      else return words;
    }
  }
}
