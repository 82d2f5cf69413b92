import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createTempEnvironment } from "../tests/support/memory_environment.ts";
import {
  createTestContext,
  createTestServices,
  runTool,
  type TestContextOptions,
} from "../tests/support/tool_context.ts";
import "./read_file.ts";
import "./write_file.ts";

async function setup(files: Record<string, string | Uint8Array> = {}) {
  const env = await createTempEnvironment();
  await env.put(files);
  function write(args: Record<string, unknown>, options: TestContextOptions = {}) {
    return runTool("write_file", args, createTestContext(env, options));
  }
  return { env, write, [Symbol.asyncDispose]: () => env.close() };
}

Deno.test("write_file creates a file with its directories", async () => {
  await using t = await setup();
  deepEqual(await t.write({ path: "a/b/c.txt", content: "hällo\n" }), {
    bytes_written: 7,
    dirs_created: true,
    verified: true,
    files_modified: ["a/b/c.txt"],
    resolved_path: t.env.resolve("a/b/c.txt"),
  });
  equal(await t.env.text("a/b/c.txt"), "hällo\n");
  equal((await t.write({ path: "a/b/d.txt", content: "" })).dirs_created, false);
});

Deno.test("write_file keeps the mode of a file and writes through a symlink", async () => {
  await using t = await setup({ "run.txt": "old" });
  await t.env.exec("chmod 751 run.txt; ln -s run.txt link.txt");
  const reply = await t.write({ path: "link.txt", content: "new" });
  equal(reply.resolved_path, t.env.resolve("run.txt"));
  equal(await t.env.text("run.txt"), "new");
  equal((await Deno.lstat(t.env.resolve("link.txt"))).isSymlink, true);
  equal((await Deno.stat(t.env.resolve("run.txt"))).mode! & 0o777, 0o751);
});

Deno.test("write_file keeps line endings, byte order mark and UTF-16 of what it replaces", async () => {
  const wide = new Uint8Array([0xff, 0xfe, 0x61, 0]);
  await using t = await setup({ "crlf": "a\r\nb\r\n", "bom": "\ufeffx\n", "wide": wide });
  await t.write({ path: "crlf", content: "1\n2\r\n3\n" });
  equal(await t.env.text("crlf"), "1\r\n2\r\n3\r\n");
  await t.write({ path: "bom", content: "y\n" });
  deepEqual([...await Deno.readFile(t.env.resolve("bom"))], [0xef, 0xbb, 0xbf, 0x79, 10]);
  await t.write({ path: "wide", content: "é" });
  deepEqual([...await Deno.readFile(t.env.resolve("wide"))], [0xff, 0xfe, 0xe9, 0]);
});

Deno.test("write_file leaves mixed line endings to the new content", async () => {
  await using t = await setup({ "mixed": "a\r\nb\n" });
  await t.write({ path: "mixed", content: "1\n2\n" });
  equal(await t.env.text("mixed"), "1\n2\n");
});

const BROKEN: [name: string, content: string, kind: RegExp][] = [
  ["a.json", '{"a": 1,}', /valid JSON.*JSON/],
  ["a.json", "", /valid JSON/],
  ["a.yaml", "a: [1,\nb: 2\n", /valid YAML.*\(2:1\)/],
  ["a.yml", "a: b: c\n", /valid YML/],
  ["a.toml", "a = \n", /valid TOML/],
];

for (const [name, content, kind] of BROKEN) {
  Deno.test(`write_file refuses ${JSON.stringify(content)} as ${name} and touches nothing`, async () => {
    await using t = await setup({ [name]: "old" });
    match((await t.write({ path: name, content })).error, kind);
    equal(await t.env.text(name), "old");
  });
}

const FINE: [name: string, content: string][] = [
  ["a.json", '{"a": [1, 2]}\n'],
  ["tsconfig.json", '{\n  // comment\n  "a": "//no", /* x */\n  "b": [1,],\n}\n'],
  ["a.yaml", "a: !Ref x\n---\nb: &x [1]\nc: *x\n"],
  ["templates/chart.yaml", "{{- if .Values.x }}\na: [\n{{ end }}\n"],
  ["a.toml", '[a]\nb = "c"\n'],
];

for (const [name, content] of FINE) {
  Deno.test(`write_file accepts ${JSON.stringify(content)} as ${name}`, async () => {
    await using t = await setup();
    equal((await t.write({ path: name, content })).error, undefined);
  });
}

Deno.test("write_file reports syntax errors of programs after writing", async () => {
  await using t = await setup();
  deepEqual((await t.write({ path: "a.ts", content: "const a: number = 1;" })).lint, {
    status: "ok",
  });
  const broken = await t.write({ path: "b.ts", content: "const a = ;\n" });
  equal((broken.lint as { status: string }).status, "error");
  match((broken.lint as { output: string }).output, /Expression expected[^]*b\.ts:1:11/);
  const deep = await t.write({ path: "deep.ts", content: "[".repeat(100_000) });
  deepEqual(deep.lint, { status: "error", output: "deep.ts is nested too deeply" });
  const shell = await t.write({ path: "c.sh", content: "if true; then\n" });
  equal((shell.lint as { status: string }).status, "error");
  equal((await t.write({ path: "d.md", content: "x" })).lint, undefined);
  if ((await t.env.exec("command -v python3")).exitCode !== 0) {
    return console.log("not checked: python3 is not installed");
  }
  deepEqual((await t.write({ path: "e.py", content: "def f(:\n" })).lint, {
    status: "error",
    output: "line 1: invalid syntax",
  });
});

Deno.test("write_file does not blame an edit for an error that was there before", async () => {
  await using t = await setup({ "a.sh": "fi\n" });
  const reply = await t.write({ path: "a.sh", content: "fi\n" });
  equal((reply.lint as { status: string }).status, "skipped");
});

Deno.test("write_file says when the checker of a language is not installed", async () => {
  await using env = await createTempEnvironment();
  const ctx = createTestContext(env);
  const reply = await runTool("write_file", { path: "a.rs", content: "fn main() {}" }, ctx);
  const status = (reply.lint as { status: string }).status;
  const installed = (await env.exec("command -v rustfmt")).exitCode === 0;
  equal(status, installed ? "ok" : "skipped");
});

Deno.test("write_file refuses text that was copied from read_file", async () => {
  await using t = await setup();
  match((await t.write({ path: "a", content: "1|one\n2|two\n" })).error, /without line numbers/);
  match((await t.write({ path: "a", content: "7|x\n8|y\nz\n" })).error, /without line numbers/);
  match(
    (await t.write({ path: "a", content: "Unchanged since the earlier read_file result; use" }))
      .error,
    /read_file output/,
  );
  equal((await t.write({ path: "a", content: "1|one\n" })).error, undefined);
  equal((await t.write({ path: "a", content: "1|a\n5|b\n" })).error, undefined);
  equal((await t.write({ path: "a", content: "1|a\n2|b\nc\nd\ne\n" })).error, undefined);
});

Deno.test("write_file refuses half surrogate pairs", async () => {
  await using t = await setup();
  match((await t.write({ path: "a", content: "x\ud800" })).error, /surrogate/);
});

Deno.test("write_file refuses office documents and existing PDFs", async () => {
  await using t = await setup({ "b.pdf": "%PDF-1.4" });
  match((await t.write({ path: "a.docx", content: "x" })).error, /binary document/);
  match((await t.write({ path: "b.pdf", content: "x" })).error, /binary document/);
  equal((await t.write({ path: "new.pdf", content: "x" })).error, undefined);
});

const DENIED = [
  "/etc/passwd",
  "/boot/x",
  "/usr/lib/systemd/system/x",
  "/var/run/docker.sock",
  "~/.aws/credentials",
  "~/.gnupg/x",
  "~/.kube/config",
  "~/.netrc",
  "~/.config/gh/hosts.yml",
  "~/.hermes/config.yaml",
  "~/.hermes/.env",
  "~/.hermes/state.db",
  "~/.hermes/sessions/x",
  "~/.hermes/profiles/p/auth.json",
  "~/.hermes/profiles/p/skills/a.md",
  "~/.hermes/skills/a.md",
  "~/.hermes/SOUL.md",
  "~/.hermes/cache/config-00.json",
  "~/.HERMES/config.yaml",
  "/usr/bin/git",
  "/proc/self/comm",
  "/sys/power/state",
  "/dev/full",
];

Deno.test("write_file refuses protected paths", async () => {
  await using t = await setup();
  for (const path of DENIED) {
    match(
      (await t.write({ path, content: "x" }, { approve: "once" })).error,
      /^Write refused/,
      path,
    );
  }
});

Deno.test("write_file refuses a protected path behind a symlink", async () => {
  await using t = await setup({ "~/.ssh/id": "k" });
  await t.env.exec(
    `ln -s "${t.env.resolve("~/.ssh/id")}" a.txt; ln -s "${t.env.resolve("~/.ssh")}" d`,
  );
  match((await t.write({ path: "a.txt", content: "x" })).error, /^Write refused/);
  match((await t.write({ path: "d/new", content: "x" })).error, /^Write refused/);
});

Deno.test("write_file stays inside the safe roots when there are any", async () => {
  await using t = await setup();
  const config = { "security.write_safe_root": `${t.env.cwd()}/in:${t.env.cwd()}/also` };
  match((await t.write({ path: "out.txt", content: "x" }, { config })).error, /outside the direct/);
  equal((await t.write({ path: "in/a.txt", content: "x" }, { config })).error, undefined);
});

Deno.test("write_file asks before it changes instructions of agents", async () => {
  await using t = await setup({ "AGENTS.md": "be good" });
  const asking = createTestContext(t.env, { approve: "once" });
  equal(
    (await runTool("write_file", { path: "AGENTS.md", content: "x" }, asking)).error,
    undefined,
  );
  deepEqual(asking.asked[0], {
    tool: "write_file",
    subject: `write_file ${t.env.resolve("AGENTS.md")}`,
    rule: "instruction_file_write",
    description: "changes the instructions that agents follow",
    allowAlways: false,
    onceOnly: true,
  });
  for (const path of ["sub/claude.md", ".cursorrules", "p/.hermes/plugin.ts"]) {
    match((await t.write({ path, content: "x" })).error, /was not approved/, path);
  }
  const config = { "security.protected_instruction_files": false };
  equal((await t.write({ path: "CLAUDE.md", content: "x" }, { config })).error, undefined);
});

const ASKED = [
  "~/.ssh/authorized_keys",
  "~/.bashrc",
  "~/.config/fish/config.fish",
  "~/.config/systemd/user/x.service",
  "~/.gitconfig",
  "~/.aws/config",
  "~/.docker/cli-plugins/docker-x",
  "~/.local/bin/git",
  "~/bin/ls",
  ".env",
  "sub/.env.production",
  ".envrc",
  "wt/.git",
  ".git/config",
  ".git/hooks/pre-commit",
  "bare.git/hooks/post-receive",
  ".git/modules/m/config",
  ".vscode/tasks.json",
  ".vscode/mcp.json",
  ".devcontainer/devcontainer.json",
  ".github/workflows/ci.yml",
  "Jenkinsfile",
  "AGENTS.override.md",
  ".hermes.md",
  "docs/CLAUDE.local.md",
  ".cursor/rules/a.mdc",
  ".github/copilot-instructions.md",
];

Deno.test("write_file asks before it changes what runs or instructs later", async () => {
  await using t = await setup();
  for (const path of ASKED) {
    const args = { path, content: "{}" };
    match((await t.write(args)).error, /was not approved/, path);
    const asking = createTestContext(t.env, { approve: "session" });
    equal((await runTool("write_file", args, asking)).error, undefined, path);
    equal(asking.asked.length, 1, path);
    deepEqual([asking.asked[0]!.allowAlways, asking.asked[0]!.onceOnly], [false, true], path);
  }
  for (const path of [".env.example", "src/git/config", ".github/dependabot.yml", "agents.ts"]) {
    equal((await t.write({ path, content: "x" })).error, undefined, path);
  }
});

Deno.test("write_file asks before it changes the ssh configuration", async () => {
  await using t = await setup();
  const config = { "security.protected_instruction_files": false };
  match((await t.write({ path: "~/.ssh/config", content: "x" }, { config })).error, /approved/);
  const yes = await t.write({ path: "~/.ssh/config", content: "x" }, { approve: "session" });
  equal(yes.error, undefined);
});

Deno.test("write_file warns of what it overwrites unseen and still writes", async () => {
  await using t = await setup({ "a.txt": "old\n" });
  const services = createTestServices();
  const unread = await t.write({ path: "a.txt", content: "1" }, { services });
  match(unread._warning, /was not read before/);
  equal(await t.env.text("a.txt"), "1");
  equal((await t.write({ path: "a.txt", content: "2" }, { services }))._warning, undefined);
  await Deno.utime(t.env.resolve("a.txt"), 1, 1);
  match((await t.write({ path: "a.txt", content: "3" }, { services }))._warning, /changed on disk/);
  const sibling = { services, taskId: "child" };
  match((await t.write({ path: "a.txt", content: "4" }, sibling))._warning, /another task/);
});

Deno.test("write_file warns after a partial read", async () => {
  await using t = await setup({ "a.txt": "1\n2\n3\n" });
  const services = createTestServices();
  const ctx = createTestContext(t.env, { services });
  await runTool("read_file", { path: "a.txt", limit: 1 }, ctx);
  match((await t.write({ path: "a.txt", content: "x" }, { services }))._warning, /in part/);
});

Deno.test("write_file reports a failing disk as an error", async () => {
  await using t = await setup({ "a.txt": "old" });
  t.env.failWriteOf = t.env.resolve("a.txt");
  match((await t.write({ path: "a.txt", content: "x" })).error, /no space left/);
  equal(await t.env.text("a.txt"), "old");
  match((await t.write({ path: ".", content: "x" })).error, /is a directory/);
});

Deno.test("write_file lets writers of one file take turns", async () => {
  await using t = await setup();
  const services = createTestServices();
  const texts = Array.from({ length: 8 }, (_, i) => String(i).repeat(1000));
  const replies = await Promise.all(
    texts.map((content) => t.write({ path: "a.txt", content }, { services })),
  );
  for (const reply of replies) equal(reply.verified, true);
  // Which of them comes last is up to the disk; that each saw its own text there is not.
  ok(texts.includes(await t.env.text("a.txt")));
});
