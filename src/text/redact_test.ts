import assert from "node:assert/strict";
import { createRedactor, isSecretName, type RedactMode, redactSecrets } from "./redact.ts";

const KEY = "sk-abcdefghij1234567890XYZ";

Deno.test("redactSecrets() gives the reference's answers", () => {
  const vectors: [input: string, output: string, mode?: RedactMode][] = [
    [KEY, "sk-abc...0XYZ"],
    [KEY, "«redacted:sk-…»", "file"],
    ["TOKEN=short", "TOKEN=***"],
    ["TOKEN=short", "TOKEN=short", "code"],
    ["monkey=banana", "monkey=banana"],
    ["MAX_TOKENS=4000", "MAX_TOKENS=***"],
    ["postgres://u:pw@h/db", "postgres://u:***@h/db"],
    ["+15551234567", "+155****4567"],
    ["+15551234567", "+15551234567", "file"],
  ];
  for (const [input, output, mode] of vectors) assert.equal(redactSecrets(input, mode), output);
});

Deno.test("redactSecrets() masks vendor keys wherever they stand", () => {
  const keys = [
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0abcdefghijklmnop",
    "xoxb-1234567890-abcdefghij",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "AKIAIOSFODNN7EXAMPLE",
    "hf_abcDEF1234567890",
    "glpat-abcdefghij1234567890",
    "SG.abcdefghijklmnop.qrstuvwxyz0123456789",
    "tvly-abcdef1234567890",
    "xai-abcdefghij1234567890abcdefghij1234567890",
  ];
  for (const key of keys) {
    for (const text of [key, `"${key}"`, `(${key})`, `x\n${key}\ny`, `say ${key}.`]) {
      assert.ok(!redactSecrets(text, "code").includes(key), text);
    }
  }
  assert.equal(redactSecrets(JSON.stringify(`a\n${KEY}`), "code"), '"a\\nsk-abc...0XYZ"');
});

Deno.test("redactSecrets() sees keys that are broken up by colours and control characters", () => {
  assert.equal(
    redactSecrets(`\x1b[32ms\x00k-abcde\x1b[0mfghij1234567890XYZ`, "code"),
    "\x1b[32msk-abc...0XYZ",
  );
});

Deno.test("redactSecrets() leaves names that only start like a key", () => {
  const text =
    "task-queue-runner npm_config_cache hf_hub_download sk-fading-circle disk-abcdefghij12";
  assert.equal(redactSecrets(text), text);
});

Deno.test("redactSecrets() masks credentials in headers and keeps templates", () => {
  const vectors: [string, string][] = [
    ["Authorization: Bearer abcdefghijklmnopqrstuv", "Authorization: Bearer abcdef...stuv"],
    ["authorization: Basic dXNlcjpwYXNz", "authorization: Basic ***"],
    [
      '{"Authorization":"Bearer abcdefghijklmnopqrstuv"}',
      '{"Authorization":"Bearer abcdef...stuv"}',
    ],
    ["x-api-key: 0123456789", "x-api-key: ***"],
    ["-H 'X-Api-Key: 0123456789'", "-H 'X-Api-Key: ***'"],
    ["Authorization: `Bearer ${token}`", "Authorization: `Bearer ${token}`"],
    ["Authorization: Bearer $TOKEN_X", "Authorization: Bearer $TOKEN_X"],
  ];
  for (const [input, output] of vectors) assert.equal(redactSecrets(input, "code"), output);
});

Deno.test("redactSecrets() masks bot tokens, JWTs and URL credentials", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N";
  const vectors: [string, string][] = [
    ["123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "123456789:***"],
    ["bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/x", "bot123456789:***/x"],
    [jwt, "eyJhbG...0w5N"],
    ["https://user:secret@host/p", "https://user:***@host/p"],
    ["https://0123456789abcdef@host/p", "https://***@host/p"],
    ["https://username@host/p", "https://username@host/p"],
    ["redis://:{password}@host", "redis://:{password}@host"],
    ["https://h/p?a=1&access_token=0123456789", "https://h/p?a=1&access_token=***"],
    ["grant=x&client_secret=0123456789", "grant=x&client_secret=***"],
    ["client_secret=0123456789&grant=x", "client_secret=***&grant=x"],
  ];
  for (const [input, output] of vectors) assert.equal(redactSecrets(input, "code"), output);
});

Deno.test("redactSecrets() replaces private keys, closed or cut off, real or escaped line ends", () => {
  const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7";
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`;
  assert.equal(redactSecrets(`a\n${pem}\nb`, "code"), "a\n[REDACTED PRIVATE KEY]\nb");
  assert.equal(redactSecrets(JSON.stringify(pem), "code"), '"[REDACTED PRIVATE KEY]"');
  const cut = pem.slice(0, pem.indexOf("\n-----END"));
  assert.equal(redactSecrets(cut, "code"), "[REDACTED PRIVATE KEY]");
  assert.equal(redactSecrets(`${pem}\n${pem}`), "[REDACTED PRIVATE KEY]\n[REDACTED PRIVATE KEY]");
});

Deno.test("redactSecrets() masks named fields in prose only", () => {
  const vectors: [string, string][] = [
    ['export API_KEY="hunter2"', 'export API_KEY="***"'],
    ["dbPassword=hunter2 next", "dbPassword=*** next"],
    ['{"api_key": "abc", "key": "left"}', '{"api_key": "***", "key": "left"}'],
    ["password: hunter2", "password: ***"],
    ["  client_secret: hunter2", "  client_secret: ***"],
  ];
  for (const [input, output] of vectors) {
    assert.equal(redactSecrets(input), output);
    assert.equal(redactSecrets(input, "code"), input);
  }
});

Deno.test("redactSecrets() changes nothing the second time", () => {
  const text =
    `TOKEN=${KEY} Authorization: Bearer abcdefghijklmnopqrstuv {"secret":"x"} +15551234567`;
  for (const mode of ["prose", "code", "file"] as const) {
    const once = redactSecrets(text, mode);
    assert.equal(redactSecrets(once, mode), once);
  }
});

/** Each would keep one of the patterns busy if it began again at every character. */
const HOSTILE = [
  "a",
  "=",
  ":",
  "-",
  " ",
  "\n",
  '"',
  "\\",
  "+",
  "a-",
  "a=",
  "a: ",
  "a:\n",
  "- a: b\n",
  "-----BEGIN ",
  "-----END ",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\n",
  "-----BEGIN PRIVATE KEY-----\n1|\n",
  "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA",
  "-----END PRIVATE KEY-----",
  "AAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----",
  "0123456789abcdef",
  "Ab1".repeat(21) + "\n",
  "Ab12".repeat(16) + "\n",
  '"token":"',
  '"token":"\\',
  "token='",
  "a=\"b'",
  "://a:",
  "https://aaaaaaaa",
  "?token=&",
  "a=b&",
  "eyJ",
  "eyJ-",
  "eyJaaaaaaaaa.",
  "eyJaaaaaaaaa-",
  "sk-",
  "sk-a",
  "sk-\x1b[0",
  "\x1b[",
  "\x1b[0;",
  "\\nsk-",
  "12345678:",
  "authorization: ",
  "authorization: bearer ",
  "x-api-key: ",
  "+1234567",
  "SG.",
];

Deno.test("redactSecrets() takes linear time on hostile text", () => {
  for (const part of HOSTILE) {
    for (const mode of ["prose", "code", "file"] as const) {
      const time = (size: number) => {
        const text = part.repeat(Math.ceil(size / part.length));
        const startedAt = performance.now();
        redactSecrets(text, mode);
        return performance.now() - startedAt;
      };
      const small = time(20_000);
      // Quadratic time would be a hundred times as much; the slack is for a busy machine.
      assert.ok(time(200_000) < small * 40 + 400, `${mode} ${JSON.stringify(part)}`);
    }
  }
});

Deno.test("createRedactor() masks exact values, also encoded, and ignores short ones", () => {
  const redact = createRedactor(["correct horse/battery", "abc"]);
  assert.equal(redact("it is correct horse/battery abc", "code"), "it is *** abc");
  assert.equal(redact("q=correct%20horse%2Fbattery", "code"), "q=***");
});

Deno.test("isSecretName() judges whole words", () => {
  for (
    const name of [
      "GITHUBTOKEN",
      "PGPASSWORD",
      "GH_PAT",
      "API_KEY",
      "apiKey",
      "GITHUB_TOKEN",
      "db-password",
      "X_AUTH",
    ]
  ) {
    assert.equal(isSecretName(name), true, name);
  }
  for (const name of ["MONKEY", "PWD", "SSH_AUTH_SOCK", "AUTHOR", "KEYBOARD", "PATH"]) {
    assert.equal(isSecretName(name), false, name);
  }
});
