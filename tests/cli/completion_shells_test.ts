/** The completion scripts, asked by the shells themselves. */
import assert from "node:assert/strict";
import { renderCompletion, type Shell } from "../../src/cli/completion_script.ts";
import { COMMANDS, GLOBAL_FLAGS } from "../../src/cli/commands_data.ts";

/** How each shell is asked what could follow `line`; prints one candidate a line. */
const ASK: Record<Shell, (line: string) => string> = {
  bash: (line) => `
    COMP_WORDS=(${bashWords(line)}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _hermes; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The completion builtins exist only inside zsh's line editor; these stand for them.
  zsh: (line) => `
    _describe() { local -a items=("\${(@P)2}"); print -l -- "\${(@)items%%:*}" }
    _files() { print -l -- FILES }
    compadd() { shift; print -l -- "$@" }
    words=(${bashWords(line)}); CURRENT=\${#words}; _hermes`,
  fish: (line) => `complete -C '${line}' | string split -f 1 \\t`,
};

const START: Record<Shell, readonly string[]> = {
  bash: ["--norc", "--noprofile", "-c"],
  zsh: ["-f", "-c"],
  fish: ["--no-config", "-c"],
};

function bashWords(line: string): string {
  return line.split(" ").map((word) => `"${word}"`).join(" ");
}

async function candidates(shell: Shell, line: string): Promise<string[]> {
  const script = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(
      script,
      renderCompletion(shell, { commands: COMMANDS, globals: GLOBAL_FLAGS }),
    );
    const prelude = shell === "zsh" ? "compdef() { : }\n" : "";
    const { code, stdout, stderr } = await new Deno.Command(shell, {
      args: [...START[shell], `${prelude}source ${script}\n${ASK[shell](line)}`],
    }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    assert.equal(code, 0);
    return new TextDecoder().decode(stdout).split("\n").filter((word) => word !== "");
  } finally {
    await Deno.remove(script);
  }
}

async function isInstalled(shell: Shell): Promise<boolean> {
  try {
    return (await new Deno.Command(shell, { args: ["--version"] }).output()).success;
  } catch {
    return false; // not on PATH
  }
}

const top = COMMANDS.filter((command) => !command.hidden).map((command) => command.name);
const config = COMMANDS.find((command) => command.name === "config")!;
const configSubcommands = config.subcommands!.map((sub) => sub.name);

for (const shell of ["bash", "zsh", "fish"] as const) {
  Deno.test(`renderCompletion() makes ${shell} complete commands, flags and choices`, async () => {
    if (!await isInstalled(shell)) {
      console.log(`not run: ${shell} is not installed here`);
      return;
    }
    const sorted = async (line: string) => (await candidates(shell, line)).toSorted();
    assert.deepEqual(await sorted("hermes "), top.toSorted());
    assert.ok((await sorted("hermes conf")).includes("config"));
    assert.deepEqual(await sorted("hermes config "), configSubcommands.toSorted());
    assert.deepEqual(await sorted("hermes -p work config "), configSubcommands.toSorted());
    assert.ok((await sorted("hermes config get --")).includes("--json"));
    assert.ok(!(await sorted("hermes config set --")).includes("--json"));
    const topics = top.filter((name) => name !== "help");
    assert.deepEqual(await sorted("hermes help "), topics.toSorted());
    assert.deepEqual(await sorted("hermes help config "), configSubcommands.toSorted());
    assert.deepEqual(await sorted("hermes run --approve "), [
      "always",
      "ask",
      "ask-all",
      "never",
      "plan",
      "smart",
    ]);
  });
}
