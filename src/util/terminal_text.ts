/**
 * Text that others wrote, as it may reach a terminal: characters that move the cursor, speak to
 * the terminal, turn the order of text round or hide it are shown as escapes. The escapes are
 * those of JSON, so that JSON stays the same JSON. One pass, and none over plain text.
 */

export interface TerminalTextOptions {
  /** Lets the colours through that hermes itself writes, and no other sequence. */
  styled?: boolean;
}

const PLAIN = /^[\t\n\x20-\x7e]*$/;
/** Controls (C0, DEL, C1), what turns or hides text, line and paragraph separators, half pairs. */
const HARMFUL = String
  .raw`[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Cs}\ufff9-\ufffb]`;
const UNSTYLED = new RegExp(HARMFUL, "gu");
/** The codes of `src/cli/render/style.ts` and of the doctor, one at a time. */
const STYLED = new RegExp(String.raw`\x1b\[(?:[012]|22|3[12369])m|${HARMFUL}`, "gu");

/** The text with nothing in it but what is seen, line feeds and tabs. */
export function terminalText(text: string, options: TerminalTextOptions = {}): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(options.styled ? STYLED : UNSTYLED, (found, at: number) => {
    if (found === "\n" || found === "\t" || found.endsWith("m")) return found;
    // The line feed behind it says it all; at the end of a piece it may still come.
    if (found === "\r") return (text[at + 1] ?? "\n") === "\n" ? "" : "\\r";
    if (joins(found) && joinsHere(text, at)) return found;
    if (found === "\u00ad") return "";
    return isHalfPair(found) ? "\ufffd" : escaped(found);
  });
}

/** Joiners and variation selectors, which are part of emoji and of some scripts. */
function joins(character: string): boolean {
  return character === "\u200c" || character === "\u200d" ||
    (character >= "\ufe00" && character <= "\ufe0f");
}

/** Behind a letter beyond Latin, a symbol, or the digit of a keycap; never behind each other. */
function joinsHere(text: string, at: number): boolean {
  const before = text[at - 1] ?? "";
  if (text[at] === "\ufe0f" && /[0-9#*]/.test(before)) return true;
  if (text[at] === "\u200d" && before === "\ufe0f") return true;
  return before > "\u02ff" && !joins(before);
}

function isHalfPair(character: string): boolean {
  return character.length === 1 && character >= "\ud800" && character <= "\udfff";
}

function escaped(character: string): string {
  let text = "";
  for (let i = 0; i < character.length; i++) {
    text += `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }
  return text;
}
