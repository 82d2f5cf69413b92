/** No argument makes a rule slow: every pattern is linear in what it reads. */
import assert from "node:assert/strict";
import type { Invocation } from "../../src/approval/shell/invocation.ts";
import type { Rule } from "../../src/approval/rules/rule.ts";
import { RULES } from "../../src/approval/rules/rules.ts";

/** Fragments that patterns with unbounded repetitions start on, over and over. */
const FRAGMENTS = [
  "a",
  "-a ",
  "--a=",
  "a=",
  "/",
  "../",
  "a/",
  "/*",
  "$(",
  "\0x\0",
  "\0x\0.",
  " ",
  "'",
  "@a",
  "a:",
  "s3 cp ",
  "get secret ",
  "http://a",
  "drop table ",
  "update a set ",
  "r w ",
  "{}",
  "*",
  "[a",
  "~/.ssh/",
  ".env ",
  "1G",
  "a,b+s",
  "-v /etc:",
  "inspect ",
  "-x -a",
  "\n",
  "0x",
  "C:\\appdata\\hermes",
  "install -y ",
];
const CHARS = 16_000;
/** Calls faster than this are not looked at twice. */
const SUSPECT_MS = 100;
/** Four times the text: a linear pattern takes four times as long, a quadratic one sixteen. */
const TOLERATED_GROWTH = 10;

function invocation(program: string, argument: string): Invocation {
  return {
    program,
    path: program,
    args: ["-a", argument, ...argument.slice(0, 3_000).split(" ")],
    raw: [argument],
    env: new Map([["X", argument], ["GIT_SSH_COMMAND", argument], ["PATH", argument]]),
    redirects: [{ fd: "", op: ">", target: argument }, { fd: "", op: "<", target: argument }],
    upstream: [],
    stdin: argument,
    background: false,
    via: [],
    inner: [],
    place: { home: "/home/me", cwd: "/home/me/project" },
  };
}

/** The shortest of three runs: what the machine does besides only makes a run longer. */
function shortestMs(run: () => void): number {
  return Math.min(...[1, 2, 3].map(() => {
    const startedAt = performance.now();
    run();
    return performance.now() - startedAt;
  }));
}

function growsTooFast(rule: Rule, program: string, fragment: string): boolean {
  const texts = [CHARS, CHARS * 4].map((chars) => fragment.repeat(chars / fragment.length));
  const [short, long] = texts.map((text) =>
    shortestMs(() => {
      rule.test(invocation(program, text), []);
      rule.mentions?.test(text);
    })
  );
  return long! > SUSPECT_MS && long! / short! > TOLERATED_GROWTH;
}

Deno.test("RULES take time in proportion to the command, whatever it repeats", () => {
  const slow: string[] = [];
  for (const rule of RULES) {
    // Tables of programs have a pattern each; every one of them is tried with one of the texts.
    const programs = rule.programs ?? ["x"];
    const calls = Math.max(programs.length, FRAGMENTS.length);
    for (let i = 0; i < calls; i++) {
      const program = programs[i % programs.length]!;
      const fragment = FRAGMENTS[(i + rule.key.length) % FRAGMENTS.length]!;
      const text = fragment.repeat(CHARS / fragment.length);
      const startedAt = performance.now();
      rule.test(invocation(program, text), []);
      rule.mentions?.test(text);
      if (performance.now() - startedAt < SUSPECT_MS / 2) continue;
      if (growsTooFast(rule, program, fragment)) {
        slow.push(`${rule.key}: ${program} ${JSON.stringify(fragment)}`);
      }
    }
  }
  assert.deepEqual(slow, []);
});
