/** Which redaction the output of a shell command needs: dumps of variables are all secrets by name. */
import type { RedactMode } from "./redact.ts";
import { trimEndOf } from "../util/trim_end.ts";

/** A file of variables; samples hold none worth hiding. */
const DOTENV = /(?:^|\/)(?:\.env(?:\.(?!example|sample|template|dist)[\w.-]+)?|[\w-]+\.env)$/;

/** `prose` when the command prints variables or a dotenv file, else `code`. */
export function commandRedactMode(command: string): RedactMode {
  return command.split(/[;&|\n()]+/).some(printsVariables) ? "prose" : "code";
}

function printsVariables(segment: string): boolean {
  const words = segment.trim().split(/\s+/).map((word) =>
    trimEndOf(word.replace(/^["'<]+/, ""), "\"'")
  );
  while (/^(?:\w+=.*|sudo|command|builtin)$/.test(words[0] ?? "")) words.shift();
  const [program, ...rest] = words;
  const operands = rest.filter((word) => !word.startsWith("-"));
  switch (program?.replace(/^.*\//, "")) {
    case "printenv":
      return true;
    case "env":
      // Without a program to run it prints what it would give it.
      return operands.every((word) => word.includes("="));
    case "set":
      return rest.length === 0;
    case "export":
    case "declare":
      return operands.length === 0;
    default:
      return operands.some((word) => DOTENV.test(word));
  }
}
