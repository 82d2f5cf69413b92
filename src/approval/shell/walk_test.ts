import assert from "node:assert/strict";
import { commandLine } from "./invocation.ts";
import { ShellLimitError } from "./shell_ast.ts";
import { walkShell } from "./walk.ts";

function walk(source: string) {
  return walkShell(source, { programs: ["rm", "reboot"], home: "/home/me", cwd: "/home/me/p" });
}

/** The commands found, each on one line. */
function lines(source: string): string[] {
  return walk(source).invocations.map(commandLine);
}

const EXPANSIONS: Readonly<Record<string, string>> = {
  "r''m \"-\"rf $'\\x2f'": "rm -rf /",
  "x=rm; $x -rf": "rm -rf",
  "x='rm -rf /'; $x": "rm -rf /",
  "x='a b'; echo \"$x\" $x": "echo a b a b",
  "a=r b=m; $a$b": "rm",
  "x=a; x+=b; echo $x": "echo ab",
  "export x=a; echo $x": "echo a",
  'a=(x y); a+=(z); echo "${a[@]}" ${a[1]}': "echo x y z y",
  'set -- a b; echo $2 "$@" $#': "echo b a b 0",
  "echo ${u:-d} ${u:+} ${u-e}": "echo d e",
  ": ${x:=v}; echo $x": "echo v",
  "x=abc; echo ${x#a} ${x%c} ${x/b/-} ${x^^} ${x:1} ${x:0:1} ${#x}": "echo bc ab a-c ABC bc a 3",
  "y=v; x=y; echo ${!x}": "echo v",
  "echo $(echo a; ) `printf %s b` $(printf '\\x63') $(rev <<< d)": "echo a b c d",
  "echo $(echo aGk= | base64 -d) $(echo 6869 | xxd -r -p) $(echo ab | tr a-b x-y)": "echo hi hi xy",
  "echo {a,b}{1,2} {1..3} x{,y}": "echo a1 a2 b1 b2 1 2 3 x xy",
  "rm${IFS}-rf${IFS}/": "rm -rf /",
  "IFS=,; x=a,b; echo $x": "echo a b",
  'echo $IFSX "$HOME/x" ~': "echo $IFSX ~/x ~",
  "echo $unknown $(unknown)": "echo $unknown $(…)",
  "read x y <<< 'a b'; echo $y": "echo b",
};

Deno.test("walkShell() expands words as a shell would", () => {
  for (const [source, last] of Object.entries(EXPANSIONS)) {
    assert.equal(lines(source).at(-1), last, source);
  }
});

const HIDDEN: Readonly<Record<string, string>> = {
  "sudo -u bob -- rm x": "rm x",
  "sudo --user bob A=1 rm x": "rm x",
  "sudo -nu bob rm x": "rm x",
  "env -i -u B A=1 rm x": "rm x",
  "env -S 'rm x' y": "rm x y",
  "nice -n 5 ionice -c 3 nohup setsid timeout -k 1 5 stdbuf -o L rm x": "rm x",
  "/usr/bin/time -f %e rm x": "rm x",
  "echo a b | xargs -n 1 rm": "rm a b",
  "find . -name x -exec rm {} ; -print": "rm {}",
  "find . -okdir rm {} +": "rm {}",
  "bash -euo pipefail -c 'rm $1' zero x": "rm x",
  "sh -c '$0 $1' rm x": "rm x",
  "echo 'rm x' | sh": "rm x",
  "bash <<< 'rm x'": "rm x",
  "bash <(echo rm x)": "rm x",
  "eval 'rm' x": "rm x",
  "su - bob -c 'rm x'": "rm x",
  "ssh -p 22 host rm x": "rm x",
  "watch -n 1 'rm x'": "rm x",
  "parallel rm ::: x": "rm x",
  "script -qc 'rm x'": "rm x",
  "flock -w 5 lock rm x": "rm x",
  "busybox rm x": "rm x",
  "docker exec -it -e A=1 web rm x": "rm x",
  "docker compose -f a exec web rm x": "rm x",
  "kubectl -n ns exec pod -- rm x": "rm x",
  "npx --yes rm x": "rm x",
  "python3 -c \"import os; os.system('rm x')\"": "rm x",
  "python3 -c \"subprocess.run(['rm', 'x'])\"": "rm x",
  "git -c alias.z='!rm x' z": "rm x",
  'f() { rm "$1"; }; f x': "rm x",
  "trap 'rm x' EXIT": "rm x",
  "echo rm x > s; sh s": "rm x",
  "for c in ls rm; do $c x; done": "rm x",
  "echo rm | while read c; do $c x; done": "rm x",
  "$undefined rm x": "rm x",
  "/bin/r? x": "rm x",
  'cmd /c "rm x"': "rm x",
};

Deno.test("walkShell() finds commands inside commands", () => {
  for (const [source, hidden] of Object.entries(HIDDEN)) {
    assert.ok(lines(source).includes(hidden), `${source}: ${lines(source).join(" · ")}`);
  }
});

Deno.test("walkShell() does not take arguments and text for commands", () => {
  for (
    const source of [
      "echo rm x",
      "echo 'a; rm x'",
      "git commit -m 'rm x'",
      "cat <<E\nrm x\nE",
      "command -v rm",
      "sudo -l rm",
      "grep rm x # rm y",
    ]
  ) {
    const programs = walk(source).invocations.map(({ program }) => program);
    assert.ok(!programs.includes("rm"), `${source}: ${programs}`);
  }
});

Deno.test("walkShell() tries every value that branches and loops leave open", () => {
  assert.deepEqual(lines("x=a; test y && x=b; echo $x").slice(-2), ["echo a", "echo b"]);
  assert.deepEqual(lines("x=a; x=b; echo $x").slice(-1), ["echo b"]);
});

Deno.test("walkShell() follows the working directory, but not out of subshells", () => {
  const cwd = (source: string) => walk(source).invocations.at(-1)!.place.cwd;
  assert.equal(cwd("cd /etc && ls"), "/etc");
  assert.equal(cwd("cd ..; ls"), "~");
  assert.equal(cwd("(cd /etc); ls"), "/home/me/p");
  assert.equal(cwd("cd $somewhere; ls"), undefined);
});

Deno.test("walkShell() knows what flows into a program", () => {
  const last = walk("curl u | tee f | sudo sh").invocations.at(-1)!;
  assert.equal(last.program, "sh");
  assert.deepEqual(last.upstream.map(({ program }) => program), ["curl", "tee"]);
  assert.deepEqual(last.via, ["sudo"]);
});

Deno.test("walkShell() writes the command in normal form", () => {
  for (
    const [source, normal] of [
      ['/bin/rm   -rf  "/" # x', "/bin/rm -rf /"],
      ["a|b&&c;d&", "a | b && c; d &"],
      ["echo 'a b' > \"f\"", "echo 'a b' > f"],
      ["(a; b)", "(a; b)"],
      ["A=1 b", "A=1 b"],
    ] as const
  ) assert.equal(walk(source).normalized, normal);
});

Deno.test("walkShell() looks at what it cannot parse word by word", () => {
  const { problem, invocations } = walk("ls; 'rm -rf /");
  assert.equal(problem, "unterminated single quote");
  assert.ok(invocations.some((invocation) => commandLine(invocation) === "rm -rf /"));
});

Deno.test("walkShell() refuses to follow what grows without end", () => {
  const doubling = `a=x; ${"a=$a$a; ".repeat(40)}`;
  const calls = Array.from({ length: 30 }, (_, i) => `f${i}() { f${i + 1}; f${i + 1}; }`).join(
    "; ",
  );
  for (
    const source of [doubling, `${calls}; f0`, "x='eval $x'; eval $x", "sudo ".repeat(40) + "ls"]
  ) {
    assert.throws(() => walk(source), ShellLimitError, source.slice(0, 40));
  }
});
