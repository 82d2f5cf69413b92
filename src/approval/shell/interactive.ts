/** Programs that take commands from whoever types: started for later input, they run unjudged text. */
import { type Invocation, isShell, parseLeading, shellUse } from "./invocation.ts";

/** Read commands whenever no file is named. */
const LANGUAGES =
  /^(?:python|pypy|ipython|node|nodejs|deno|bun|ruby|irb|pry|lua|php|ghci|ghc|r|julia|perl|tclsh|wish|expect|guile|racket|sbcl|clisp|ocaml|erl|iex|scala|groovy|jshell|octave|bc|dc|m4|awk)[\d.]*$/;
/** Have a command of their own that starts programs, or lead to a shell. */
const HOSTS =
  /^(?:psql|mysql|mariadb|sqlite3|mongosh?|gdb|lldb|ed|ex|vi|vim|nvim|view|emacs|nano|less|more|most|man|top|htop|tmux|screen|byobu|ftp|sftp|lftp|telnet|mutt|mail|su|login|newgrp|nix-shell|poetry|pipenv|newuidmap|at|batch|crontab|socat|nc|ncat|netcat|xargs|parallel)$/;

/** True when the writer of its standard input decides what it runs. */
export function takesCommands(command: Invocation): boolean {
  if (command.redirects.some(({ op }) => op.startsWith("<")) || command.upstream.length > 0) {
    return false;
  }
  if (isShell(command)) return shellUse(command).mode === "stdin";
  const { program, args } = command;
  const { operands, flags } = parseLeading(args, { values: "cemWXrI" });
  if (LANGUAGES.test(program)) {
    return flags.has("i") ||
      (operands.length === 0 && !["c", "e", "m", "v", "V", "h"].some((f) => flags.has(f)) &&
        !args.some((arg) => arg.startsWith("--")));
  }
  if (program === "ssh") {
    return parseLeading(args, { values: "BbcDEeFIiJLlmOopQRSWw" }).operands.length === 1 &&
      !flags.has("N");
  }
  if (program === "sudo" || program === "doas") return flags.has("i") || flags.has("s");
  return HOSTS.test(program);
}
