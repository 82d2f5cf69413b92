import assert from "node:assert/strict";
import type { Command, Part, Script, Word } from "./shell_ast.ts";
import { LIMITS, ShellLimitError } from "./shell_ast.ts";
import { parseShell } from "./shell_parser.ts";

/** The tree in a form short enough to compare: `a b | c && d &`. */
function outline(script: Script): string {
  return script.statements.map(({ pipelines, background }) =>
    pipelines.map(({ link, stages }) => `${link && `${link} `}${stages.map(command).join(" | ")}`)
      .join(" ") + (background ? " &" : "")
  ).join("; ");
}

function command(node: Command): string {
  switch (node.kind) {
    case "function":
      return `${node.name}() ${command(node.body)}`;
    case "compound":
      return `${node.keyword}[${
        [node.variable, node.words?.map(word).join(" "), ...node.bodies.map(outline)]
          .filter((part) => part !== undefined).join(" / ")
      }]`;
    default:
      return [
        ...node.assignments.map(({ name, append, value, items }) =>
          `${name}${append ? "+" : ""}=${items ? `(${items.map(word).join(" ")})` : word(value)}`
        ),
        ...node.words.map(word),
        ...node.redirects.map(({ fd, op, target, body }) =>
          `${fd}${op}${word(target)}${body ? `{${word(body)}}` : ""}`
        ),
      ].join(" ");
  }
}

function word({ parts }: Word): string {
  return parts.map(part).join("");
}

function part(piece: Part): string {
  switch (piece.kind) {
    case "text":
      return piece.quoted ? `‹${piece.text}›` : piece.text;
    case "param":
      return `\${${piece.indirect ? "!" : ""}${piece.name}${piece.op}${
        piece.op && piece.arg ? word(piece.arg) : ""
      }${piece.replacement ? `/${word(piece.replacement)}` : ""}}`;
    case "script":
      return `$(${outline(piece.script)})`;
    case "process":
      return `<(${outline(piece.script)})`;
    default:
      return `((${piece.parts.map(part).join("")}`;
  }
}

const TREES: Readonly<Record<string, string>> = {
  "ls -la 'a b' \"c d\" e\\ f": "ls -la ‹a b› ‹›‹c d› e‹ ›f",
  "a | b |& c && d || e; f & g": "a | b | c && d || e; f &; g",
  "a;b\nc": "a; b; c",
  "# note\nls # more": "ls",
  "echo a#b": "echo a#b",
  "r\\\nm": "rm",
  "$'\\x72\\155' $'\\u0041'": "‹rm› ‹A›",
  'echo "$x ${y:-z} $(ls) `pwd`"': "echo ‹›${x}‹ ›${y:-z}‹ ›$(ls)‹ ›$(pwd)",
  "echo ${x/a/b} ${!x} ${#x} ${a[@]} ${a[1]}": "echo ${x/a/b} ${!x} ${xlength} ${a[@]} ${a}",
  "echo $((1 + $(ls))) ok": "echo ((1 + $(ls)) ok",
  "echo $( (ls) )": "echo $(([ls])",
  "echo `echo \\`ls\\``": "echo $(echo $(ls))",
  "diff <(a) >(b)": "diff <(a) <(b)",
  "a >x 2>>y <z &>w 2>&1 3<>v >|u": "a >x 2>>y <z &>w 2>&1 3<>v >|u",
  "cat <<A <<'B'\n$x\nA\n$y\nB\nls": "cat <<A{${x}‹\n›} <<‹B›{‹$y\n›}; ls",
  "cat <<-E\n\tx\n\tE\nls": "cat <<-E{‹x\n›}; ls",
  "cat <<< $x": "cat <<<${x}",
  "A=1 B=$(x) cmd": "A=1 B=$(x) cmd",
  "a=(x 'y z'\n w) b+=c": "a=(x ‹y z› w) b+=c",
  "(a; b) > f": "([a; b]",
  "{ a; b; } && c": "{[a; b] && c",
  "if a; then b; elif c; then d; else e; fi": "if[a / b / c / d / e]",
  "if a; then if b; then c; fi fi": "if[a / if[b / c]]",
  "for x in a b; do c $x; done": "for[x / a b / c ${x}]",
  "for ((i=0; i<3; i++)); do a; done": "for[((i=0; i<3; i++) / a]",
  "for x; do a; done": "for[x / a]",
  "while a; do b; done < f": "while[a / b]",
  "case $x in a|b) c;; (d) e;& *) f; esac": "case[${x} a b d * / c / e / f]",
  "[[ a < b && -f $(c) ]] && d": "[[[a b -f $(c)] && d",
  "f() { a; }; f": "f() {[a]; f",
  "function g { a; }": "g() {[a]",
  ":(){ :|:& };:": ":() {[: | : &]; :",
  "! a | b": "a | b",
  "time -p a": "a",
  "coproc N { a; }": "{[a]",
  "a && \\\n b": "a && b",
  "a |\n b": "a | b",
  "echo {a,b}": "echo {a,b}",
  "echo @(a|$(b))": "echo @(a|$(b))",
};

Deno.test("parseShell() builds the tree of every construct", () => {
  for (const [source, expected] of Object.entries(TREES)) {
    const { script, error } = parseShell(source);
    assert.equal(error, undefined, `${source}: ${error}`);
    assert.equal(outline(script), expected, source);
  }
});

Deno.test("parseShell() reads a double parenthesis both ways", () => {
  assert.equal(outline(parseShell("((reboot))").script), "(([((reboot) / reboot]");
  assert.equal(outline(parseShell("((a); (b))").script), "([([a]; ([b]]");
});

Deno.test("parseShell() keeps what came before an error and returns the rest", () => {
  for (
    const [source, before, rest] of [
      ["ls; echo 'open", "ls", "echo 'open"],
      ['ls\necho "open', "ls", 'echo "open'],
      ["ls; (a; b", "ls", "(a; b"],
      ["ls )x", "ls", ")x"],
      ["a; if b; then c", "a", "if b; then c"],
      ["a; echo ${x", "a", "echo ${x"],
      ["a; b >", "a", "b >"],
      ["a; `b", "a", "`b"],
    ] as const
  ) {
    const parsed = parseShell(source);
    assert.notEqual(parsed.error, undefined, source);
    assert.equal(outline(parsed.script), before, source);
    assert.equal(parsed.rest, rest, source);
  }
});

Deno.test("parseShell() reports where comments are", () => {
  const source = "ls # one\n# two\necho 'a # b' a#b";
  const comments = parseShell(source).comments.map(({ start, end }) => source.slice(start, end));
  assert.deepEqual(comments, ["# one", "# two"]);
});

Deno.test("parseShell() refuses what is nested too deeply", () => {
  for (
    const [open, close] of [["$(", ")"], ["( ", ")"], ["((", "))"], ["{ ", "; }"], [
      "${x:-",
      "}",
    ]] as const
  ) {
    const deep = (levels: number) => `a ; ${open.repeat(levels)}b${close.repeat(levels)}`;
    assert.throws(() => parseShell(deep(LIMITS.depth + 2)), ShellLimitError, open);
    assert.equal(parseShell(deep(LIMITS.depth / 2)).error, undefined, open);
  }
});
