/** Bad command lines and broken pipes: one clear line, the right exit code, no stack trace. */
import assert from "node:assert/strict";
import { hermesCommand, runHermes, tempHome, testEnv } from "../support/hermes.ts";

Deno.test("hermes answers every wrong command line with one message and exit code 2", async () => {
  await using home = await tempHome();
  const cases: [string[], RegExp][] = [
    [[], /no command, and no terminal/],
    [["rnu"], /unknown command "rnu"\. Did you mean "run"\?/],
    [["fix the bug"], /unknown command "fix the bug"/],
    [["config", "gte", "x"], /unknown subcommand "gte" of "hermes config"\. Did you mean "get"\?/],
    [["schema"], /hermes schema needs a subcommand/],
    [["config", "get"], /hermes config get needs KEY/],
    [["config", "get", "a", "b"], /takes KEY; "b" is too much/],
    [["version", "--jsno"], /unknown flag "--jsno" for "hermes version"\. Did you mean "--json"\?/],
    [["--profile"], /--profile needs a value/],
    [["-p", "../x", "config"], /"\.\.\/x" is no profile name/],
    [["help", "confg"], /no command "confg"\. Did you mean "config"\?/],
  ];
  await Promise.all(cases.map(async ([args, message]) => {
    const { code, stdout, stderr } = await runHermes({ home: home.path, args });
    assert.equal(code, 2, args.join(" "));
    assert.equal(stdout, "");
    assert.match(stderr, new RegExp(`^hermes: .*${message.source}`));
    assert.doesNotMatch(stderr, /\n\s+at /);
  }));
});

Deno.test("hermes shows a stack trace only with --verbose", async () => {
  await using home = await tempHome();
  const { stderr } = await runHermes({ home: home.path, args: ["rnu", "--verbose"] });
  assert.match(stderr, /\n\s+at /);
});

Deno.test("hermes ends quietly when the reader of its output goes away", async () => {
  await using home = await tempHome();
  const { command, args } = hermesCommand(["config", "list", "--all"]);
  const script = `"$@" | head -n 1; echo "code \${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", script, "bash", command, ...args],
    env: testEnv(home.path),
    clearEnv: true,
  }).output();
  assert.equal(new TextDecoder().decode(stderr), "");
  assert.match(new TextDecoder().decode(stdout), /^model\.default = "".*\ncode 0\n$/);
});

Deno.test("hermes says so when its output cannot be written", async () => {
  await using home = await tempHome();
  const { command, args } = hermesCommand(["config", "list", "--all"]);
  const { code, stderr } = await new Deno.Command("bash", {
    args: ["-c", `"$@" > /dev/full`, "bash", command, ...args],
    env: testEnv(home.path),
    clearEnv: true,
  }).output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /^hermes: cannot write to standard output: /);
});

Deno.test("hermes works in the directory that deno task was called from", async () => {
  await using home = await tempHome();
  const { command, args } = hermesCommand(["config", "path"]);
  const { stdout } = await new Deno.Command(command, {
    args,
    cwd: "/",
    env: { ...testEnv(home.path), HERMES_HOME: "relative", HERMES_LAUNCH_CWD: home.path },
    clearEnv: true,
  }).output();
  assert.equal(new TextDecoder().decode(stdout), `${home.path}/relative/config.yaml\n`);
});
