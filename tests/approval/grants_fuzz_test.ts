/**
 * A stored yes lets through only what its words say: random commands are compared with grants,
 * and each that passes is read once more by the shell parser and held against the shown text.
 */
import assert from "node:assert/strict";
import { commandCase } from "../../src/approval/command_case.ts";
import type { Finding } from "../../src/approval/decide.ts";
import { commandChoices } from "../../src/approval/grant_choices.ts";
import { coversCommand } from "../../src/approval/grants.ts";
import { parseShell } from "../../src/approval/shell/shell_parser.ts";
import type { ApprovalContext } from "../../src/protocol/approval.ts";
import type { Grant } from "../../src/protocol/grant.ts";
import { isWithin, resolvePath } from "../../src/util/path.ts";
import { Random } from "./mutate.ts";

const ROUNDS = 400;
const COMMANDS_EACH = 60;
const [PROJECT, CWD] = ["/home/me/app", "/home/me/app/sub"];
const FINDING: Finding = { key: "any", description: "does something", kind: "dangerous" };
const CONTEXT: ApprovalContext = {
  callId: "c",
  tool: "terminal",
  environment: "local",
  cwd: CWD,
  signal: new AbortController().signal,
};

const PROGRAMS = (
  "rm|rm -rf|rm -r -f|rmdir|mkdir -p|git push|git push -f|git push --force origin|git add|git|npm run|" +
  "npm|make|chmod -R 777|chmod|ls|cat|sh -c|bash|python3 -c|xargs rm|find . -exec rm|ssh h|docker run|" +
  "sudo rm -rf|eval|env rm|go test|cargo test|./rm -rf|/bin/rm"
).split("|");
const OPERANDS = (
  "a|b/c|build|../x|..|.|/|/etc|~|~/x|$HOME|$(id)|`id`|*|a*|'a b'|\"$x\"|-x|--|a;id|a&&id|a|a&|>f|<f|" +
  "/home/me/app/z|/home/me/app|/home/me|.git|.git/config|a/../../..|{a,b}|a\\ b|origin|main|+main|:main|" +
  "h:x|x=1|https://h/x|\\n|a\nid|#x|!|a\u0000b|\u202ea|ä|%2e%2e"
).split("|");

const PLAIN_OPERANDS = ["a", "b/c", "build", "x.ts", "/home/me/app/z"];

function randomCommand(random: Random): string {
  const words = [random.pick(PROGRAMS)];
  for (let left = random.below(4); left > 0; left--) {
    words.push(random.pick(random.chance(0.4) ? PLAIN_OPERANDS : OPERANDS));
  }
  const text = words.join(random.chance(0.1) ? "  " : random.chance(0.05) ? "\t" : " ");
  return random.chance(0.1)
    ? `${text}${random.pick([";", "|", "&&", "\n"])} ${random.pick(PROGRAMS)}`
    : text;
}

/** The beginning of a command with other words behind it. */
function variant(command: string, random: Random): string {
  const words = command.split(/[ \t]+/);
  const kept = words.slice(0, 1 + random.below(words.length));
  const added = Array.from(
    { length: random.below(3) },
    () => random.pick(random.chance(0.5) ? PLAIN_OPERANDS : OPERANDS),
  );
  return [...kept, ...added].join(" ");
}

function caseOf(command: string) {
  return commandCase(command, {
    findings: [FINDING],
    context: CONTEXT,
    project: PROJECT,
    policy: { home: "/home/me" },
    isAskAll: false,
  });
}

/** The words of one plain command, exactly as the shell passes them; undefined for anything else. */
function plainWords(command: string): string[] | undefined {
  const { script, error } = parseShell(command);
  const [statement, ...more] = script.statements;
  const [pipeline, ...linked] = statement?.pipelines ?? [];
  const [stage, ...piped] = pipeline?.stages ?? [];
  if (error !== undefined || more.length + linked.length + piped.length > 0) return undefined;
  if (statement?.background || stage?.kind !== "simple") return undefined;
  if (stage.redirects.length + stage.assignments.length > 0) return undefined;
  const isText = stage.words.every(({ parts }) => parts.every(({ kind }) => kind === "text"));
  return isText ? stage.words.map(({ raw }) => raw) : undefined;
}

/** True when a command is what a person reads in `rm -rf *`: the same words, then project paths. */
function fitsShownShape(command: string, shape: string): boolean {
  const words = plainWords(command);
  const fixed = shape.split(" ").slice(0, -1);
  if (words === undefined || words.length <= fixed.length) return false;
  return fixed.every((word, i) => words[i] === word) &&
    words.slice(fixed.length).every((word) => {
      const path = resolvePath(CWD, word);
      return /^[\w./-]+$/.test(word) && !word.startsWith("-") && path !== PROJECT &&
        isWithin(path, PROJECT) && !word.split("/").includes(".git");
    });
}

Deno.test("a stored yes to a command or a shape lets through what its words say, and no more", () => {
  const random = new Random(14);
  const counts = { command: 0, shape: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const asked = randomCommand(random);
    const choices = commandChoices(caseOf(asked), { canStore: true, isSecret: false });
    for (const id of ["always", "shape"]) {
      const choice = choices.find((one) => one.id === id);
      if (choice === undefined) continue;
      const grants: Grant[] = choice.grants.map((offer) => ({ ...offer, createdAt: "" }));
      const [{ kind, value }] = grants as [Grant];
      assert.ok(coversCommand(grants, caseOf(asked)), `${value} does not cover ${asked}`);
      assert.ok(choice.text.includes(`\`${value}\``) || choice.text.includes("this command"));
      for (let i = 0; i < COMMANDS_EACH; i++) {
        const tried = random.chance(0.3) ? randomCommand(random) : variant(asked, random);
        if (!coversCommand(grants, caseOf(tried))) continue;
        const fits = kind === "shape" ? fitsShownShape(tried, value) : tried.trim() === value;
        assert.ok(fits, `${kind} ${value} lets ${JSON.stringify(tried)} through`);
        counts[kind as "command" | "shape"]++;
      }
    }
  }
  // The test would hold for a program that allows nothing.
  assert.ok(counts.command > 5 && counts.shape > 50, JSON.stringify(counts));
});

Deno.test("no shape is offered for a command that runs text it is given", () => {
  const random = new Random(15);
  const runners = [
    "sh -c",
    "bash -c",
    "python3 -c",
    "eval",
    "xargs rm",
    "find a -exec rm",
    "ssh h",
    "docker run x",
    "sudo rm",
    "env rm",
  ];
  for (let i = 0; i < 500; i++) {
    const command = `${random.pick(runners)} ${random.pick(OPERANDS)}`;
    assert.equal(caseOf(command).shape, undefined, command);
  }
});
