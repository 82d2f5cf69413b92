/** The tutorial of docs/plugins.md, followed to the letter. */
import assert from "node:assert/strict";
import { SLASH_COMMANDS } from "../../src/cli/slash/slash.ts";
import { dirname } from "../../src/util/path.ts";
import { withJob } from "../support/run_job.ts";
import { PluginBench } from "./_bench.ts";

const ROOT = new URL("../../", import.meta.url);
const guide = await Deno.readTextFile(new URL("docs/plugins.md", ROOT));

const [tutorial, pushing] = guide.split(/^## Plugins that push/m) as [string, string];

/** Every file the tutorial shows: its name, then its content. */
function documentedFiles(text = tutorial): Record<string, string> {
  const blocks = text.matchAll(/^`([\w./]+)`:\n\n```\w+\n([\s\S]*?\n)```$/gm);
  return Object.fromEntries([...blocks].map(([, path, text]) => [path!, text!]));
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
}

/** The files of a bundled plugin by their paths. */
async function bundledFiles(id: string, folder = ""): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const entry of Deno.readDir(new URL(`plugins/${id}/${folder}`, ROOT))) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory) Object.assign(files, await bundledFiles(id, `${path}/`));
    else files[path] = await Deno.readTextFile(new URL(`plugins/${id}/${path}`, ROOT));
  }
  return files;
}

Deno.test("the tutorial shows the bundled plugins, file by file", async () => {
  assert.deepEqual(documentedFiles(), await bundledFiles("calculator"));
  assert.deepEqual(documentedFiles(pushing), await bundledFiles("file-watcher"));
});

Deno.test("the tutorial's plugin does what the tutorial says, through hermes run", async () => {
  const calls = [
    ["calculate", { expression: "2**16" }],
    ["unit_convert", { value: 100, from_unit: "F", to_unit: "C" }],
    ["calculate", { expression: "sqrt(2) * pi" }],
    ["unit_convert", { value: 1.5, from_unit: "TB", to_unit: "GB" }],
    ["calculate", { expression: "1/0" }],
    ["calculate", { expression: "process.exit()" }],
    ["unit_convert", { value: 1, from_unit: "kg", to_unit: "km" }],
  ] as const;
  const replies = [
    ...calls.map(([name, args]) => ({ toolCalls: [{ name, arguments: { ...args } }] })),
    { text: "65536" },
  ];
  await withJob(replies, async (job) => {
    await writeFiles(`${job.home}/.hermes/plugins/calculator`, documentedFiles());
    const listed = await job.hermes(["plugins", "list"]);
    assert.match(
      listed.stdout,
      /^calculator +1\.0\.0 +bundled +available .*\(not used: .*calculator\)/m,
    );
    const unclear = await job.hermes(["plugins", "enable", "calculator"]);
    assert.equal(unclear.code, 2);
    assert.match(
      unclear.stderr,
      /more than one plugin "calculator": bundled .*, user \(.*--from user/s,
    );
    const [, ...command] = /^hermes (plugins) (enable) (calculator) (--from) (user)$/m.exec(guide)!;
    assert.equal((await job.hermes(command)).code, 0);
    const outcome = await job.run(["--verbose", "What is 2 to the power of 16?"]);
    assert.deepEqual([outcome.code, outcome.stdout], [0, "65536\n"], outcome.stderr);
    const messages = job.model.requests.at(-1)!.body.messages as {
      role: string;
      content: string;
    }[];
    const results = messages.filter((message) => message.role === "tool")
      .map((message) => JSON.parse(message.content));
    assert.equal(results[0].result, 65536);
    assert.equal(results[1].output, "37.777778 C");
    assert.ok(Math.abs(results[2].result - Math.SQRT2 * Math.PI) < 1e-9);
    assert.equal(results[3].result, 1536);
    assert.equal(results[4].error, "Division by zero");
    assert.match(results[5].error, /Invalid expression/);
    assert.equal(results[6].error, "Cannot convert kg to km");
    assert.match(outcome.stderr, /calculator: tool called: calculate \(session \w{26}\)/);
    const [, skill] = /calculator:estimating: .*\((.*)\)/.exec(messages[0]!.content) ?? [];
    assert.equal(await Deno.readTextFile(skill!), documentedFiles()["skills/estimating.md"]);
    const calls = await job.hermes(["calls"]);
    assert.deepEqual([calls.code, calls.stdout], [0, "No tool was called yet.\n"]);
  });
});

Deno.test("/plugins prints the tutorial's status lines", async () => {
  await using bench = await PluginBench.create();
  const host = await bench.open({ enabled: ["calculator"] });
  let printed = "";
  const slash = SLASH_COMMANDS.find((command) => command.name === "plugins")!;
  await slash.run(
    "",
    {
      plugins: host,
      write: (text: string) => printed += text,
    } as unknown as Parameters<typeof slash.run>[1],
  );
  const [, shown] = /> \/plugins\n([\s\S]*?)```/.exec(guide)!;
  assert.equal(printed, shown);
});

Deno.test("the single-file plugin of the tutorial works", async () => {
  await using bench = await PluginBench.create();
  const [, source] = /```ts\n(import type[\s\S]*?name: "coin"[\s\S]*?)```/.exec(guide)!;
  const folder = await bench.write("elsewhere", { "coin.ts": source! });
  await bench.open({ extra: [`${folder}/coin.ts`] });
  assert.match(String((await bench.call("toss_coin")).side), /^(heads|tails)$/);
});
