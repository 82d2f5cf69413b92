/**
 * The user's own shell set-up, read once: what the named start-up files export, and their
 * functions and aliases, written to two files that commands source.
 */
import type { ChildEnvironment } from "../../src/process/child_environment.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import { killTree } from "../../src/process/process_tree.ts";
import { startPiped } from "../../src/process/raw_process.ts";
import { runToEnd } from "../../src/process/run_to_end.ts";

export interface Profile {
  /** Exports; where a task starts from. */
  state: string;
  /** Functions and aliases; sourced by every command. */
  functions: string;
}

export interface ProfileOptions {
  files: readonly string[];
  /** Bash: other shells cannot write their functions down. */
  shell: string;
  env: ChildEnvironment;
  /** Private directory for the result. */
  dir: string;
}

const TIMEOUT_MS = 30_000;

/** Undefined when the files take too long or end the shell: commands then run without them. */
export async function readProfile(options: ProfileOptions): Promise<Profile | undefined> {
  const profile = { state: `${options.dir}/profile`, functions: `${options.dir}/functions` };
  const process = startPiped({
    argv: [options.shell, "-c", profileScript(options.files, profile), "bash"],
    env: options.env,
    stdin: "null",
  });
  const { exitCode } = await runToEnd(process, {
    kill: () => killTree({ leaders: [process.pid] }),
    timeoutMs: TIMEOUT_MS,
    onChunk() {},
  });
  return exitCode === 0 ? profile : undefined;
}

/** Names with one leading underscore are private to completion scripts and stay out. */
function profileScript(files: readonly string[], profile: Profile): string {
  const sources = files.map((file) => `[ -r ${shellQuote(file)} ] && . ${shellQuote(file)}`);
  return [
    "exec >/dev/null 2>&1",
    "shopt -s expand_aliases",
    ...sources,
    "set +eux",
    `{ export -p; export -pf; } >|${shellQuote(profile.state)}`,
    `{ declare -F | while read -r _ _ name; do case $name in __*) ;; _*) continue;; esac; ` +
    `declare -f "$name"; done; alias -p; echo shopt -s expand_aliases; } ` +
    `>|${shellQuote(profile.functions)}`,
    "exit 0",
  ].join("\n");
}
