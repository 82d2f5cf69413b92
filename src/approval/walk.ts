/**
 * Follows a parsed script in order, as far as text alone allows, and lists every program it
 * would run: through pipes, substitutions, functions, wrappers and scripts inside scripts.
 * Over-approximates: both branches are taken, every possible value is tried.
 */
import { applyBuiltin, directoryAfter } from "./builtins.ts";
import { Expander, scriptsIn } from "./expand.ts";
import { PROGRAM_DEFAULTS } from "./executors_data.ts";
import { Evaluation } from "./evaluation.ts";
import { globMatch, hasGlob } from "./glob.ts";
import { innerCommands } from "./inner_commands.ts";
import type { Invocation, RedirectUse } from "./invocation.ts";
import { absolutePath, canonicalPath, type Place } from "./paths.ts";
import type { Payload, TextPayload } from "./payload.ts";
import { isForkBomb } from "./fork_bomb.ts";
import { showCommand } from "./show_command.ts";
import { shellQuote } from "../util/shell_quote.ts";
import {
  type Command,
  type CompoundCommand,
  type FunctionCommand,
  LIMITS,
  type Pipeline,
  type Redirect,
  type Script,
  ShellLimitError,
  type SimpleCommand,
  type Word,
} from "./shell_ast.ts";
import { parseShell } from "./shell_parser.ts";
import { ShellState } from "./shell_state.ts";
import { eraseUnknown, hasUnknown, hasUnknownBut, showUnknown } from "./unknown.ts";
import {
  expandingScript,
  type Flow,
  type Frame,
  invocationOf,
  NOTHING,
  redirectWords,
  START,
  type Walked,
  type WalkOptions,
} from "./walk_flow.ts";

/** Stages of one pipeline, and scripts inside scripts inside scripts. */
const MAX_STAGES = 256;
const MAX_PAYLOAD_DEPTH = 16;

/** @throws {ShellLimitError} when the script is too large to follow. */
export function walkShell(source: string, options: WalkOptions): Walked {
  const walker = new Walker(options);
  const normalized = walker.text(source, START);
  const { invocations, problem, unjudged, variables } = walker;
  return { invocations, normalized, problem, unjudged: [...unjudged], variables };
}

class Walker {
  readonly invocations: Invocation[] = [];
  problem: string | undefined;
  readonly unjudged = new Set<string>();
  readonly #home: string | undefined;
  readonly #places: Place["places"];
  readonly #programs: Iterable<string>;
  readonly #state: ShellState;
  readonly #expander: Expander;
  readonly #evaluation: Evaluation;
  readonly #functions = new Map<string, Command>();
  /** Functions being followed, so that recursion ends. */
  readonly #calling = new Set<string>();
  /** Above zero where it is not certain that a command runs. */
  #branches = 0;
  #payloadDepth = 0;
  #payloadChars = 0;

  constructor(options: WalkOptions) {
    this.#home = options.home;
    this.#places = options.places;
    this.#programs = options.programs;
    this.#state = new ShellState(options.cwd, options.variables);
    this.#expander = new Expander(this.#state, absolutePath("~", options));
    this.#evaluation = new Evaluation({
      state: this.#state,
      expander: this.#expander,
      follow: (payload) => this.#follow(payload, { ...START, ...NOTHING }),
    });
  }

  get variables(): Map<string, string[]> {
    return this.#state.left();
  }

  /** Parses and follows shell text; returns it in normal form. */
  text(source: string, flow: Flow): string {
    this.#payloadChars += source.length;
    if (this.#payloadChars > LIMITS.payloadChars) throw new ShellLimitError("too much nested text");
    const { script, error, rest } = parseShell(source);
    const normal = this.#script(script, flow);
    if (error === undefined) return normal;
    this.problem ??= error;
    const pieces = rest.split(/[;&|\n(){}`]/);
    for (const [i, piece] of pieces.entries()) {
      this.#roughly(piece, { ...flow, ...NOTHING, raw: pieces.slice(i, i + 2) });
    }
    return [normal, rest].filter((piece) => piece !== "").join("; ");
  }

  /** What no parser understood is still looked at word by word. */
  #roughly(piece: string, frame: Frame): void {
    const argv = piece.replace(/['"\\]/g, "").split(/[\s<>$]+/).filter((word) => word !== "");
    if (argv.length > 0) this.#run(argv, frame);
  }

  #script(script: Script, flow: Flow): string {
    let out = "";
    for (const statement of script.statements) {
      const inside = { ...flow, background: flow.background || statement.background };
      const text = statement.pipelines.map((pipeline) => {
        if (pipeline.link === "") return this.#pipeline(pipeline, inside);
        this.#branches++;
        const line = `${pipeline.link} ${this.#pipeline(pipeline, inside)}`;
        this.#branches--;
        return line;
      }).join(" ");
      if (out !== "") out += out.endsWith(" &") ? " " : "; ";
      out += statement.background ? `${text} &` : text;
    }
    return out;
  }

  #pipeline({ stages }: Pipeline, flow: Flow): string {
    if (stages.length === 1) return this.#command(stages[0]!, flow);
    if (stages.length > MAX_STAGES) throw new ShellLimitError("too long a pipeline");
    const cwd = this.#state.cwd;
    let inside = flow;
    const texts = stages.map((stage) => {
      const before = this.invocations.length;
      const text = this.#command(stage, inside);
      inside = {
        ...inside,
        stdin: this.#expander.stageOutput(stage, inside.stdin),
        upstream: [...inside.upstream, ...this.invocations.slice(before)],
      };
      return text;
    });
    this.#state.cwd = cwd;
    return texts.join(" | ");
  }

  #command(command: Command, flow: Flow): string {
    switch (command.kind) {
      case "simple":
        return this.#simple(command, flow);
      case "compound":
        return this.#compound(command, flow);
      case "function":
        return this.#define(command, flow);
      default:
        return command satisfies never;
    }
  }

  #define({ name, body }: FunctionCommand, flow: Flow): string {
    this.#functions.set(name, body);
    if (isForkBomb(name, body)) {
      this.#push(["function", name], { ...flow, ...NOTHING }).forks = true;
    }
    const { positional } = this.#state;
    this.#state.positional = undefined;
    this.#branches++;
    this.#calling.add(name);
    const text = this.#command(body, flow);
    this.#calling.delete(name);
    this.#branches--;
    this.#state.positional = positional;
    return `${name}() ${text}`;
  }

  #compound(node: CompoundCommand, flow: Flow): string {
    const inner = this.#substitutions([...node.words ?? [], ...redirectWords(node.redirects)]);
    if (node.keyword === "[[") this.#evaluation.operands(node.words ?? []);
    const redirects = this.#redirects(node.redirects);
    if (redirects.length > 0) this.#push([], { ...flow, ...NOTHING, inner, redirects });
    const input = redirects.find((redirect) => redirect.text !== undefined)?.text;
    const inside = input === undefined ? flow : { ...flow, stdin: input };
    const subshell = node.keyword === "(";
    const cwd = this.#state.cwd;
    const plain = subshell || node.keyword === "{";
    if (!plain) this.#branches++;
    if (node.variable !== undefined) this.#bindLoop(node);
    const bodies = node.bodies.map((body) => this.#script(body, inside));
    if (!plain) this.#branches--;
    if (subshell) {
      this.#state.cwd = cwd;
      return `(${bodies.join("; ")})`;
    }
    const text = [...node.words?.map((word) => word.raw) ?? [], ...bodies].join("; ");
    return node.keyword === "{" ? `{ ${text}; }` : `${node.keyword} ${text}; end`;
  }

  #bindLoop(node: CompoundCommand): void {
    const values = node.words === undefined
      ? this.#state.positional
      : node.words.flatMap((word) => this.#expander.fields(word));
    this.#state.assignAny(node.variable!, values ?? []);
    this.#evaluation.assigned();
  }

  #simple(command: SimpleCommand, flow: Flow): string {
    const inner = this.#substitutions([
      ...command.words,
      ...command.assignments.flatMap(({ value, items }) => [value, ...items ?? []]),
      ...command.words.flatMap((word) => word.assignment?.items ?? []),
      ...redirectWords(command.redirects),
    ]);
    const before = this.invocations.length;
    let text: string | undefined;
    const complete = this.#expander.forEachChoice(() => {
      const argv = command.words.flatMap((word) => this.#expander.fields(word));
      const redirects = this.#redirects(command.redirects);
      const env = new Map<string, string>();
      for (const assignment of command.assignments) {
        env.set(assignment.name, this.#expander.text(assignment.value));
      }
      text ??= showCommand(argv, { env, redirects });
      const raw = command.words.slice(1).map((word) => word.raw);
      const frame = { ...flow, env, redirects, raw, inner };
      if (argv.length > 0) this.#run(argv, frame);
      else if (redirects.length > 0 || env.size > 0) this.#push([], frame);
      if (argv.length > 0) this.#evaluation.variables(env);
    });
    const commands = this.invocations.slice(before);
    this.#evaluation.looseWords(command.words, { commands, complete });
    this.#feed(command, { flow, commands });
    this.#remember(command, flow.stdin);
    return text ?? "";
  }

  /** Follows the scripts of `>(…)`, which read what the command writes. */
  #feed(command: SimpleCommand, to: { flow: Flow; commands: Invocation[] }): void {
    for (const word of [...command.words, ...redirectWords(command.redirects)]) {
      for (const part of word.parts) {
        if (part.kind !== "process" || part.direction === "<") continue;
        this.#script(part.script, {
          ...to.flow,
          upstream: [...to.flow.upstream, ...to.commands],
          stdin: this.#output(command, to.flow.stdin) ?? to.flow.stdin,
        });
      }
    }
  }

  #output(command: SimpleCommand, stdin: string | undefined): string | undefined {
    const redirects = command.redirects.filter(({ op }) => op.startsWith("<"));
    return this.#expander.stageOutput({ ...command, redirects }, stdin);
  }

  /** Keeps what later commands may refer to: variables, and files written with certain text. */
  #remember(command: SimpleCommand, stdin: string | undefined): void {
    const certain = this.#branches === 0;
    const given = command.words.length === 0
      ? command.assignments
      : command.words.flatMap(({ assignment }) => assignment?.items ? [assignment] : []);
    for (const assignment of given) {
      this.#evaluation.subscripts(assignment);
      this.#expander.assign(assignment, { certain });
    }
    this.#evaluation.assigned();
    const output = command.redirects.find(({ op, fd }) => /^>[>|]?$/.test(op) && /^1?$/.test(fd));
    if (output === undefined) return;
    const text = this.#output(command, stdin);
    if (text === undefined) return;
    const path = canonicalPath(this.#expander.text(output.target), this.#place());
    this.#state.files.set(
      path,
      (output.op === ">>" ? this.#state.files.get(path) ?? "" : "") + text,
    );
  }

  #redirects(redirects: readonly Redirect[]): RedirectUse[] {
    return redirects.map(({ fd, op, target, body }) => {
      const text = this.#expander.target(target);
      const use: RedirectUse = { fd, op, target: text };
      if (op === "<<<") use.text = this.#expander.text(target);
      else if (body !== undefined) use.text = this.#expander.text(body);
      else if (op === "<") {
        const known = this.#fileText(text);
        if (known !== undefined) use.text = known;
      }
      return use;
    });
  }

  /** Follows the scripts inside words; they feed no pipe of ours. */
  #substitutions(words: readonly Word[]): Invocation[] {
    const before = this.invocations.length;
    const cwd = this.#state.cwd;
    for (const word of words) {
      for (const script of scriptsIn(word.parts)) this.#script(script, START);
    }
    this.#evaluation.words(words);
    this.#state.cwd = cwd;
    return this.invocations.slice(before);
  }

  /** Records a program run and follows what it runs in turn. `/proc/self/exe` is the shell. */
  #run(argv: readonly string[], frame: Frame): void {
    const invocation = this.#push(argv, frame);
    if (/^\/proc\/[^/]+\/exe$/.test(invocation.path)) {
      this.#run(["bash", ...invocation.args], { ...frame, raw: [] });
    }
    if (hasUnknown(invocation.path)) {
      // Were the unknown part empty, the rest of the line would be the command.
      const path = eraseUnknown(invocation.path);
      const rest = path === "" ? invocation.args : [path, ...invocation.args];
      if (path === "" && rest.length > 0) this.#run(rest, { ...frame, raw: [] });
      const usual = PROGRAM_DEFAULTS.get(showUnknown(invocation.path).slice(1));
      if (usual !== undefined) this.#run([usual, ...invocation.args], { ...frame, raw: [] });
    } else if (hasGlob(invocation.path)) this.#tryGlob(invocation, frame);
    this.#evaluation.builtin(invocation);
    applyBuiltin(this.#state, invocation);
    this.#evaluation.assigned();
    this.#callFunction(invocation, frame);
    const known = { fileText: (path: string) => this.#fileText(path), fed: this.#state.fed };
    for (const payload of innerCommands(invocation, known)) this.#follow(payload, invocation);
  }

  #follow(payload: Payload, from: Frame): void {
    if ("unjudged" in payload) {
      this.unjudged.add(payload.unjudged);
      return;
    }
    if (++this.#payloadDepth > MAX_PAYLOAD_DEPTH) throw new ShellLimitError("too many wrappers");
    const { upstream, stdin, background, inner, redirects, env } = from;
    const flow: Flow = { upstream, stdin, background, via: [...from.via, payload.via] };
    const { cwd } = this.#state;
    if (payload.cwd !== undefined) this.#state.cwd = directoryAfter(payload.cwd, this.#place());
    if ("argv" in payload) this.#run(payload.argv, { ...flow, env, redirects, inner, raw: [] });
    else this.#followText(payload, flow);
    if (payload.cwd !== undefined) this.#state.cwd = cwd;
    this.#payloadDepth--;
  }

  #followText(payload: TextPayload, flow: Flow): void {
    if (hasUnknownBut(payload.text, "number", "quoted", "settings")) this.unjudged.add(payload.via);
    const { positional, zero } = this.#state;
    if (payload.positional !== undefined) {
      this.#state.zero = payload.positional[0] ?? zero;
      this.#state.positional = payload.positional.slice(1);
    }
    const inside = payload.fromInput === true ? { ...flow, stdin: undefined } : flow;
    const text = showUnknown(payload.text);
    this.text(payload.expands === true ? expandingScript(text) : text, inside);
    this.#state.positional = positional;
    this.#state.zero = zero;
  }

  #callFunction({ path, args }: Invocation, frame: Frame): void {
    const alias = this.#state.aliases.get(path);
    if (alias !== undefined && !this.#calling.has(path)) {
      this.#calling.add(path);
      this.text([alias, ...args.map((arg) => shellQuote(showUnknown(arg)))].join(" "), frame);
      this.#calling.delete(path);
    }
    const body = this.#functions.get(path);
    if (body === undefined || this.#calling.has(path)) return;
    const { positional } = this.#state;
    this.#state.positional = args;
    this.#calling.add(path);
    this.#command(body, frame);
    this.#calling.delete(path);
    this.#state.positional = positional;
  }

  /** `/bin/r?` runs what it matches: every program with rules that fits is assumed. A lone `*` is prose. */
  #tryGlob({ path, args }: Invocation, frame: Frame): void {
    if (!/[/a-z]/i.test(path)) return;
    this.unjudged.add("program name pattern");
    const pattern = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
    for (const program of this.#programs) {
      if (globMatch(pattern, program)) this.#run([program, ...args], { ...frame, raw: [] });
    }
  }

  #push(argv: readonly string[], frame: Frame): Invocation {
    if (this.invocations.length >= LIMITS.commands) throw new ShellLimitError("too many commands");
    const invocation = invocationOf(argv, { ...frame, place: this.#place() });
    this.invocations.push(invocation);
    return invocation;
  }

  #place(): Place {
    return { cwd: this.#state.cwd, home: this.#home, places: this.#places };
  }

  #fileText(path: string): string | undefined {
    return this.#state.files.size === 0
      ? undefined
      : this.#state.files.get(canonicalPath(path, this.#place()));
  }
}
