import { equal, match } from "node:assert/strict";
import { exitCodeMeaning, outcomeHint } from "./_terminal_notes.ts";

Deno.test("exitCodeMeaning() knows codes that are no errors", () => {
  const cases: [string, number, RegExp | undefined][] = [
    ["grep x f", 1, /No matches/],
    ["cat f | grep x", 1, /No matches/],
    ["cd a && /usr/bin/rg x", 1, /No matches/],
    ["LANG=C sudo grep x f", 1, /No matches/],
    ["grep x f", 2, undefined],
    ["grep x f | wc -l", 1, undefined],
    ["diff a b", 1, /differ/],
    ["test -f x", 1, /false/],
    ["[ -f x ]", 1, /false/],
    ["find / -name x", 1, /could not be read/],
    ["curl http://x", 6, /resolve/],
    ["curl http://x", 7, /connect/],
    ["curl -f http://x", 22, /error status/],
    ["curl http://x", 28, /timed out/],
    ["git diff --exit-code", 1, /no error/],
    ["make", 1, undefined],
    ["ls", 0, undefined],
  ];
  for (const [command, code, expected] of cases) {
    const meaning = exitCodeMeaning(command, code);
    if (expected === undefined) equal(meaning, undefined, command);
    else match(meaning ?? "", expected, command);
  }
});

Deno.test("exitCodeMeaning() names the signal that ended a program", () => {
  match(exitCodeMeaning("./x", 139)!, /SIGSEGV/);
  match(exitCodeMeaning("./x", 137)!, /SIGKILL/);
  match(exitCodeMeaning("./x", -15)!, /SIGTERM/);
  equal(exitCodeMeaning("./x", 130), undefined);
});

Deno.test("outcomeHint() advises on known failures", () => {
  const cases: [string, number, string, RegExp][] = [
    ["python x.py", 127, "bash: line 1: python: command not found", /python3/],
    ["pip install x", 127, "bash: line 1: pip: command not found", /pip3/],
    ["foo", 127, "bash: line 1: foo: command not found", /not installed/],
    ["node x", 1, "Error: Cannot find module 'y'", /dependency/],
    ["git merge x", 1, "CONFLICT (content): Merge conflict in a", /unmerged/],
    ["cat /root/x", 1, "cat: /root/x: Permission denied", /owner and mode/],
    ["mkdir x", 1, "mkdir: cannot create directory 'x': File exists; already exists", /exists/],
    ["sleep 9", 124, "", /background/],
    ["./x", 126, "", /executable/],
    ["./x", 137, "", /memory/],
  ];
  for (const [command, code, output, expected] of cases) {
    match(outcomeHint(command, { code, output }) ?? "", expected, command);
  }
});

Deno.test("outcomeHint() is silent when there is nothing to say", () => {
  equal(outcomeHint("ls", { code: 0, output: "error.log" }), undefined);
  equal(outcomeHint("ls | wc -l", { code: 0, output: "3" }), undefined);
  equal(outcomeHint("grep 'not found' log", { code: 1, output: "" }), undefined);
  equal(outcomeHint("make", { code: 2, output: "something else" }), undefined);
});

Deno.test("outcomeHint() sees a failure that the end of a pipeline hides", () => {
  for (const end of ["| tail -5", "| head", "|| true", "|| echo failed", "| tee log", "|| :"]) {
    match(outcomeHint(`make ${end}`, { code: 0, output: "fatal: broken" }) ?? "", /last command/);
  }
});
