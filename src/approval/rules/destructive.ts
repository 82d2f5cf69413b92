/** Whether a command may change files in a way worth a snapshot first. Triggers checkpoints, never a question. */
import { touchesOf } from "./effects.ts";
import type { Invocation } from "../shell/invocation.ts";
import { subcommand } from "../shell/unwrap.ts";
import { ShellLimitError } from "../shell/shell_ast.ts";
import { walkShell } from "../shell/walk.ts";

const CHANGES_FILES = new Set("rm rmdir cp install mv truncate dd shred unlink".split(" "));
const GIT_CHANGES = new Set(
  "reset clean checkout restore switch rm mv stash merge rebase pull apply am revert".split(" "),
);

/** True for `rm`, `mv`, `sed -i`, `git reset`, `> file` and the like, however wrapped; when in doubt, true. */
export function isDestructive(command: string): boolean {
  try {
    return walkShell(command, { programs: [] }).invocations.some(changesFiles);
  } catch (error) {
    if (error instanceof ShellLimitError) return true;
    throw error;
  }
}

function changesFiles(invocation: Invocation): boolean {
  const { program, args } = invocation;
  if (CHANGES_FILES.has(program)) return true;
  if (program === "git") return GIT_CHANGES.has(subcommand(args, "git").name);
  return touchesOf(invocation).some(({ effect, path }) =>
    (effect === "write" || effect === "delete") && !path.startsWith("/dev/")
  );
}
