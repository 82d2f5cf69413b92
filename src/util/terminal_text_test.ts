import { deepEqual, equal } from "node:assert/strict";
import { terminalText } from "./terminal_text.ts";

Deno.test("terminalText() leaves text in any language as it is", () => {
  for (
    const text of [
      "plain\ttext\n",
      "Größe, naïve — ‘quoted’ … €",
      "日本語 العربية עברית हिन्दी",
      "👩‍👩‍👧 ❤️ 1️⃣ 🇫🇷",
      "می‌خواهم",
    ]
  ) equal(terminalText(text), text);
});

const ROWS: [what: string, text: string, shown: string][] = [
  ["OSC 52", "\x1b]52;c;ZXZpbA==\x07", "\\u001b]52;c;ZXZpbA==\\u0007"],
  ["C1 OSC", "\x9d0;title\x9c", "\\u009d0;title\\u009c"],
  ["C1 CSI", "\x9b2J", "\\u009b2J"],
  ["cursor", "a\x1b[1A\x1b[2Kb", "a\\u001b[1A\\u001b[2Kb"],
  ["colour", "\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"],
  ["carriage return", "safe\revil", "safe\\revil"],
  ["line ends", "a\r\nb\r\n", "a\nb\n"],
  ["backspace", "rm\b\bls", "rm\\u0008\\u0008ls"],
  ["NUL and DEL", "\0\x7f", "\\u0000\\u007f"],
  ["override", "\u202efdp.exe", "\\u202efdp.exe"],
  ["isolates and marks", "\u2066\u2069\u061c\u200e\u200f", "\\u2066\\u2069\\u061c\\u200e\\u200f"],
  ["zero width", "r\u200bm\u2060\ufeff", "r\\u200bm\\u2060\\ufeff"],
  ["joiner in Latin", "r\u200dm", "r\\u200dm"],
  ["joiners in a row", "猫\u200d\u200d", "猫\u200d\\u200d"],
  ["tags", "a\u{e0041}\u{e007f}", "a\\udb40\\udc41\\udb40\\udc7f"],
  ["hidden selectors", "a\u{e0101}", "a\\udb40\\udd01"],
  ["fillers", "a\u3164b\uffa0", "a\\u3164b\\uffa0"],
  ["separators", "a\u2028b\u2029c\x85", "a\\u2028b\\u2029c\\u0085"],
  ["half pairs", "a\ud800b\udc00", "a\ufffdb\ufffd"],
  ["soft hyphen", "Donau\u00addampf", "Donaudampf"],
];

for (const [what, text, shown] of ROWS) {
  Deno.test(`terminalText() shows ${what}`, () => equal(terminalText(text), shown));
}

Deno.test("terminalText() lets only our own colours through, and only when asked to", () => {
  const ours = "\x1b[1mbold\x1b[22m \x1b[31mred\x1b[39m \x1b[2mdim\x1b[22m \x1b[0m";
  equal(terminalText(ours, { styled: true }), ours);
  for (const code of ["8m", "30m", "1;31m", "38;5;1m", "7m", "2J", "1A", "?25l", "0", "31"]) {
    equal(terminalText(`\x1b[${code}`, { styled: true }), `\\u001b[${code}`);
  }
});

Deno.test("terminalText() keeps JSON the JSON it is", () => {
  const value = { text: "a\u202eb\x9bc\u{e0041}d\x7fe\u200bf\ud800", list: ["\x1b[31m", "ü"] };
  const line = JSON.stringify(value);
  const shown = terminalText(line);
  deepEqual(JSON.parse(shown), value);
  equal(/[\x7f-\x9f\u202a-\u202e\u200b]/.test(shown), false);
});

Deno.test("terminalText() takes time that grows with the text alone", () => {
  for (const unit of ["\x1b[", "\x1b]52;", "\r", "\u202e", "猫\u200d", "\x9b0"]) {
    terminalText(unit.repeat(300_000), { styled: true });
  }
});
