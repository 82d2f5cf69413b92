import { equal, ok } from "node:assert/strict";
import { createRedactor } from "./redact.ts";
import { denseForms } from "./secret_forms.ts";
import { mayHoldSecret } from "./secret_hint.ts";

const NOTES = `# Notes for agents

Run \`deno task ok\` before you commit; see docs/testing.md and https://docs.deno.com/runtime.
Files end in _test.ts, constants are named LIKE_THIS_ONE and functions likeThisOne().
Never edit src/gen/manifest.ts by hand. Version 2.9.5 of the runtime is pinned.
`;

/** Secrets as people have them: tokens, passwords, addresses, phrases. */
const SECRETS: readonly string[] = [
  "sk-abcdefghij1234567890XYZ",
  "zq7-Vault_Kx92mPl4Tn8Rw3",
  "correct horse battery staple",
  "hunter2hunter2",
  "p@ssw0rd!$%^",
  "AbCdEfGhIjKlMnOpQrStUvWx",
  "0123456789abcdef0123456789abcdef",
  "Passwort-mit-Worten-und-Strich",
];

function wrap(text: string, columns: number, before: (row: number) => string): string {
  const rows = text.match(new RegExp(`.{1,${columns}}`, "gs"))!;
  return rows.map((row, i) => before(i) + row).join("\n");
}

Deno.test("mayHoldSecret() says no for ordinary notes", () => {
  equal(mayHoldSecret(NOTES, [...SECRETS, "/home/me", "xterm-256color"]), false);
});

Deno.test("mayHoldSecret() notices every known secret that the redactor finds", () => {
  for (const secret of SECRETS) {
    const redact = createRedactor([secret]);
    const spellings = [
      secret,
      JSON.stringify(secret),
      encodeURIComponent(secret),
      ...denseForms(secret),
      [...secret].join(" "),
      [...secret].join("\n"),
      wrap(secret, 7, () => ""),
      wrap(secret, 9, () => "> "),
      [...new TextEncoder().encode(secret)].join(", "),
    ];
    for (const spelling of spellings) {
      for (const text of [`${NOTES}${spelling}\n${NOTES}`, `${NOTES}x = ${spelling}`]) {
        if (redact(text, "code") === text) continue;
        ok(mayHoldSecret(text, [secret]), `${secret} as ${spelling}`);
      }
    }
  }
});

Deno.test("mayHoldSecret() notices what looks like a secret of somebody else", () => {
  const redact = createRedactor([]);
  const texts = [
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNNEXAMPLEX",
    "xoxb-abcdefghij-Klmnopqrst",
    "SG.abcdefghijklmnop.qrstuvwxyz0123456789",
    "postgres://u:pw@h/db",
    "Authorization: Bearer abcdefghijklmnopqrstuv",
    "x-api-key: abcdefgh",
    "https://h/?access_token=abcdef",
    "+15551234567",
    "12345678:AbcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.x",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----",
    "s\u200bk-abcde\u200bfghij1234567890XYZ",
  ];
  for (const secret of texts) {
    const text = `${NOTES}${secret}\n${NOTES}`;
    ok(redact(text, "code") !== text, `no longer redacted: ${secret}`);
    ok(mayHoldSecret(text, []), secret);
  }
});

Deno.test("mayHoldSecret() notices random tokens of every alphabet", () => {
  const alphabets = [
    "abcdef0123456789",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
  ];
  let state = 7;
  const next = (limit: number) => (state = state * 48271 % 2147483647) % limit;
  for (let i = 0; i < 500; i++) {
    const alphabet = alphabets[i % alphabets.length]!;
    const secret = Array.from({ length: 20 + next(40) }, () => alphabet[next(alphabet.length)])
      .join("");
    ok(mayHoldSecret(`${NOTES}${wrap(secret, 12 + next(40), () => "  ")}\n`, []), secret);
  }
});
