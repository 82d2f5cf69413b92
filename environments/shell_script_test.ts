import { equal } from "node:assert/strict";
import { buildShellScript, isVariableName, readStateCwd } from "./shell_script.ts";

const BASE = {
  command: "echo 'it''s'",
  cwd: "/work dir",
  marker: "m.1",
  env: [],
  bash: false,
} as const;

Deno.test("buildShellScript() is one line that ends with the command", () => {
  const script = buildShellScript({ ...BASE, stateIn: "/s/1", stateOut: "/s/2" });
  equal(script.includes("\n"), false);
  equal(script.endsWith(`; eval 'echo '\\''it'\\'''\\''s'\\'''`), true);
  equal(script.startsWith("exec 2>&1; [ -r /s/1 ] && . /s/1 2>/dev/null; "), true);
  equal(script.includes("command cd -- '/work dir' || { echo "), true);
});

Deno.test("buildShellScript() opens the terminal it is given", () => {
  const script = buildShellScript({ ...BASE, tty: "/dev/pts/9" });
  equal(script.startsWith("exec </dev/pts/9 >/dev/pts/9 2>&1; "), true);
});

Deno.test("readStateCwd() takes only a whole state of the same command", () => {
  const state = "export A='1'\n\nreturn 0\n/work dir\n#hermes-end m.1\n";
  equal(readStateCwd(state, "m.1"), "/work dir");
  equal(readStateCwd(state, "m.2"), undefined);
  equal(readStateCwd(state.slice(0, -1), "m.1"), undefined);
  equal(readStateCwd("", "m.1"), undefined);
  equal(readStateCwd("x\nreturn 0\nrelative\n#hermes-end m.1\n", "m.1"), undefined);
  equal(readStateCwd("x\nreturn 0\n/a\nb\n#hermes-end m.1\n", "m.1"), "/a\nb");
});

Deno.test("isVariableName() accepts only what a shell can export", () => {
  for (const name of ["A", "_x1", "PATH"]) equal(isVariableName(name), true, name);
  for (const name of ["", "1A", "A-B", "A B", "A;B", "BASH_FUNC_x%%"]) {
    equal(isVariableName(name), false, name);
  }
});
