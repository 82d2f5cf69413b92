/** Terminal text as a person would read it: for models, logs and notices. */
// deno-lint-ignore-file no-control-regex

/** CSI, string sequences (OSC, DCS, …), other escapes, and control bytes that print nothing. */
const CONTROL =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]|[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]/g;
const SUSPICIOUS = /[\x00-\x08\x0b-\x1f\x7f\x9b]/;

/** Removes escape sequences; a line that was overwritten (progress bars) keeps its last form. */
export function cleanOutput(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return text.replace(CONTROL, "").replace(/\r+$/gm, "").replace(/[^\n]*\r/g, "")
    .replace(/[^\n]?\x08/g, "");
}
