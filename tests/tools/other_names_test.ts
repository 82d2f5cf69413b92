/** Protected files by other names, and names that change their meaning while a tool is at work. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createLocalEnvironment } from "../../environments/local/local_environment.ts";
import type { Environment } from "../../src/protocol/environment.ts";
import {
  createTestContext,
  createTestServices,
  runTool,
  type TestContextOptions,
  type ToolReply,
} from "../support/tool_context.ts";
import "../../tools/patch.ts";
import "../../tools/read_file.ts";
import "../../tools/search_files.ts";
import "../../tools/write_file.ts";

interface Place extends AsyncDisposable {
  root: string;
  env: Environment;
  /** Runs a tool; `instead` takes the place of methods of the environment. */
  run(
    tool: string,
    args: Record<string, unknown>,
    options?: TestContextOptions & { instead?: Partial<Environment> },
  ): Promise<ToolReply>;
}

/** This machine's environment in a fresh directory: `project` to work in, `home` for `~`. */
async function place(files: Record<string, string>): Promise<Place> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-names-" }));
  for (const name of ["project", "home"]) await Deno.mkdir(`${root}/${name}`);
  for (const [name, text] of Object.entries(files)) {
    const path = `${root}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, text);
  }
  const env = createLocalEnvironment({
    cwd: `${root}/project`,
    home: `${root}/home`,
    env: { PATH: Deno.env.get("PATH") ?? "", TMPDIR: root },
  });
  return {
    root,
    env,
    run(tool, args, { instead = {}, ...options } = {}) {
      const services = options.services ?? createTestServices();
      return runTool(
        tool,
        args,
        createTestContext(replaced(env, instead), {
          ...options,
          services,
        }),
      );
    },
    async [Symbol.asyncDispose]() {
      await env.close();
      await Deno.remove(root, { recursive: true });
    },
  };
}

function replaced(env: Environment, instead: Partial<Environment>): Environment {
  return new Proxy(env, {
    get(target, name) {
      const own = instead[name as keyof Environment];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const SECRETS = {
  "home/.ssh/id_work": "SECRET\n",
  "home/.hermes/.env": "SECRET\n",
  "home/.hermes/config.yaml": "a: 1\n",
  "home/.netrc": "SECRET\n",
  "project/.env": "SECRET\n",
  "project/a.txt": "plain\n",
};

Deno.test("file tools know a protected file by its hard links", async () => {
  await using t = await place(SECRETS);
  const links = {
    "key.txt": "home/.ssh/id_work",
    "own.txt": "home/.hermes/.env",
    "net.txt": "home/.netrc",
    "notes/env.txt": "project/.env",
  };
  await Deno.mkdir(`${t.root}/project/notes`);
  for (const [name, target] of Object.entries(links)) {
    await Deno.link(`${t.root}/${target}`, `${t.root}/project/${name}`);
    match((await t.run("read_file", { path: name })).error, /credentials/, name);
    const edit = { path: name, "old_string": "SECRET", "new_string": "x" };
    match((await t.run("patch", edit)).error, /credentials/, name);
    match((await t.run("search_files", { pattern: "SECRET", path: name })).error, /credentials/);
  }
  equal((await t.run("search_files", { pattern: "SECRET" })).total_count, 0);
  // A file of one's own with several names is an ordinary one.
  await Deno.link(`${t.root}/project/a.txt`, `${t.root}/project/b.txt`);
  equal((await t.run("read_file", { path: "b.txt" })).content, "1|plain");
});

Deno.test("a write to a hard link of a protected file leaves that file as it was", async () => {
  await using t = await place(SECRETS);
  await Deno.link(`${t.root}/home/.hermes/config.yaml`, `${t.root}/project/c.yaml`);
  equal((await t.run("write_file", { path: "c.yaml", content: "b: 2\n" })).error, undefined);
  equal(await Deno.readTextFile(`${t.root}/home/.hermes/config.yaml`), "a: 1\n");
});

Deno.test("file tools know a protected directory that is mounted elsewhere", async () => {
  await using t = await place({
    ...SECRETS,
    "project/mnt/config.yaml": "a: 1\n",
    "project/mnt/.env": "SECRET\n",
    "project/keys/id_other": "SECRET\n",
    "project/Home/.bashrc": "",
  });
  // What a mount looks like: two paths, one identity.
  const mounts: [string, string][] = [
    [`${t.root}/project/mnt`, `${t.root}/home/.hermes`],
    [`${t.root}/project/keys`, `${t.root}/home/.ssh`],
    [`${t.root}/project/Home`, `${t.root}/home`],
  ];
  const instead: Partial<Environment> = {
    identify: (paths) =>
      t.env.identify!(paths.map((path) => mounts.find(([at]) => at === path)?.[1] ?? path)),
  };
  const options = { instead, approve: "once" } as const;
  for (const path of ["mnt/config.yaml", "mnt/new/deep.txt", "keys/id_new", "Home/.netrc"]) {
    const reply = await t.run("write_file", { path, content: "b: 2\n" }, options);
    match(reply.error, /^Write refused/, path);
  }
  const startup = await t.run("write_file", { path: "Home/.bashrc", content: "x" }, { instead });
  match(startup.error, /was not approved/);
  for (const path of ["mnt/.env", "keys/id_other"]) {
    match((await t.run("read_file", { path }, options)).error, /credentials/, path);
  }
  const found = await t.run("search_files", { pattern: "SECRET", path: "keys" }, options);
  match(found.error, /credentials/);
});

Deno.test("file tools see through /proc, /dev/fd and links to directories", async () => {
  await using t = await place(SECRETS);
  await Deno.symlink(`${t.root}/home/.ssh`, `${t.root}/project/dir`);
  await Deno.symlink("dir", `${t.root}/project/twice`);
  await Deno.symlink(`${t.root}/home/.ssh/id_new`, `${t.root}/project/dangling`);
  using open = await Deno.open(`${t.root}/home/.ssh/id_work`);
  ok((await open.stat()).isFile);
  const paths = [
    "dir/id_work",
    "twice/id_work",
    `/proc/self/root${t.root}/home/.ssh/id_work`,
    `/proc/${Deno.pid}/root${t.root}/home/.netrc`,
    `/proc/self/cwd/../../../../../../..${t.root}/home/.netrc`,
  ];
  for (const path of paths) {
    match((await t.run("read_file", { path })).error, /credent|process file/);
  }
  for (let fd = 3; fd < 40; fd++) {
    for (const path of [`/dev/fd/${fd}`, `/proc/self/fd/${fd}`]) {
      const { error, content } = await t.run("read_file", { path });
      ok(error !== undefined && !String(content).includes("SECRET"), path);
    }
  }
  for (const path of ["dir/id_new", "twice/id_work", "dangling"]) {
    match((await t.run("write_file", { path, content: "x" })).error, /^Write refused/, path);
  }
  for (const path of ["dir", "twice"]) {
    match((await t.run("search_files", { pattern: "SECRET", path })).error, /credentials/, path);
  }
});

/** `realPath` that lets `flip` happen right after it has answered, once. */
function flipAfterRealPath(env: Environment, flip: () => void): Partial<Environment> {
  let done = false;
  return {
    async realPath(path) {
      const real = await env.realPath(path);
      if (!done) flip();
      done = true;
      return real;
    },
  };
}

/** `identify` that lets `flip` happen right after everything was judged. */
function flipAfterJudging(env: Environment, flip: () => void): Partial<Environment> {
  let calls = 0;
  return {
    identify(paths) {
      const found = env.identify!(paths);
      // The names are judged with the first call, the file itself with the second.
      if (++calls === 2) flip();
      return found;
    },
  };
}

Deno.test("read_file reads nothing through a link that appears after the check", async () => {
  for (const flipper of [flipAfterRealPath, flipAfterJudging]) {
    for (const kind of ["file", "directory", "hard link"]) {
      await using t = await place({ ...SECRETS, "project/d/id_work": "plain\n" });
      const directory = `${t.root}/project/d`;
      const flip = () => {
        if (kind === "directory") {
          Deno.renameSync(directory, `${directory}.old`);
          Deno.symlinkSync(`${t.root}/home/.ssh`, directory);
          return;
        }
        Deno.removeSync(`${directory}/id_work`);
        const link = kind === "file" ? Deno.symlinkSync : Deno.linkSync;
        link(`${t.root}/home/.ssh/id_work`, `${directory}/id_work`);
      };
      const instead = flipper(t.env, flip);
      const reply = await t.run("read_file", { path: "d/id_work" }, { instead });
      match(reply.error, /another file|credentials/, `${kind} ${flipper.name}`);
      ok(!JSON.stringify(reply).includes("SECRET"), kind);
    }
  }
});

Deno.test("write_file and patch write nothing through a link that appears after the check", async () => {
  for (const tool of ["write_file", "patch"]) {
    for (const kind of ["file", "directory"]) {
      await using t = await place({ ...SECRETS, "project/d/config.yaml": "a: 1\n" });
      const directory = `${t.root}/project/d`;
      const args = tool === "patch"
        ? { path: "d/config.yaml", "old_string": "a: 1", "new_string": "evil: 1" }
        : { path: "d/config.yaml", content: "evil: 1\n" };
      const writeFile: Environment["writeFile"] = (path, data, options) => {
        if (kind === "directory") {
          Deno.renameSync(directory, `${directory}.old`);
          Deno.symlinkSync(`${t.root}/home/.hermes`, directory);
        } else {
          Deno.removeSync(`${directory}/config.yaml`);
          Deno.symlinkSync(`${t.root}/home/.hermes/config.yaml`, `${directory}/config.yaml`);
        }
        return t.env.writeFile(path, data, options);
      };
      const reply = await t.run(tool, args, { instead: { writeFile } });
      match(reply.error, /symbolic links/, `${tool} ${kind}`);
      equal(await Deno.readTextFile(`${t.root}/home/.hermes/config.yaml`), "a: 1\n");
      const left = await Array.fromAsync(Deno.readDir(`${t.root}/home/.hermes`), (e) => e.name);
      deepEqual(left.sort(), [".env", "config.yaml"], "something was left in the home");
    }
  }
});

Deno.test("patch moves nothing out of a directory that was swapped for a link", async () => {
  await using t = await place({ ...SECRETS, "project/d/config.yaml": "a: 1\n" });
  const directory = `${t.root}/project/d`;
  let looks = 0;
  const stat: Environment["stat"] = async (path) => {
    const info = await t.env.stat(path);
    // The plan looks at the source and at the target; then files move.
    if (++looks === 2) {
      await Deno.rename(directory, `${directory}.old`);
      await Deno.symlink(`${t.root}/home/.hermes`, directory);
    }
    return info;
  };
  const text = "*** Move File: d/config.yaml -> mine.yaml";
  const reply = await t.run("patch", { mode: "patch", patch: text }, { instead: { stat } });
  match(reply.error, /leads elsewhere/);
  equal(await Deno.readTextFile(`${t.root}/home/.hermes/config.yaml`), "a: 1\n");
});

Deno.test("patch neither shows nor moves a file that may not be read, even after a yes", async () => {
  await using t = await place(SECRETS);
  const edits: Record<string, unknown>[] = [
    { path: ".env", "old_string": "SECRET", "new_string": "x" },
    { path: ".env", "old_string": "SECRE", "new_string": "x" },
    { mode: "patch", patch: "*** Update File: .env\n@@\n-SECRE\n+x" },
    { mode: "patch", patch: "*** Move File: .env -> env.txt" },
    { mode: "patch", patch: "*** Update File: .env\n*** Move to: env.txt\n@@\n-SECRET\n+x" },
    { mode: "patch", patch: "*** Add File: .env\n+x\n*** Move File: .env -> env.txt" },
  ];
  for (const edit of edits) {
    const reply = await t.run("patch", edit, { approve: "once" });
    match(reply.error, /credentials/, JSON.stringify(edit));
    ok(!reply.error.includes("SECRET"), reply.error);
  }
  equal(await Deno.readTextFile(`${t.root}/project/.env`), "SECRET\n");
  const asked = await t.run("write_file", { path: ".env", content: "A=1\n" }, { approve: "once" });
  equal(asked.error, undefined);
});

Deno.test("read_file asks before it shows a history", async () => {
  await using t = await place({ "home/.bash_history": "export TOKEN=SECRET\n" });
  match((await t.run("read_file", { path: "~/.bash_history" })).error, /^Read refused.*approved/);
  const yes = await t.run("read_file", { path: "~/.bash_history" }, { approve: "once" });
  match(yes.content, /TOKEN/);
  equal((await t.run("search_files", { pattern: "TOKEN", path: "~" })).total_count, 0);
});
