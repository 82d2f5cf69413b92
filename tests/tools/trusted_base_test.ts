/** The trusted base through `hermes run`: no file tool writes there, whatever is approved. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { testEnv } from "../support/hermes.ts";
import { type Job, parseEvents, withJob } from "../support/run_job.ts";

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** The results of these calls, made one after the other by a run that approves everything. */
async function resultsOf(
  calls: (home: string) => readonly Call[],
  check: (results: Record<string, unknown>[], job: Job) => Promise<void>,
  options: {
    prepare?: (home: string) => Promise<void>;
    env?: (home: string) => Record<string, string>;
  } = {},
): Promise<void> {
  let planned: readonly Call[] = [];
  await withJob((_, index) => {
    const call = planned[index];
    if (call === undefined) return { text: "done" };
    const args = JSON.stringify(call.arguments);
    return { toolCalls: [{ id: `call_${index}`, name: call.name, arguments: args }] };
  }, async (job) => {
    await options.prepare?.(job.home);
    planned = calls(job.home);
    const work = `${job.home}/project`;
    await Deno.mkdir(work, { recursive: true });
    const flags = ["--json", "--toolsets", "file", "--approve", "always", "--max-turns", "60"];
    const env = options.env?.(job.home) ?? {};
    const outcome = await job.run([...flags, "go"], { cwd: work, env });
    equal(outcome.code, 0, outcome.stderr);
    const ends = parseEvents(outcome.stdout).filter(({ type }) => type === "tool_end");
    await check(ends.map(({ result }) => JSON.parse(String(result))), job);
  });
}

function write(path: string): Call {
  return { name: "write_file", arguments: { path, content: "{}" } };
}

function patch(text: string): Call {
  return { name: "patch", arguments: { mode: "patch", patch: text } };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

Deno.test("hermes run writes nothing into what hermes trusts, even when all is approved", async () => {
  const uid = Deno.uid();
  const places = (home: string) => {
    const { DENO_DIR, HERMES_BIN_CACHE } = testEnv(home);
    const program = Deno.env.get("HERMES_BIN")
      ? [Deno.env.get("HERMES_BIN")!, `${Deno.env.get("HERMES_BIN")}.old`]
      : [`${DENO_DIR}/hermes-test-never-made`];
    return [
      `${home}/.hermes/cache/config.json`,
      `${home}/.hermes/config.yaml`,
      `${home}/.hermes/seal.key`,
      `${home}/.hermes/new-file`,
      `${home}/.hermes/profiles/other/config.yaml`,
      `${home}/.hermes/plugins/x/index.ts`,
      `${home}/.cache/hermes/bin/0123/app/main.js`,
      `${home}/tmp/hermes-${uid}/0123/deno`,
      `${HERMES_BIN_CACHE}/hermes-test-never-made/app/main.js`,
      ...program,
    ];
  };
  await resultsOf(
    (home) => [
      ...places(home).map(write),
      patch(`*** Add File: ${home}/.hermes/hooks.json\n+{}`),
      patch(`*** Move File: mine.txt -> ${home}/.hermes/cache/config.json`),
      patch(`*** Delete File: ${home}/.hermes/config.yaml`),
      patch(`*** Move File: ${home}/.hermes/config.yaml -> gone.yaml`),
    ],
    async (results, { home }) => {
      equal(results.length, places(home).length + 4);
      for (const [i, { error }] of results.entries()) {
        match(String(error), /^Write refused: /, places(home)[i] ?? `patch ${i}`);
      }
      equal(await Deno.readTextFile(`${home}/.hermes/config.yaml`), "agent: {max_turns: 50}\n");
      equal(await Deno.readTextFile(`${home}/project/mine.txt`), "mine");
      for (const path of places(home).filter((path) => /never-made|\/0123\//.test(path))) {
        equal(await exists(path), false, path);
      }
    },
    {
      prepare: async (home) => {
        for (const name of [".hermes", "tmp", "project"]) await Deno.mkdir(`${home}/${name}`);
        await Deno.writeTextFile(`${home}/.hermes/config.yaml`, "agent: {max_turns: 50}\n");
        await Deno.writeTextFile(`${home}/project/mine.txt`, "mine");
      },
      env: (home) => ({ TMPDIR: `${home}/tmp` }),
    },
  );
});

Deno.test("hermes run knows its home by every name: links, real paths, /proc and hard links", async () => {
  await resultsOf(
    (home) => [
      write(`${home}/real/state/cache/config.json`),
      write(`${home}/linked/cache/config.json`),
      write(`${home}/project/via/cache/config.json`),
      write(`/proc/self/root${home}/real/state/config.yaml`),
      write(`/proc/self/cwd/via/config.yaml`),
      write(`${home}/project/via/../state/config.yaml`),
      // The usual home counts too: a later run may not set HERMES_HOME.
      write(`~/.hermes/config.yaml`),
      { name: "read_file", arguments: { path: `${home}/real/state/.env` } },
      { name: "read_file", arguments: { path: "copy.txt" } },
      { name: "read_file", arguments: { path: `${home}/real/user/.ssh/id_work` } },
      { name: "search_files", arguments: { pattern: "VALUE", path: `${home}/real` } },
      { name: "search_files", arguments: { pattern: "VALUE", path: "copy.txt" } },
    ],
    async (results, { home }) => {
      for (const { error } of results.slice(0, 5)) match(String(error), /^Write refused: /);
      // Folded before links are followed, as everywhere: this one is an ordinary file.
      equal(results[5]!.error, undefined);
      match(String(results[6]!.error), /^Write refused: /);
      for (const i of [7, 8, 9, 11]) match(String(results[i]!.error), /credentials/, `call ${i}`);
      equal(results[10]!.total_count, 0);
      deepEqual(await Array.fromAsync(Deno.readDir(`${home}/real/state/cache`)), []);
    },
    {
      prepare: async (home) => {
        await Deno.mkdir(`${home}/real/state/cache`, { recursive: true });
        await Deno.mkdir(`${home}/real/user/.ssh`, { recursive: true });
        await Deno.mkdir(`${home}/project`);
        await Deno.symlink(`${home}/real/state`, `${home}/linked`);
        await Deno.symlink(`${home}/real/state`, `${home}/project/via`);
        await Deno.symlink(`${home}/real/user`, `${home}/user`);
        await Deno.writeTextFile(`${home}/real/state/.env`, "OTHER=VALUE\n");
        await Deno.writeTextFile(`${home}/real/user/.ssh/id_work`, "VALUE\n");
        await Deno.link(`${home}/real/state/.env`, `${home}/project/copy.txt`);
      },
      env: (home) => ({ HOME: `${home}/user`, HERMES_HOME: `${home}/linked` }),
    },
  );
});

Deno.test("hermes run takes no approvals or hooks from a cache that something else wrote", async () => {
  await withJob([{ text: "one" }, { text: "two" }], async ({ home, run }) => {
    const [config, cache] = ["config.yaml", "cache/config.json"].map((name) =>
      `${home}/.hermes/${name}`
    );
    await Deno.mkdir(`${home}/.hermes`);
    await Deno.writeTextFile(config!, "approvals: {headless: never}\n");
    equal((await run(["--no-session", "go"])).code, 0);
    const [seal, json] = (await Deno.readTextFile(cache!)).split("\n");
    const mark = `${home}/hook-ran`;
    const hooks = { "pre_llm_call": [{ command: `touch ${mark}` }] };
    const forged = JSON.parse(json!) as { tree: Record<string, unknown> };
    forged.tree = { approvals: { headless: "always" }, hooks, "hooks_auto_accept": true };
    await Deno.writeTextFile(cache!, `${seal}\n${JSON.stringify(forged)}`);
    equal((await run(["--no-session", "go"])).code, 0);
    equal(await exists(mark), false);
    ok(!(await Deno.readTextFile(cache!)).includes("always"), "the forged cache stayed");
  });
});

Deno.test("hermes run leaves alone what links in its home lead to", async () => {
  const kept = "agent: { max_turns: 60 }\n";
  const files = ["dotfiles/settings.yaml", "data/work/config.yaml", "dotfiles/keys"];
  await resultsOf(
    (home) => [
      ...files.map((name) => write(`${home}/${name}`)),
      patch(`*** Begin Patch\n*** Delete File: ${home}/dotfiles/settings.yaml\n*** End Patch`),
      { name: "read_file", arguments: { path: `${home}/dotfiles/keys` } },
    ],
    async (results, { home }) => {
      equal(results.length, files.length + 2);
      for (const result of results) match(String(result.error), /belongs to hermes|holds cred/);
      for (const name of files.slice(0, 2)) {
        equal(await Deno.readTextFile(`${home}/${name}`), kept, name);
      }
    },
    {
      async prepare(home) {
        for (const dir of [".hermes/profiles", "dotfiles", "data/work"]) {
          await Deno.mkdir(`${home}/${dir}`, { recursive: true });
        }
        for (const name of files) await Deno.writeTextFile(`${home}/${name}`, kept);
        await Deno.symlink("../dotfiles/settings.yaml", `${home}/.hermes/config.yaml`);
        await Deno.writeTextFile(`${home}/dotfiles/keys`, "PLAIN=value\n");
        await Deno.symlink(`${home}/dotfiles/keys`, `${home}/.hermes/.env`);
        await Deno.symlink(`${home}/data/work`, `${home}/.hermes/profiles/work`);
      },
    },
  );
});

Deno.test("hermes run starts no program that a file tool put on the PATH", async () => {
  const programs = ["rg", "python3"];
  const reply = (name: string, args: object) => ({
    toolCalls: [{ name, arguments: JSON.stringify(args) }],
  });
  let home = "";
  const bin = () => `${home}/conda/bin`;
  const steps = [
    ...programs.map((name) => () =>
      reply("write_file", { path: `${bin()}/${name}`, content: `#!/bin/sh\n: > ${home}/ran\n` })
    ),
    () => reply("search_files", { pattern: "x" }),
    () => reply("write_file", { path: "a.py", content: "x = 1\n" }),
  ];
  await withJob((_, index) => steps[index]?.() ?? { text: "done" }, async (job) => {
    home = job.home;
    await Deno.mkdir(bin(), { recursive: true });
    for (const name of programs) {
      await Deno.writeTextFile(`${bin()}/${name}`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    }
    const work = `${home}/project`;
    await Deno.mkdir(work);
    const PATH = `${bin()}:${Deno.env.get("PATH")}`;
    // Without walls, which would refuse the write before a person is asked.
    const args = ["--json", "-t", "file", "--sandbox", "off", "go"];
    const outcome = await job.run(args, { cwd: work, env: { PATH } });
    equal(outcome.code, 0, outcome.stderr);
    const results = parseEvents(outcome.stdout).filter(({ type }) => type === "tool_end");
    equal(results.length, steps.length);
    for (const { result } of results.slice(0, 2)) match(String(result), /needs approval/);
    ok(!await exists(`${home}/ran`));
  });
});
