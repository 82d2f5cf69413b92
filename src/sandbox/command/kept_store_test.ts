import assert from "node:assert/strict";
import { KeptWorkspace } from "../../../tests/support/kept_workspace.ts";
import { linuxTest } from "../../../tests/support/linux.ts";
import { COPIES_MAX } from "./kept_files_data.ts";
import { KeptStore } from "./kept_store.ts";

/** A process that remembers the workspace and is then killed, as by the system. */
async function killedSession(work: KeptWorkspace): Promise<void> {
  const module = new URL("./kept_files.ts", import.meta.url).href;
  const options = JSON.stringify({ roots: [work.root], storeDir: work.storeDir });
  const code = `import { KeptFiles } from ${JSON.stringify(module)};
    const kept = new KeptFiles({ ...${options}, onPutBack() {} });
    kept.beforeCommand();
    await kept.catchUp();
    Deno.kill(Deno.pid, "SIGKILL");`;
  const script = `${work.base}/killed.ts`;
  await Deno.writeTextFile(script, code);
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const { signal } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--no-check", "--config", config, script],
  }).output();
  assert.equal(signal, "SIGKILL");
}

linuxTest("KeptFiles tells what changed since a session that was killed, once", async () => {
  await using work = new KeptWorkspace({
    "AGENTS.md": "kind\n",
    ".envrc": "A=1",
    "GEMINI.md": "g",
  });
  await killedSession(work);
  work.write("AGENTS.md", "evil\n");
  work.write(".envrc", "A=2");
  await work.remember();
  const told = work.told.map(({ shown, change, outcome }) => `${change} ${outcome} ${shown}`);
  assert.deepEqual(told.sort(), ["unknown left .envrc", "unknown left AGENTS.md"]);
  assert.equal(work.read("AGENTS.md"), "evil\n");
  const [env, agents] = work.told.sort((a, b) => a.shown < b.shown ? -1 : 1);
  assert.equal(await Deno.readTextFile(agents!.copy!), "kind\n");
  assert.equal(env!.copy, undefined);
  await work.kept().close();

  const again: unknown[] = [];
  const { KeptFiles } = await import("./kept_files.ts");
  const next = new KeptFiles({
    roots: [work.root],
    storeDir: work.storeDir,
    onPutBack: (changes) => again.push(...changes),
  });
  next.remember();
  await next.catchUp();
  await next.close();
  assert.deepEqual(again, []);
});

linuxTest("KeptStore.leftBehind() leaves the index of a session that runs alone", async (base) => {
  const options = { storeDir: `${base}/store`, roots: [`${base}/work`] };
  const running = new KeptStore(options);
  await running.save([]);
  const other = new KeptStore(options);
  assert.deepEqual(await other.leftBehind(), []);
  const [project] = await Array.fromAsync(Deno.readDir(options.storeDir));
  const sessions = await Array.fromAsync(Deno.readDir(`${options.storeDir}/${project!.name}`));
  assert.equal(sessions.length, 1);
  await running.end();
  assert.deepEqual(await Array.fromAsync(Deno.readDir(options.storeDir)), []);
});

linuxTest("KeptStore.save() writes nothing when nothing changed", async (base) => {
  const store = new KeptStore({ storeDir: base, roots: ["/w"] });
  await store.save([]);
  const [project] = await Array.fromAsync(Deno.readDir(base));
  await Deno.remove(`${base}/${project!.name}`, { recursive: true });
  await store.save([]);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(base)), []);
});

linuxTest("KeptStore.end() keeps the newest copies", async (base) => {
  const store = new KeptStore({ storeDir: base, roots: ["/w"] });
  const paths = Array.from({ length: COPIES_MAX + 5 }, () => store.copyPath("x"));
  for (const path of paths) await Deno.writeTextFile(path, "");
  await store.end();
  const [project] = await Array.fromAsync(Deno.readDir(base));
  const copies = await Array.fromAsync(Deno.readDir(`${base}/${project!.name}/copies`));
  assert.equal(copies.length, COPIES_MAX);
});
