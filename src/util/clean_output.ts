/** Terminal text as a person would read it: for models, logs and notices. */
// deno-lint-ignore-file no-control-regex
import { trimEndOf } from "./trim_end.ts";

/** CSI, string sequences (OSC, DCS, …), other escapes, and control bytes that print nothing. */
const CONTROL =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]|[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]/g;
const SUSPICIOUS = /[\x00-\x08\x0b-\x1f\x7f\x9b]/;

/** Removes escape sequences; a line that was overwritten (progress bars) keeps its last form. */
export function cleanOutput(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  const plain = text.replace(CONTROL, "");
  const lines = plain.includes("\r") ? plain.split("\n").map(lastForm).join("\n") : plain;
  return lines.includes("\x08") ? applyBackspaces(lines) : lines;
}

/** What a line shows after its carriage returns; those at its end overwrite nothing. */
function lastForm(line: string): string {
  const text = trimEndOf(line, "\r");
  return text.slice(text.lastIndexOf("\r") + 1);
}

/** Each backspace takes the character before it, but never a line end. */
function applyBackspaces(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character !== "\x08") kept.push(character);
    else if (kept.length > 0 && kept.at(-1) !== "\n") kept.pop();
  }
  return kept.join("");
}
