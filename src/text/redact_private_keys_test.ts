import { doesNotMatch, equal, match, ok } from "node:assert/strict";
import { redactSecrets } from "./redact.ts";
import { isKeyLine } from "./redact_private_keys.ts";

/** Random, of the shape of a key: `width` characters on each line. */
function body(lines: number, width: number): string[] {
  const bytes = crypto.getRandomValues(new Uint8Array(lines * width));
  const all = bytes.toBase64().replaceAll(/[+/=]/g, "x");
  return Array.from({ length: lines }, (_, i) => all.slice(i * width, (i + 1) * width));
}

const LINES = [...body(12, 64), "Ab3xYz=="];
const PEM = [
  "-----BEGIN RSA PRIVATE KEY-----",
  ...LINES,
  "-----END RSA PRIVATE KEY-----",
];
const SSH_LINES = body(8, 70);

function assertHidden(text: string, lines: readonly string[] = LINES): void {
  for (const mode of ["prose", "code", "file"] as const) {
    const shown = redactSecrets(text, mode);
    for (const line of lines) ok(!shown.includes(line), `${mode}: ${line} in\n${shown}`);
  }
}

Deno.test("redactSecrets() hides a private key whatever stands before and after each line", () => {
  const decorations: ((line: string, index: number) => string)[] = [
    (line, i) => `${i + 1}|${line}`,
    (line, i) => `     ${i + 1}\t${line}`,
    (line, i) => `deploy/server.key:${i + 1}:${line}`,
    (line, i) => `${i + 1}-${line}`,
    (line) => `+${line}`,
    (line) => `-${line}`,
    (line) => `> ${line}`,
    (line) => `    ${line}`,
    (line) => `  "${line}\\n" +`,
    (line) => `# ${line}\r`,
    (line) => `${line}$`,
    (line) => `key = key + '${line}';`,
  ];
  for (const decorate of decorations) {
    const text = ["before", ...PEM, "after the key"].map(decorate).join("\n");
    assertHidden(text);
    match(redactSecrets(text, "code"), /after the key/);
  }
});

Deno.test("redactSecrets() hides a key whose first or last line is missing", () => {
  const number = (line: string, i: number) => `${i + 7}|${line}`;
  for (const decorate of [(line: string) => line, number]) {
    assertHidden(PEM.slice(0, -1).map(decorate).join("\n"));
    assertHidden(PEM.slice(0, 6).map(decorate).join("\n"), LINES.slice(0, 5));
    assertHidden([...LINES.slice(5), PEM.at(-1)!].map(decorate).join("\n"), LINES.slice(5));
  }
});

Deno.test("redactSecrets() hides lines of a key that lack both, outside of file pages", () => {
  for (const lines of [LINES.slice(2, 9), SSH_LINES]) {
    for (const prefix of ["", "12|", "+", "   3\t"]) {
      const shown = redactSecrets(lines.map((line) => prefix + line).join("\n"), "code");
      for (const line of lines) ok(!shown.includes(line), shown);
    }
  }
});

Deno.test("redactSecrets() keeps certificates, public keys, digests and code that names a marker", () => {
  const certificate = [
    "-----BEGIN CERTIFICATE-----",
    ...LINES,
    "-----END CERTIFICATE-----",
  ].join("\n");
  const digests = Array.from({ length: 5 }, (_, i) => `${i}`.repeat(32) + "ab".repeat(16));
  const code = [
    'const BEGIN = "-----BEGIN PRIVATE KEY-----";',
    'const END = "-----END PRIVATE KEY-----";',
    "function isKey(text: string): boolean {",
    "  return text.startsWith(BEGIN);",
  ].join("\n");
  equal(redactSecrets(certificate, "code"), certificate);
  equal(redactSecrets(digests.join("\n"), "code"), digests.join("\n"));
  match(redactSecrets(code, "code"), /const END = [^]*function isKey[^]*startsWith/);
});

Deno.test("redactSecrets() keeps the number of lines of a file", () => {
  const text = ["a", ...PEM, "b"].join("\n");
  equal(redactSecrets(text, "file").split("\n").length, text.split("\n").length);
});

Deno.test("redactSecrets() hides armoured keys with headers and PGP blocks", () => {
  const lines = body(4, 64);
  const armoured = (
    name: string,
    header: string,
  ) => [`-----BEGIN ${name}-----`, header, "", ...lines, `-----END ${name}-----`, "after"];
  for (
    const block of [
      armoured("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"),
      armoured("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2"),
      armoured("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2").map((line, i) => `${i}|${line}`),
    ]
  ) {
    assertHidden(block.join("\n"), lines);
    match(redactSecrets(block.join("\n"), "code"), /after/);
  }
});

Deno.test("isKeyLine() tells lines of keys from digests and words", () => {
  ok(isKeyLine(LINES[0]!) && isKeyLine(`"${SSH_LINES[0]}",`));
  ok(!isKeyLine(`integrity="sha384-${LINES[0]}"`));
  ok(!isKeyLine("0".repeat(64)) && !isKeyLine("word ".repeat(13)) && !isKeyLine("ab12".repeat(16)));
  doesNotMatch(LINES[0]!, /[+/]/);
});
