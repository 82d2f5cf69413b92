/**
 * Text made to keep hermes busy forever: from models, tools, files, servers, plugins and standard
 * input. Each has to come through; a process that hangs is killed, which fails its test.
 */
import assert from "node:assert/strict";
import { commandText } from "../../src/plugins/calls.ts";
import { reasonOf } from "../../src/plugins/problem.ts";
import { prepareScript } from "../../src/sandbox/script/prepare_script.ts";
import { cleanOutput } from "../../src/util/clean_output.ts";
import { parsePatch, patchPaths } from "../../src/text/v4a_patch.ts";
import { foregroundRefusal } from "../../tools/_terminal_guard.ts";
import { dataSyntaxError } from "../../tools/_syntax.ts";
import type { Reply } from "../support/fake_model_server.ts";
import { startFakeModel } from "../support/fake_model_server.ts";
import { type RunOutcome, startHermes, tempHome } from "../support/hermes.ts";

/** Longer than any of these takes on a busy machine, and no time at all for a hang. */
const DEADLINE_MS = 120_000;

/** Runs `hermes run` and kills it when it does not end. */
async function run(
  home: string,
  options: { replies: readonly Reply[]; args: readonly string[]; stdin?: string | Uint8Array },
): Promise<RunOutcome & { requests: { body: { messages: { content: unknown }[] } }[] }> {
  await using model = startFakeModel({ replies: options.replies });
  const child = startHermes({
    home,
    args: ["run", "--base-url", model.url, "--model", "fake-model", ...options.args],
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  const fed = options.stdin === undefined ? undefined : feed(child, options.stdin);
  const { code, stdout, stderr } = await child.output();
  await fed;
  clearTimeout(timer);
  const decoder = new TextDecoder();
  const outcome = { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  assert.notEqual(code, 137, `it hung: ${outcome.stderr.slice(-500)}`);
  return { ...outcome, requests: model.requests };
}

async function feed(child: Deno.ChildProcess, text: string | Uint8Array): Promise<void> {
  try {
    const writer = child.stdin.getWriter();
    await writer.write(typeof text === "string" ? new TextEncoder().encode(text) : text);
    await writer.close();
  } catch {
    // Refused before it was read.
  }
}

const CALLS: [name: string, args: Record<string, unknown>][] = [
  ["terminal", { command: "head -c 2000000 /dev/zero | tr '\\0' x; printf '\\033[31mend\\n'" }],
  ["terminal", { command: "yes x | head -c 1000000 | tr '\\n' '\\r'" }],
  ["search_files", { pattern: "(?:(?:(?:(?:a?)?)?b?)?)*c", path: "ab.txt" }],
  ["search_files", { pattern: "(a?){50}a{50}b|((a|a)(a|a))*x", path: "ab.txt" }],
  ["search_files", { pattern: `${"*a".repeat(40)}b`, target: "files" }],
  ["search_files", { pattern: "x", file_glob: `${"{a,a}".repeat(30)}b` }],
  ["write_file", { path: ".vscode/settings.json", content: "/*".repeat(100_000) }],
  ["write_file", { path: "a.json", content: `{"a": ${"[".repeat(100_000)}` }],
  ["execute_code", { code: `//${"<>".repeat(200_000)}\nconsole.log("ran")` }],
  [`tool${"\x1b]52;".repeat(50_000)}`, { a: "x".repeat(100_000) }],
  ["patch", { mode: "patch", patch: `*** Begin Patch\n*** Move File: a${" ".repeat(100_000)}b` }],
];

Deno.test("tool calls made to hang are all answered", async () => {
  await using home = await tempHome();
  await Deno.writeTextFile(
    `${home.path}/ab.txt`,
    `${"ab".repeat(50_000)}\n${"a".repeat(100_000)}\n`,
  );
  await Deno.writeTextFile(`${home.path}/${"a".repeat(250)}`, "x");
  const replies = CALLS.map(([name, args]) => ({ toolCalls: [{ name, arguments: args }] }));
  const outcome = await run(home.path, {
    replies: [...replies, { text: "all answered" }],
    args: ["--approve", "always", "go"],
  });
  assert.equal(outcome.stdout, "all answered\n", outcome.stderr.slice(-2000));
  assert.equal(outcome.requests.length, CALLS.length + 1);
  const answers = JSON.stringify(outcome.requests.at(-1)!.body.messages);
  assert.match(answers, /xend/, "the end of the long line is there");
});

Deno.test("a prompt of two million characters on one line is sent, whatever is in it", async () => {
  await using home = await tempHome();
  const text = "\x1b[".repeat(300_000) + "\r \u202e".repeat(300_000) + "<".repeat(500_000);
  const outcome = await run(home.path, { replies: [{ text: "read" }], args: ["-"], stdin: text });
  assert.equal(outcome.code, 0, outcome.stderr.slice(0, 500));
  assert.equal(outcome.stdout, "read\n");
});

const SERVERS: [what: string, reply: Reply][] = [
  ["a page of brackets", { status: 400, error: "<".repeat(1_000_000) }],
  ["a page of styles", { status: 400, error: "<style".repeat(200_000) }],
  ["a message of words", { status: 400, error: { message: "model api key ".repeat(100_000) } }],
  ["an answer of one line", { text: `${"\x1b]".repeat(500_000)}${"\r".repeat(500_000)}end` }],
];

for (const [what, reply] of SERVERS) {
  Deno.test(`a server that sends ${what} is heard out`, async () => {
    await using home = await tempHome();
    const outcome = await run(home.path, { replies: [reply], args: ["--no-session", "go"] });
    if (reply.status === undefined) assert.equal(outcome.stdout, `${reply.text}\n`);
    else {
      assert.notEqual(outcome.code, 0);
      assert.ok(outcome.stderr.length < 10_000, `${outcome.stderr.length} characters`);
    }
  });
}

for (const [what, bytes] of [["NULs", "a\0b"], ["half a character", "a\xff\xc3"]] as const) {
  Deno.test(`standard input with ${what} is refused in a line`, async () => {
    await using home = await tempHome();
    const stdin = Uint8Array.from(bytes.repeat(100_000), (unit) => unit.charCodeAt(0));
    const { code, stderr } = await run(home.path, { replies: [], args: ["-"], stdin });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^hermes: standard input is (?:binary|not valid UTF-8)\n/);
  });
}

Deno.test("long texts without a process: output, commands of plugins, scripts, patches, errors", async () => {
  const escape = "\x1b[31m";
  const line = "x".repeat(1_000_000);
  assert.equal(cleanOutput(`${line}${escape}${line}`), line + line);
  assert.equal(cleanOutput(`${line}\r${escape}end`), "end");
  assert.equal(cleanOutput(`a${"\r".repeat(300_000)}b${"\x08".repeat(300_000)}`), "");
  assert.equal(commandText(`${"y".repeat(200_000)}\r${escape}shown`), "shown\n");
  assert.equal(reasonOf(new Error("file://".repeat(100_000))).length <= 501, true);
  for (const source of [`//${"<>".repeat(200_000)}`, `//${"<>".repeat(200_000)}\nlet x: 1`]) {
    const options = { stubUrl: "x:", refuseImport: () => undefined, session: false };
    await prepareScript(source, { ...options, language: "typescript" });
  }
  assert.deepEqual(patchPaths(`*** Move File: a${" ".repeat(300_000)}-> b`), ["a", "b"]);
  assert.throws(() => parsePatch(`*** Update File: a\n@@${" ".repeat(300_000)}x`));
  for (const unit of ["<<a\n", "&a ", "a=;", "\n", "then ", "docker compose "]) {
    foregroundRefusal(unit.repeat(20_000));
  }
  await dataSyntaxError(".vscode/a.json", `"a${"/*".repeat(200_000)}`);
  await dataSyntaxError(".vscode/a.json", ",/**/".repeat(100_000));
});
