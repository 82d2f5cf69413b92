/**
 * Judges commands, executes the allowed ones in the container, and reports each that had an
 * effect without a decision, made as small as possible. Owns no container and prints nothing.
 */
import { type CommandPolicy, evaluate } from "../../../src/approval/decide.ts";
import { SeenFiles } from "../../../src/approval/shell/earlier_commands.ts";
import { shellQuote } from "../../../src/util/shell_quote.ts";
import type { CommandRunner } from "./container.ts";
import { countedEffects, type Effect } from "./effects.ts";
import { EXECUTORS, PATH_FORMS, PAYLOADS, PROGRAM_FORMS, SCRIPTS } from "./constructs_data.ts";
import { READERS, WRITERS } from "./file_uses_data.ts";
import {
  type Case,
  formatCase,
  generateCase,
  type Grammar,
  pruneGrammar,
  singleCases,
} from "./generate.ts";
import type { Random } from "../mutate.ts";
import { HERMES_HOME, HOME } from "./protocol.ts";

/** A command that was allowed and had an effect that needs a decision. */
export interface Hole extends Case {
  effects: Effect[];
  /** As it was generated. */
  original: string;
}

export interface Counts {
  generated: number;
  executed: number;
  holes: number;
}

const FIXTURES = new URL("../../fixtures/approval/", import.meta.url);
const SHRINK_RUNS = 60;

/** What hermes knows when it runs in the container. */
const POLICY: CommandPolicy = {
  home: HOME,
  places: { homes: [HOME], hermesHomes: [HERMES_HOME], trustedBase: [] },
  hermesPrograms: ["/usr/local/sbin/hermes"],
};

/** True when the gate would run the command without asking anybody. */
export function isAllowed({ before, command, cwd }: Case): boolean {
  const policy = { ...POLICY, cwd, realCwd: cwd };
  const first = evaluate(before ?? "true", policy);
  if (first.decision !== "allow") return false;
  const files = new SeenFiles();
  for (const written of first.files) files.keep(written);
  const later = { ...policy, variables: first.variables, files };
  return evaluate(command, later).decision === "allow";
}

/** Both commands of a session as one: exports and the directory of the first reach the second. */
function scriptOf({ before, command }: Case): string {
  if (before === undefined) return command;
  return `(eval ${shellQuote(before)}; { export -p; export -pf; } >/tmp/.state; pwd >/tmp/.cwd)
. /tmp/.state; cd "$(cat /tmp/.cwd)"; eval ${shellQuote(command)}`;
}

/** The whole grammar; a corpus that does not exist has no lines. */
export function loadGrammar(): Grammar {
  const lines = (name: string) => {
    try {
      return Deno.readTextFileSync(new URL(name, FIXTURES)).split("\n")
        .filter((line) => line !== "" && !line.startsWith("# "))
        .map((line) => line.replaceAll("⏎", "\n"));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  };
  return {
    dangerous: ["dangerous.txt", "forbidden.txt", "bypass.txt"].flatMap(lines),
    everyday: lines("everyday.txt"),
    payloads: PAYLOADS,
    scripts: SCRIPTS,
    readers: READERS,
    writers: WRITERS,
    executors: EXECUTORS,
    programForms: PROGRAM_FORMS,
    pathForms: PATH_FORMS,
  };
}

export class Campaign {
  readonly counts: Counts = { generated: 0, executed: 0, holes: 0 };
  readonly #runner: CommandRunner;
  readonly #seen = new Set<string>();

  constructor(runner: CommandRunner) {
    this.#runner = runner;
  }

  /** Each piece of the grammar alone; the rest of the grammar is for `random()`. */
  async *singles(
    grammar: Grammar,
    options: { quick?: boolean } = {},
  ): AsyncGenerator<Hole, Grammar> {
    const leaking = new Set<string>();
    for (const { piece, ...tried } of singleCases(grammar, { leaking, ...options })) {
      this.counts.generated++;
      if (leaking.has(piece) || this.#isKnown(tried) || !isAllowed(tried)) continue;
      const effects = await this.observe(tried);
      if (effects.length === 0) continue;
      leaking.add(piece);
      this.counts.holes++;
      yield { ...tried, effects, original: tried.command };
    }
    return pruneGrammar(grammar, leaking);
  }

  /** Holes in `count` generated commands. */
  async *random(
    grammar: Grammar,
    options: { random: Random; count: number; deadline?: number },
  ): AsyncGenerator<Hole> {
    const { count, deadline = Infinity } = options;
    for (let i = 0; i < count && performance.now() < deadline; i++) {
      const hole = await this.try(generateCase(options.random, grammar));
      if (hole) yield hole;
    }
  }

  /** Judges, and executes when allowed; a hole is returned once however often it is found. */
  async try(tried: Case): Promise<Hole | undefined> {
    this.counts.generated++;
    if (this.#isKnown(tried) || !isAllowed(tried)) return undefined;
    const effects = await this.observe(tried);
    if (effects.length === 0) return undefined;
    const small = await this.#shrink(tried, effects[0]!.kind);
    const signature = `${effects[0]!.kind} ${small.command.replace(/\d/g, "")}`;
    if (this.#seen.has(signature)) return undefined;
    this.#seen.add(signature);
    this.counts.holes++;
    return { ...small, effects: await this.observe(small), original: tried.command };
  }

  /** Executes a command without judging it. */
  async observe(tried: Case): Promise<Effect[]> {
    this.counts.executed++;
    return countedEffects(await this.#runner.run(scriptOf(tried), tried.cwd));
  }

  #isKnown(tried: Case): boolean {
    const key = formatCase(tried);
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  /** Leaves out tokens while the smaller command is still allowed and still has the effect. */
  async #shrink(from: Case, kind: Effect["kind"]): Promise<Case> {
    let tokens: string[] = from.command.match(/[A-Za-z0-9_./-]+|\s+|[^]/g) ?? [];
    let runs = 0;
    for (let size = tokens.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at < tokens.length && runs < SHRINK_RUNS;) {
        const fewer = [...tokens.slice(0, at), ...tokens.slice(at + size)];
        const smaller = { ...from, command: fewer.join("") };
        const isCandidate = isAllowed(smaller);
        if (isCandidate) runs++;
        if (isCandidate && await this.#has(smaller, kind)) tokens = fewer;
        else at += size;
      }
    }
    return { ...from, command: tokens.join("") };
  }

  async #has(tried: Case, kind: Effect["kind"]): Promise<boolean> {
    return (await this.observe(tried)).some((effect) => effect.kind === kind);
  }
}

/** One line for people: what happened, and the command as a JSON string. */
export function describeHole(hole: Hole): string {
  const { before, command, cwd, effects, original } = hole;
  const what = [...new Set(effects.map(({ kind, detail }) => `${kind}: ${detail}`))].slice(0, 3);
  const from = original === command ? "" : `\n    generated as ${JSON.stringify(original)}`;
  const first = before === undefined ? "" : `${JSON.stringify(before)}, then `;
  return `${first}${JSON.stringify(command)} in ${cwd}\n    ${what.join("; ")}${from}`;
}
