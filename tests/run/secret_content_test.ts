/**
 * What of a private key and of hermes' own `.env` reaches a model through files and commands,
 * with everything approved: neither line numbers nor encodings carry a secret past redaction.
 */
import { match, ok, strictEqual } from "node:assert/strict";
import { type Job, withJob } from "../support/run_job.ts";

const SECRET = "qx-Vault_81kPz0TmW7rYc5Nd";
const LINES = Array.from({ length: 24 }, (_, i) => {
  const bytes = new TextEncoder().encode(
    `line ${i} of the key, ${Math.sin(i + 1)}`.padEnd(96, "~"),
  );
  return bytes.map((byte, at) => byte * 31 + at * 17 & 255).toBase64().slice(0, 64);
});
const PEM = [
  "-----BEGIN RSA PRIVATE KEY-----",
  ...LINES,
  "-----END RSA PRIVATE KEY-----",
  "",
].join("\n");

type Call = [name: string, args: Record<string, unknown>];

async function results(
  calls: readonly Call[],
  body: (contents: string[], job: Job) => void,
): Promise<void> {
  const replies = calls.map(([name, args]) => ({ toolCalls: [{ name, arguments: args }] }));
  await withJob([...replies, { text: "done" }], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`, { recursive: true });
    await Deno.writeTextFile(`${job.home}/.hermes/.env`, `SOME_API_KEY=${SECRET}\n`);
    await Deno.writeTextFile(`${job.home}/notes.txt`, `first\nsecond\n${PEM}last words\n`);
    await Deno.writeTextFile(`${job.home}/copy.txt`, `x=1\nSOME_API_KEY=${SECRET}\nlast words\n`);
    const outcome = await job.run(["--quiet", "--approve", "always", "go"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    const messages = job.model.requests.at(-1)!.body.messages as {
      role: string;
      content: string;
    }[];
    const contents = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    strictEqual(contents.length, calls.length);
    body(contents, job);
  });
}

Deno.test("no line of a private key reaches the model through pages, searches and commands", async () => {
  const shell = (command: string): Call => ["terminal", { command }];
  const calls: Call[] = [
    ["read_file", { path: "notes.txt" }],
    ["read_file", { path: "notes.txt", offset: 8 }],
    ["read_file", { path: "notes.txt", offset: 10, limit: 5 }],
    ["read_file", { path: "notes.txt", offset: 20, limit: 50 }],
    ["search_files", { pattern: "^[A-Za-z0-9+/]{64}$", path: "." }],
    ["search_files", { pattern: "BEGIN", path: ".", context: 20 }],
    ["search_files", { pattern: LINES[7]!.slice(0, 12).replaceAll("+", "\\+"), path: "." }],
    shell("cat -n notes.txt"),
    shell("nl -ba notes.txt; cat -A notes.txt"),
    shell("grep -n '' notes.txt; grep -rn '' --include=notes.txt ."),
    shell("sed -n 6,20p notes.txt"),
    shell("tail -n 12 notes.txt | sed 's/^/> /'"),
    shell("diff -u /dev/null notes.txt; diff notes.txt /dev/null"),
    shell("git init -q . && git add -N notes.txt && git diff notes.txt | cat"),
    ["patch", {
      mode: "replace",
      path: "notes.txt",
      old_string: LINES[3]!,
      new_string: "gone",
    }],
  ];
  await results(calls, (contents, job) => {
    match(contents[0]!, /1\|first.*REDACTED.*last words/);
    match(contents[3]!, /last words/);
    match(contents[7]!, /last words/);
    contents.forEach((content, i) => {
      const seen = LINES.filter((line) => content.includes(line));
      // A patch repeats what the model itself wrote.
      const own = i === contents.length - 1 ? [LINES[3]!] : [];
      strictEqual(seen.filter((line) => !own.includes(line)).length, 0, `${calls[i]}: ${content}`);
    });
    ok(job.model.requests.length > calls.length);
  });
});

Deno.test("no encoding carries a value of hermes' own .env to the model", async () => {
  const readers = [
    "cat copy.txt; cat -A copy.txt; nl copy.txt",
    "base64 copy.txt; base64 -w 20 copy.txt; tail -c +2 copy.txt | base64; tail -c +3 copy.txt | base64",
    "rev copy.txt; tac copy.txt; cat copy.txt | tr a-zA-Z n-za-mN-ZA-M",
    "xxd copy.txt; xxd -p copy.txt; xxd -c 8 copy.txt; xxd -b -c 4 copy.txt",
    "od -c copy.txt; od -x copy.txt; od -An -tx1 copy.txt; od -b copy.txt; hexdump -C copy.txt",
    "fold -w 5 copy.txt; sed 's/./& /g' copy.txt; grep -o . copy.txt | cat -n",
    'python3 -c \'import urllib.parse as u, json; t=open("copy.txt").read(); print(u.quote(t, safe=""), json.dumps(t), list(t.encode()), t.encode().hex(":"))\'',
    "base32 copy.txt; base64 ~/.hermes/.env; rev ~/.hermes/.env; xxd ~/.hermes/.env",
  ];
  const calls = readers.map((command): Call => ["terminal", { command }]);
  await results(calls, (contents) => {
    const bytes = new TextEncoder().encode(SECRET);
    const forms = [
      SECRET,
      [...SECRET].reverse().join(""),
      bytes.toHex(),
      bytes.toHex().replaceAll(/(..)/g, "$1:").slice(0, -1),
      bytes.toHex().replaceAll(/(..)/g, "$1 ").trim(),
      [...bytes].join(", "),
      [...SECRET].join(" "),
      ...[0, 1, 2].map((skip) => bytes.slice(skip).toBase64().slice(0, -4)),
      // Parts that the right column of a dump would show.
      "Vault_81k",
      "1kPz0TmW",
      "0TmW7rYc",
    ];
    contents.forEach((content, i) => {
      match(content, /\*\*\*/, readers[i]!);
      const text = String(JSON.parse(content).output);
      for (const form of forms) {
        ok(!text.includes(form) && !text.replaceAll(/\s+/g, "").includes(form), `${form}: ${text}`);
      }
    });
  });
});

Deno.test("no value of the project's .env reaches the model through commands that print every file", async () => {
  const password = "kT4-m9Qz_oak-stream-77";
  const shell = (command: string): Call => ["terminal", { command }];
  const calls: Call[] = [
    shell(`printf 'DB_PASSWORD=${"%s"}\\n' "$(printf '%s%s' kT4-m9Qz_oak -stream-77)" > .env`),
    shell("grep -rh . .env | cut -d= -f2"),
    shell("cut -d= -f2 $(ls -A | grep env)"),
    shell("git init -q . && git add -f .env && git diff --cached | cut -d= -f2"),
    shell("tar cf - .env | strings | cut -d= -f2"),
    shell("cut -d= -f2 .env | rev; cut -d= -f2 .env | base64; cut -d= -f2 .env | xxd -p"),
  ];
  await results(calls, (contents) => {
    for (const content of contents.slice(1)) {
      ok(!content.includes(password), content);
      match(content, /\*\*\*/);
    }
  });
});
