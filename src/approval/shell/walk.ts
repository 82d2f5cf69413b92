/**
 * Follows a parsed script in order, as far as text alone allows, and lists every program it
 * would run: through pipes, substitutions, functions, wrappers and scripts inside scripts.
 * Over-approximates: both branches are taken, every possible value is tried.
 */
import { applyBuiltin, directoryAfter } from "./builtins.ts";
import { Callables } from "./callables.ts";
import { FollowedFiles, textsOnDisk } from "./disk_scripts.ts";
import { Expander, scriptsIn } from "./expand.ts";
import { Evaluation } from "./evaluation.ts";
import { innerCommands } from "./inner_commands.ts";
import { Indirections } from "./indirection.ts";
import type { Invocation, RedirectUse } from "./invocation.ts";
import { printedWords } from "./literal_output.ts";
import { absolutePath, canonicalPath, type Place } from "./paths.ts";
import type { Payload, TextPayload } from "./payload.ts";
import { isForkBomb } from "./fork_bomb.ts";
import { isProgramPattern, readingsOf } from "./readings.ts";
import { showCommand, showCompound } from "./show_command.ts";
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
import { hasUnknownBut } from "./unknown.ts";
import {
  type Flow,
  type Frame,
  givenIn,
  insideOf,
  invocationOf,
  isFedUnread,
  MAX,
  NOTHING,
  outputScripts,
  redirectWords,
  roughCommands,
  SAME_SHELL,
  scriptOf,
  START,
  type Walked,
  type WalkOptions,
  type Written,
} from "./walk_flow.ts";
import { NO_FILES, WrittenFiles } from "./written_files.ts";

/** @throws {ShellLimitError} when the script is too large to follow. */
export function walkShell(source: string, options: WalkOptions): Walked {
  const walker = new Walker(options);
  const normalized = walker.text(source, START);
  walker.runTraps();
  const { invocations, problem, unjudged, files, state } = walker;
  for (const construct of walker.indirections.unjudged) unjudged.add(construct);
  if (files.runsUnread) unjudged.add("file written before");
  const left = { variables: state.left(), moves: state.moves };
  return { invocations, normalized, problem, unjudged: [...unjudged], files, ...left };
}

class Walker {
  readonly invocations: Invocation[] = [];
  problem: string | undefined;
  readonly unjudged = new Set<string>();
  readonly #around: Place;
  readonly #programs: Iterable<string>;
  readonly files: WrittenFiles;
  readonly state: ShellState;
  readonly #expander: Expander;
  readonly #evaluation: Evaluation;
  readonly #callables: Callables;
  readonly indirections = new Indirections();
  readonly #traps: Invocation[] = [];
  readonly #onDisk = new FollowedFiles();
  /** How deep the walker is; above zero `branches` it is not certain that a command runs. */
  #at = { branches: 0, payloadDepth: 0, readings: 0, payloadChars: 0 };

  constructor(options: WalkOptions) {
    this.#around = { home: options.home, places: options.places, disk: options.disk };
    this.#programs = options.programs;
    this.state = new ShellState(options.cwd, options.variables, options.staysPut);
    this.files = new WrittenFiles(this.state.files, options.files ?? NO_FILES);
    this.#expander = new Expander(this.state, absolutePath("~", options));
    this.#evaluation = new Evaluation({
      state: this.state,
      expander: this.#expander,
      follow: (payload) => this.#follow(payload, { ...START, ...NOTHING }),
    });
    this.#callables = new Callables(this.state);
  }

  /** Parses and follows shell text; returns it in normal form. */
  text(source: string, flow: Flow): string {
    this.#at.payloadChars += source.length;
    if (this.#at.payloadChars > LIMITS.payloadChars) {
      throw new ShellLimitError("too much nested text");
    }
    const { script, error, rest } = parseShell(source);
    const normal = this.#script(script, flow);
    this.problem ??= error;
    if (error === undefined) return normal;
    for (const { argv, raw } of roughCommands(rest)) this.#run(argv, { ...flow, ...NOTHING, raw });
    return [normal, rest].filter((piece) => piece !== "").join("; ");
  }

  /** Follows the texts of `trap` once more, with what the variables and the input are in the end. */
  runTraps(): void {
    for (const trap of this.#traps.splice(0)) this.#runInner(trap);
  }

  #script(script: Script, flow: Flow): string {
    let out = "";
    for (const statement of script.statements) {
      const inside = { ...flow, background: flow.background || statement.background };
      const follow = () => statement.pipelines.map((pipeline) => this.#linked(pipeline, inside));
      const run = () => this.state.statement(statement === script.statements.at(-1), follow);
      const text = (statement.background ? this.state.subshell(follow) : run()).join(" ");
      if (out !== "") out += out.endsWith(" &") ? " " : "; ";
      out += statement.background ? `${text} &` : text;
    }
    return out;
  }

  #linked(pipeline: Pipeline, flow: Flow): string {
    if (pipeline.link === "") return this.#pipeline(pipeline, flow);
    this.#at.branches++;
    const line = `${pipeline.link} ${this.#pipeline(pipeline, flow)}`;
    this.#at.branches--;
    return line;
  }

  #pipeline({ stages }: Pipeline, flow: Flow): string {
    if (stages.length === 1) return this.#command(stages[0]!, flow);
    if (stages.length > MAX.stages) throw new ShellLimitError("too long a pipeline");
    let inside = flow;
    const texts = stages.map((stage) => {
      const before = this.invocations.length;
      const text = this.state.subshell(() => this.#command(stage, inside));
      const stdin = this.#expander.stageOutput(stage, inside.stdin);
      const upstream = [...inside.upstream, ...this.invocations.slice(before)];
      inside = { ...inside, stdin, upstream };
      return text;
    });
    return texts.join(" | ");
  }

  #command(command: Command, around: Flow): string {
    const flow = command.coproc === true ? { ...around, later: true } : around;
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
    if (isForkBomb(name, body)) {
      this.#push(["function", name], { ...flow, ...NOTHING }).forks = true;
    }
    this.#at.branches++;
    const text = this.#callables.define(name, { body, follow: () => this.#command(body, flow) });
    this.#at.branches--;
    return `${name}() ${text}`;
  }

  #compound(node: CompoundCommand, flow: Flow): string {
    const before = this.invocations.length;
    const inner = this.#substitutions([...node.words ?? [], ...redirectWords(node.redirects)]);
    if (node.keyword === "[[") this.#evaluation.operands(node.words ?? []);
    const redirects = this.#redirects(node.redirects);
    const frame = { ...flow, ...NOTHING, inner, redirects };
    if (redirects.length > 0) this.#runReadings(this.#push([], frame), frame);
    const plain = node.keyword === "(" || node.keyword === "{";
    if (!plain) this.#at.branches++;
    if (node.variable !== undefined) this.#bindLoop(node);
    const follow = () => node.bodies.map((body) => this.#script(body, insideOf(frame)));
    const bodies = node.keyword === "(" ? this.state.subshell(follow) : follow();
    if (!plain) this.#at.branches--;
    const commands = this.invocations.slice(before);
    this.#feed(node, { flow: { ...flow, stdin: undefined }, commands });
    return showCompound(node, bodies);
  }

  #bindLoop(node: CompoundCommand): void {
    const values = node.words === undefined
      ? this.state.positional
      : node.words.flatMap((word) => this.#expander.fields(word));
    this.state.assignAny(node.variable!, values ?? []);
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
    this.indirections.command(command);
    let text: string | undefined;
    const output = this.#writtenText(command, flow.stdin);
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
      this.files.expected = output?.key;
      const hasEffect = redirects.length > 0 || env.size > 0;
      if (argv.length > 0) this.#run(argv, frame);
      else if (hasEffect) this.#runReadings(this.#push([], frame), frame);
      if (argv.length > 0) this.#evaluation.variables(env);
    });
    const commands = this.invocations.slice(before);
    this.#evaluation.looseWords(command.words, { commands, complete });
    this.#feed(command, { flow, commands });
    this.#remember(command);
    this.files.expected = undefined;
    if (output !== undefined) this.files.write(output.key, output);
    return text ?? "";
  }

  /** Follows the scripts of `>(…)`, which read what the command writes. */
  #feed(command: Written, to: { flow: Flow; commands: Invocation[] }): void {
    for (const script of outputScripts(command)) {
      const stdin = this.#output(command, to.flow.stdin) ?? to.flow.stdin;
      this.#script(script, { ...to.flow, upstream: [...to.flow.upstream, ...to.commands], stdin });
    }
  }

  #output(command: Written, stdin: string | undefined): string | undefined {
    const redirects = command.redirects.filter(({ op }) => op.startsWith("<"));
    return this.#expander.stageOutput({ ...command, redirects }, stdin);
  }

  /** The file that a command writes and its text, where both are certain. */
  #writtenText(command: SimpleCommand, stdin: string | undefined) {
    const redirect = command.redirects.find(({ op, fd }) => /^>[>|]?$/.test(op) && /^1?$/.test(fd));
    const text = redirect === undefined ? undefined : this.#output(command, stdin);
    if (redirect === undefined || text === undefined) return undefined;
    const key = canonicalPath(this.#expander.target(redirect.target), this.#place());
    return { key, text, certain: this.#at.branches === 0, appends: redirect.op === ">>" };
  }

  /** Keeps the variables that later commands may refer to. */
  #remember(command: SimpleCommand): void {
    for (const assignment of givenIn(command)) {
      this.#evaluation.subscripts(assignment);
      this.#expander.assign(assignment, { certain: this.#at.branches === 0 });
    }
    this.#evaluation.assigned();
  }

  #redirects(redirects: readonly Redirect[]): RedirectUse[] {
    return redirects.map(({ fd, op, target, body }) => {
      const text = this.#expander.target(target);
      const use: RedirectUse = { fd, op, target: text };
      if (/^[<>]&$/.test(op)) this.#evaluation.descriptor(text);
      if (op === "<<<") use.text = this.#expander.text(target);
      else if (body !== undefined) use.text = this.#expander.text(body);
      else if (op === "<") {
        const known = this.files.text(text, this.#place());
        if (known !== undefined) use.text = known;
      }
      return use;
    });
  }

  /** Follows the scripts inside words; they feed no pipe of ours. */
  #substitutions(words: readonly Word[]): Invocation[] {
    const before = this.invocations.length;
    const scripts = words.flatMap(({ parts }) => [...scriptsIn(parts)]);
    for (const script of scripts) this.state.subshell(() => this.#script(script, START));
    this.#evaluation.words(words);
    const inner = this.invocations.slice(before);
    if (inner.length > 0) this.state.keepPrinted(printedWords(inner));
    return inner;
  }

  /** Records a program run and follows what it runs in turn. */
  #run(argv: readonly string[], frame: Frame): void {
    const invocation = this.#push(argv, frame);
    this.#evaluation.builtin(invocation);
    this.indirections.builtin(invocation);
    applyBuiltin(this.state, invocation);
    this.#evaluation.assigned();
    this.#callables.call(invocation, {
      text: (text) => void this.text(text, insideOf(frame)),
      body: (body) => void this.#command(body, insideOf(frame)),
    });
    this.#runInner(invocation);
    if (invocation.program === "trap") this.#traps.push(invocation);
    this.#runReadings(invocation, frame);
  }

  #runInner(invocation: Invocation): void {
    const fileText = (path: string) => this.files.text(path, invocation.place);
    const inner = innerCommands(invocation, { fileText, fed: this.state.fed });
    for (const payload of [...inner, ...textsOnDisk(invocation, fileText, this.state)]) {
      this.#follow(payload, invocation);
    }
  }

  /** Runs what the command may turn out to be. */
  #runReadings(invocation: Invocation, frame: Frame): void {
    if (isProgramPattern(invocation.path)) this.unjudged.add("program name pattern");
    const path = this.state.programDirectories(frame.env);
    if (this.files.isFoundUnread(invocation, path)) this.unjudged.add("file written before");
    if (this.#at.readings >= MAX.readings) return;
    this.#at.readings++;
    const { isLost, printed } = this.state;
    const known = { files: this.files, programs: this.#programs, path, isLost, printed };
    for (const { argv, targets } of readingsOf(invocation, known)) {
      const redirects = targets === undefined
        ? frame.redirects
        : frame.redirects.map((use, i) => ({ ...use, target: targets[i]! }));
      this.#run(argv, { ...frame, redirects, raw: [] });
    }
    this.#at.readings--;
  }

  #follow(payload: Payload, from: Frame): void {
    if ("unjudged" in payload) {
      this.unjudged.add(payload.unjudged);
      return;
    }
    if (++this.#at.payloadDepth > MAX.payloadDepth) throw new ShellLimitError("too many wrappers");
    const env = new Map([...from.env, ...payload.variables ?? []]);
    const via = [...from.via, payload.via];
    const restore = this.state.lend([...env]);
    const run = () => {
      if (payload.cwd !== undefined) this.state.cwd = directoryAfter(payload.cwd, this.#place());
      if ("argv" in payload) this.#run(payload.argv, { ...from, via, env, raw: [] });
      else this.indirections.text(payload, () => this.#followText(payload, from, via));
    };
    if (SAME_SHELL.test(payload.via) || payload.here === true) run();
    else this.state.subshell(run);
    restore();
    this.#at.payloadDepth--;
  }

  #followText(payload: TextPayload, from: Frame, via: readonly string[]): void {
    const flow: Flow = { ...insideOf(from), via };
    if (hasUnknownBut(payload.text, "number", "quoted", "settings")) this.unjudged.add(payload.via);
    const { positional, zero } = this.state;
    const given = payload.positional?.slice(1);
    if (given !== undefined) {
      this.state.zero = payload.positional![0] || zero;
      this.state.positional = given;
    }
    const inside = payload.fed === true
      ? { ...START, via: flow.via, later: true }
      : payload.fromInput === true
      ? { ...flow, stdin: undefined }
      : flow;
    if (payload.file === undefined) this.text(scriptOf(payload), inside);
    else this.#followFile(payload.file, () => this.text(scriptOf(payload), inside));
    // The words of `source f a b` end with it, unless the file sets others.
    if (this.state.positional === given) this.state.positional = positional;
    this.state.zero = zero;
  }

  /** A file that is too large to be followed needs a yes; typed text of that size is refused. */
  #followFile(file: string, run: () => void): void {
    const before = { ...this.#at };
    const undo = () => void (this.#at = before);
    this.#onDisk.follow(file, { run, undo, unjudged: this.unjudged });
  }

  #push(argv: readonly string[], frame: Frame): Invocation {
    if (this.invocations.length >= LIMITS.commands) throw new ShellLimitError("too many commands");
    this.#onDisk.spend();
    const invocation = invocationOf(argv, { ...frame, place: this.#place() });
    this.invocations.push(invocation);
    this.files.note(invocation);
    if (isFedUnread(invocation, this.state)) this.unjudged.add("later input");
    return invocation;
  }

  #place(): Place {
    return { ...this.#around, cwd: this.state.cwd };
  }
}
