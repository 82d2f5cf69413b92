/**
 * The permanent allowlist: rule keys, and literal commands or globs. A glob may only cover a
 * single plain command, so that `git push*` never covers `git push; rm x`.
 */
import type { SimpleCommand } from "./shell/shell_ast.ts";
import { parseShell } from "./shell/shell_parser.ts";
import { globMatch } from "./shell/shell_glob.ts";

/** Whether an entry names the rule, by key or by an older name of it. Some rules ask every time. */
export function allowsRule(
  allowlist: Iterable<string>,
  rule: { key: string; aliases?: readonly string[]; everyTime?: boolean },
): boolean {
  if (rule.everyTime === true) return false;
  for (const entry of allowlist) {
    if (entry === rule.key || rule.aliases?.includes(entry) === true) return true;
  }
  return false;
}

/** Whether a literal or glob entry covers the whole command. */
export function allowsCommand(allowlist: Iterable<string>, command: string): boolean {
  const text = command.trim();
  for (const entry of allowlist) {
    if ((entry === text || globMatch(entry, text)) && isPlainCommand(text)) return true;
  }
  return false;
}

const INLINE_CODE = /^-(?:\w*[ce]|-(?:command|eval|exec|execute))(?:=|$)/;

/** One program with its arguments: nothing that starts a second one, openly or inside quotes. */
function isPlainCommand(text: string): boolean {
  const { script, error } = parseShell(text);
  const [statement, ...more] = script.statements;
  if (error !== undefined || statement === undefined || more.length > 0) return false;
  const [pipeline] = statement.pipelines;
  const [stage] = pipeline?.stages ?? [];
  if (statement.background || statement.pipelines.length > 1 || pipeline!.stages.length > 1) {
    return false;
  }
  return stage?.kind === "simple" && stage.redirects.length === 0 && hasPlainWords(stage);
}

function hasPlainWords({ words, assignments }: SimpleCommand): boolean {
  const parts = [...words, ...assignments.map(({ value }) => value)].flatMap((word) => word.parts);
  const plain = parts.every((part) =>
    part.kind === "text" || (part.kind === "param" && !part.quoted && part.arg === undefined)
  );
  if (!plain) return false;
  const hidesCode = parts.some((part) =>
    part.kind === "text" && part.quoted && /[;&|<>`$\n]/.test(part.text)
  );
  return !(hidesCode && words.some((word) => INLINE_CODE.test(word.raw)));
}
