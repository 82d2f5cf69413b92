/**
 * Parses POSIX shell and the common bash extensions into a tree. Lenient where leniency
 * cannot hide a command; what was read before a syntax error is kept, because a shell runs
 * complete lines before it meets the error.
 */
import {
  type Assignment,
  type Command,
  type CompoundCommand,
  type Pipeline,
  type Script,
  ShellSyntaxError,
  type SimpleCommand,
  type Statement,
  type Word,
} from "./shell_ast.ts";
import { ShellLexer, type Span } from "./shell_lexer.ts";
import { deeper, isArithmetic, scanArithmetic, scanWord } from "./shell_words.ts";

export interface ParseResult {
  script: Script;
  /** What is wrong, when something is. */
  error?: string;
  /** The text from the statement with the error on; empty without one. */
  rest: string;
  comments: Span[];
}

/**
 * Parses `source`; a syntax error is part of the result.
 *
 * @throws {ShellLimitError} when it is nested too deeply.
 */
export function parseShell(source: string, depth = 0): ParseResult {
  const parser = new ShellParser(source, depth);
  const script: Script = { statements: [] };
  try {
    parser.parseAll(script);
    return { script, rest: "", comments: parser.comments };
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    const rest = source.slice(parser.completedAt);
    return { script, error: error.message, rest, comments: parser.comments };
  }
}

const NONE: ReadonlySet<string> = new Set();
const PAREN = new Set([")"]);
const BRACE = new Set(["}"]);
const THEN = new Set(["then"]);
const BRANCH = new Set(["elif", "else", "fi"]);
const DO = new Set(["do", "{"]);
const DONE = new Set(["done"]);
const CLAUSE = new Set([";;", "esac"]);

const RESERVED = /(?:[a-z]+|[!{}]|\[\[)(?=[ \t\n;&|<>()]|$)/y;
const CLOSER = /(?:then|elif|else|fi|do|done|esac|\})(?=[ \t\n;&|<>()]|$)/y;
const FUNCTION_HEAD = /[ \t]*\([ \t]*\)/y;
const COPROC = /coproc(?:[ \t]+[A-Za-z_]\w*(?=[ \t]*[({]))?/y;
const TIME = /time(?:[ \t]+-p(?=[ \t]))?(?=[ \t]+[^ \t-])/y;
const CLAUSE_END = /;;&?|;&/y;
const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[([^\]]*)\])?(\+?)=/;

class ShellParser extends ShellLexer {
  /** Up to here everything was understood. */
  completedAt = 0;

  parseAll(into: Script): void {
    while (this.#skipToStatement(NONE)) {
      this.completedAt = this.pos;
      into.statements.push(this.#statement());
    }
    this.completedAt = this.pos;
    if (this.pos < this.src.length) throw this.unexpected();
  }

  override nested(): Script {
    const script = this.#script(PAREN);
    this.expect(")");
    return script;
  }

  override fresh(text: string): ShellParser {
    return new ShellParser(text, this.depth);
  }

  override inner(text: string): Script {
    const { script, error } = parseShell(text, this.depth);
    if (error !== undefined) throw new ShellSyntaxError(error);
    return script;
  }

  #script(closers: ReadonlySet<string>): Script {
    const script: Script = { statements: [] };
    while (this.#skipToStatement(closers)) script.statements.push(this.#statement());
    return script;
  }

  /** False at the end of the source or at one of `closers`, which is not consumed. */
  #skipToStatement(closers: ReadonlySet<string>): boolean {
    for (;;) {
      this.blanks();
      const char = this.src[this.pos];
      if (char === undefined) return false;
      if (char === "\n") this.newline();
      else if (char === "#") this.comment();
      else if (char === ";" || char === "&") {
        if (closers.has(";;") && this.match(CLAUSE_END) !== undefined) return false;
        this.pos++;
      } else break;
    }
    if (this.src[this.pos] === ")") return false;
    const word = this.match(RESERVED);
    return word === undefined || !closers.has(word);
  }

  #statement(): Statement {
    const pipelines: Pipeline[] = [];
    let link: Pipeline["link"] = "";
    for (;;) {
      pipelines.push({ link, stages: this.#pipeline() });
      this.blanks();
      const two = this.src.slice(this.pos, this.pos + 2);
      if (two !== "&&" && two !== "||") break;
      this.pos += 2;
      link = two;
      this.skipNewlines();
    }
    const char = this.src[this.pos];
    const background = char === "&";
    if (background) this.pos++;
    else if (char !== undefined && !"\n;)#".includes(char) && this.match(CLOSER) === undefined) {
      throw this.unexpected();
    }
    return { pipelines, background };
  }

  #pipeline(): Command[] {
    const stages: Command[] = [];
    for (;;) {
      const isCoproc = this.#skipPrefixes();
      const command = this.#command();
      if (isCoproc) command.coproc = true;
      stages.push(command);
      this.blanks();
      if (this.src[this.pos] !== "|" || this.src[this.pos + 1] === "|") return stages;
      this.pos += this.src[this.pos + 1] === "&" ? 2 : 1;
      this.skipNewlines();
    }
  }

  /** `!`, `time` and `coproc` change nothing about what runs; true when it is a coprocess. */
  #skipPrefixes(): boolean {
    let isCoproc = false;
    for (;;) {
      this.blanks();
      const word = this.match(RESERVED);
      if (word === "!") this.pos++;
      else if (word === "coproc") {
        isCoproc = true;
        this.pos += this.match(COPROC)!.length;
      } else {
        const time = word === "time" ? this.match(TIME) : undefined;
        if (time === undefined) return isCoproc;
        this.pos += time.length;
      }
    }
  }

  #command(): Command {
    if (this.src[this.pos] === "(") return this.#withRedirects(this.#parenthesis());
    const keyword = this.match(RESERVED);
    switch (keyword) {
      case "{":
      case "if":
      case "while":
      case "until":
      case "for":
      case "select":
      case "case":
      case "[[":
        this.pos += keyword.length;
        return this.#withRedirects(deeper(this, () => this.#compound(keyword)));
      case "function": {
        this.pos += keyword.length;
        this.blanks();
        const name = scanWord(this)?.raw ?? "";
        this.blanks();
        if (this.src.startsWith("()", this.pos)) this.pos += 2;
        return this.#functionBody(name);
      }
      default:
        return this.#simple();
    }
  }

  #parenthesis(): CompoundCommand {
    if (this.src[this.pos + 1] === "(" && isArithmetic(this.src, this.pos + 2)) {
      // A shell without arithmetic commands reads a subshell in a subshell here.
      const word = this.#arithmeticWord();
      const { script } = deeper(this, () => parseShell(word.raw.slice(2, -2), this.depth));
      return { ...compound("(("), words: [word], bodies: [script] };
    }
    this.pos++;
    return { ...compound("("), bodies: [deeper(this, () => this.nested())] };
  }

  #arithmeticWord(): Word {
    const start = this.pos;
    this.pos += 2;
    return { parts: [scanArithmetic(this)], raw: this.src.slice(start, this.pos) };
  }

  #compound(keyword: string): CompoundCommand {
    const node = compound(keyword);
    switch (keyword) {
      case "{":
        node.bodies.push(this.#script(BRACE));
        this.expect("}");
        return node;
      case "if":
        return this.#if(node);
      case "case":
        return this.#case(node);
      case "[[":
        return this.#test(node);
      case "for":
      case "select":
        this.#loopHead(node);
        break;
      default:
        node.bodies.push(this.#script(DO));
    }
    return this.#loopBody(node);
  }

  #if(node: CompoundCommand): CompoundCommand {
    for (;;) {
      node.bodies.push(this.#script(THEN));
      this.expect("then");
      node.bodies.push(this.#script(BRANCH));
      const next = this.match(RESERVED) ?? "";
      this.pos += next.length;
      if (next === "elif") continue;
      if (next === "else") {
        node.bodies.push(this.#script(BRANCH));
        this.expect("fi");
      } else if (next !== "fi") throw this.unexpected();
      return node;
    }
  }

  #loopHead(node: CompoundCommand): void {
    this.blanks();
    if (this.src.startsWith("((", this.pos)) {
      node.words = [this.#arithmeticWord()];
    } else {
      node.variable = scanWord(this)?.raw ?? "";
      this.skipNewlines();
      if (this.match(RESERVED) === "in") {
        this.pos += 2;
        node.words = this.words();
      }
    }
    this.#skipToStatement(DO);
  }

  #loopBody(node: CompoundCommand): CompoundCommand {
    const braces = this.src[this.pos] === "{";
    this.expect(braces ? "{" : "do");
    node.bodies.push(this.#script(braces ? BRACE : DONE));
    this.expect(braces ? "}" : "done");
    return node;
  }

  #case(node: CompoundCommand): CompoundCommand {
    this.blanks();
    const subject = scanWord(this);
    node.words = subject === undefined ? [] : [subject];
    this.skipNewlines();
    this.expect("in");
    for (;;) {
      this.skipNewlines();
      if (this.match(RESERVED) === "esac") break;
      if (this.src[this.pos] === "(") this.pos++;
      for (;;) {
        node.words.push(...this.words());
        if (this.src[this.pos] !== "|") break;
        this.pos++;
      }
      this.expect(")");
      node.bodies.push(this.#script(CLAUSE));
      const end = this.match(CLAUSE_END);
      if (end === undefined) break;
      this.pos += end.length;
    }
    this.expect("esac");
    return node;
  }

  /** `[[ … ]]`: operators are skipped, operands kept. */
  #test(node: CompoundCommand): CompoundCommand {
    const words: Word[] = node.words = [];
    for (;;) {
      this.skipNewlines();
      const word = scanWord(this);
      if (word?.raw === "]]") return node;
      if (word !== undefined) words.push(word);
      else if (this.pos++ >= this.src.length) throw new ShellSyntaxError("unterminated [[");
    }
  }

  #simple(): Command {
    const command: SimpleCommand = { kind: "simple", assignments: [], words: [], redirects: [] };
    for (;;) {
      this.blanks();
      if (this.redirect(command.redirects)) continue;
      if (this.src[this.pos] === "#") break;
      const start = this.pos;
      const word = scanWord(this);
      if (word === undefined) break;
      const assignment = this.#assignment(word);
      if (assignment !== undefined) {
        if (command.words.length === 0) command.assignments.push(assignment);
        else command.words.push({ ...word, raw: this.src.slice(start, this.pos), assignment });
        continue;
      }
      command.words.push(word);
      if (command.words.length === 1 && this.#isFunctionHead()) return this.#functionBody(word.raw);
    }
    if (command.words.length + command.assignments.length + command.redirects.length === 0) {
      throw this.unexpected();
    }
    return command;
  }

  #assignment(word: Word): Assignment | undefined {
    const first = word.parts[0];
    if (first?.kind !== "text" || first.quoted) return undefined;
    const head = ASSIGNMENT.exec(first.text);
    if (head === null) return undefined;
    const [text, name, subscript, plus] = head;
    const rest = first.text.slice(text.length);
    const parts = word.parts.slice(1);
    if (rest !== "") parts.unshift({ kind: "text", text: rest, quoted: false });
    const assignment: Assignment = {
      name: name!,
      append: plus === "+",
      ...subscript === undefined ? {} : { subscript },
      value: { parts, raw: word.raw.slice(text.length) },
    };
    if (parts.length === 0 && this.src[this.pos] === "(") {
      this.pos++;
      assignment.items = this.words({ multiline: true });
      this.expect(")");
      // `a=(1)b` is one word; what is glued to the list is no command and no comment.
      const tail = scanWord(this);
      if (tail !== undefined) assignment.items.push(tail);
    }
    return assignment;
  }

  #isFunctionHead(): boolean {
    const found = this.match(FUNCTION_HEAD);
    this.pos += found?.length ?? 0;
    return found !== undefined;
  }

  #functionBody(name: string): Command {
    this.skipNewlines();
    // Bash wants a blank after this brace; without one a fork bomb should not look like prose.
    const keyword = this.src[this.pos] === "{" ? "{" : undefined;
    this.pos += keyword?.length ?? 0;
    const body = deeper(
      this,
      () => keyword === undefined ? this.#command() : this.#withRedirects(this.#compound(keyword)),
    );
    return { kind: "function", name, body };
  }

  #withRedirects(node: CompoundCommand): CompoundCommand {
    do this.blanks(); while (this.redirect(node.redirects));
    return node;
  }
}

function compound(keyword: string): CompoundCommand {
  return { kind: "compound", keyword, bodies: [], redirects: [] };
}
