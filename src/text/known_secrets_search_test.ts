import { deepEqual, equal, ok } from "node:assert/strict";
import { createRedactor } from "./redact.ts";
import { SecretSearch } from "./known_secrets_search.ts";

const SECRET = "zq7-Vault_Kx92mPl4Tn8Rw3";
const BYTES = new TextEncoder().encode(SECRET);
const redact = createRedactor([SECRET, "other-Secret-0815-word"]);

/** What stands around the secret in the file that was printed. */
const AROUND = ["", "A", "KEY=", "\nKEY="];

function wrap(text: string, columns: number): string {
  return text.match(new RegExp(`.{1,${columns}}`, "gs"))!.join("\n");
}

function xxd(bytes: Uint8Array, group = 2): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const hex = row.toHex().replaceAll(new RegExp(`(.{${group * 2}})`, "g"), "$1 ");
    const text = [...row].map((byte) => byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".");
    rows.push(`${at.toString(16).padStart(8, "0")}: ${hex.padEnd(41)} ${text.join("")}`);
  }
  return rows.join("\n");
}

const ENCODINGS: Readonly<Record<string, (bytes: Uint8Array, text: string) => string>> = {
  base64: (bytes) => bytes.toBase64(),
  "base64 in lines": (bytes) => wrap(bytes.toBase64(), 20),
  base64url: (bytes) => bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
  "base64 backwards": (bytes) => [...bytes.toBase64()].reverse().join(""),
  hex: (bytes) => bytes.toHex(),
  "upper-case hex": (bytes) => bytes.toHex().toUpperCase(),
  "hex with colons": (bytes) => bytes.toHex().replaceAll(/(..)/g, "$1:"),
  "escaped hex": (bytes) => bytes.toHex().replaceAll(/(..)/g, "\\x$1"),
  "hex literals": (bytes) => bytes.toHex().replaceAll(/(..)/g, "0x$1, "),
  "percent signs": (bytes) => bytes.toHex().toUpperCase().replaceAll(/(..)/g, "%$1"),
  "unicode escapes": (bytes) => bytes.toHex().replaceAll(/(..)/g, "\\u00$1"),
  reversed: (_, text) => [...text].reverse().join(""),
  "upper case": (_, text) => text.toUpperCase(),
  "rot13 of rot13": (_, text) =>
    text.replaceAll(/[a-z]/gi, (c) => {
      const base = c <= "Z" ? 65 : 97;
      return String.fromCharCode((c.charCodeAt(0) - base + 13) % 26 + base);
    }),
  "a character on each line": (_, text) => [...text].join("\n"),
  "characters with dashes": (_, text) => [...text].join("-"),
  "folded lines": (_, text) => wrap(text, 7),
  "folded, numbered lines": (_, text) =>
    wrap(text, 7).split("\n").map((line, i) => `     ${i + 1}\t${line}`).join("\n"),
  "quoted lines": (_, text) => wrap(text, 9).split("\n").map((line) => `> ${line}`).join("\n"),
  octal: (bytes) => [...bytes].map((byte) => byte.toString(8).padStart(3, "0")).join(" "),
  decimal: (bytes) => [...bytes].join(", "),
  binary: (bytes) => [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join(" "),
  json: (_, text) => JSON.stringify(text),
  xxd: (bytes) => xxd(bytes),
  "xxd -g1": (bytes) => xxd(bytes, 1),
  "numbered xxd": (bytes) => xxd(bytes).split("\n").map((line, i) => `${i}|${line}`).join("\n"),
  "wide characters": (_, text) => [...text].join("\0"),
  "wide characters in hex": (bytes) => bytes.toHex().replaceAll(/(..)/g, "$100"),
};

Deno.test("createRedactor() finds a known secret in every encoding, wherever it begins", () => {
  for (const [name, encode] of Object.entries(ENCODINGS)) {
    for (const before of AROUND) {
      const text = `${before}${SECRET}\nrest of the file, 42 lines`;
      const shown = redact(encode(new TextEncoder().encode(text), text), "code");
      ok(shown.includes("***"), `${name} after ${JSON.stringify(before)}:\n${shown}`);
    }
  }
});

Deno.test("createRedactor() leaves no characters of a dump's right column", () => {
  const shown = redact(xxd(new TextEncoder().encode(`KEY=${SECRET}\nX=1`)), "code");
  ok(!/Vault|Kx92|Tn8R/.test(shown), shown);
  equal(shown.split("\n").length, 2);
});

Deno.test("createRedactor() finds words in little-endian order, base32 and wide base64", () => {
  const wide = new Uint8Array(BYTES.length * 2);
  BYTES.forEach((byte, i) => wide[i * 2] = byte);
  const swapped = BYTES.toHex().replaceAll(/(..)(..)/g, "$2$1 ");
  for (
    const text of [
      wide.toBase64(),
      swapped,
      "0000000 " + swapped,
      "PJYTOLKWMF2WY5C7JN4DSMTNKBWDIVDOHBJHOMY",
    ]
  ) {
    ok(redact(text, "code").includes("***"), text);
  }
});

Deno.test("createRedactor() keeps text that holds no secret", async () => {
  const own = await Deno.readTextFile(new URL("./known_secrets_search.ts", import.meta.url));
  equal(createRedactor([SECRET])(own, "code"), own);
});

Deno.test("createRedactor() masks what a limit leaves of a long token", () => {
  const token = "tk-Ab12Cd34Ef56Gh78Ij90Kl12Mn34";
  const shown = createRedactor([token])(`first: ${token.slice(0, 20)}\nlast: ${token.slice(-19)}`);
  ok(!shown.includes(token.slice(3, 17)) && !shown.includes(token.slice(-14)), shown);
  equal(createRedactor([token])(`all: ${token}.`), "all: ***.");
});

Deno.test("SecretSearch finds a part of a long secret", () => {
  const long = Array.from({ length: 40 }, (_, i) => `Line${i}of-the-long-secret`).join("\n");
  const search = new SecretSearch([long]);
  equal(search.find(long.slice(100, 400)).length > 0, true);
  deepEqual(search.find("Line of something else that is long enough"), []);
});

Deno.test("SecretSearch takes time that grows with the text, not with secrets or hostile text", () => {
  const secrets = Array.from({ length: 40 }, (_, i) => `${"a".repeat(60)}${i}-${SECRET}${i}`);
  const search = new SecretSearch([...secrets, "a".repeat(300), "0".repeat(100)]);
  const texts = [
    "a",
    "aaaaaaab",
    "0000 ",
    "1|a\n",
    "\n",
    secrets[0]!.slice(0, -3),
    "00000000: 6161 ",
  ];
  for (const part of texts) {
    const timeOnce = (size: number) => {
      const text = part.repeat(Math.ceil(size / part.length));
      const startedAt = performance.now();
      search.find(text);
      return performance.now() - startedAt;
    };
    // The best of a few: a busy machine makes any one of them long.
    const time = (size: number) => Math.min(timeOnce(size), timeOnce(size), timeOnce(size));
    time(20_000);
    const small = Math.max(5, time(100_000));
    // Quadratic time would be 16 times as much.
    ok(time(400_000) < small * 10 + 100, part);
  }
});
