/** What is left of a run that was killed: nothing that goes on working. */
import { equal, fail, ok } from "node:assert/strict";
import { startFakeModel } from "../support/fake_model_server.ts";
import { startHermes, tempHome } from "../support/hermes.ts";
import { isGone, watchersOf } from "../support/watchers.ts";

const onLinux = { ignore: Deno.build.os !== "linux" }; // elsewhere there is no /proc

Deno.test("a command in the foreground ends when hermes is killed", onLinux, async () => {
  await using home = await tempHome();
  await Deno.writeTextFile(
    `${home.path}/work.sh`,
    "sleep 600 & echo $! >background; setsid sleep 600 & echo $! >apart; " +
      "echo $$ >foreground; mv foreground ready; sleep 600",
  );
  await using model = startFakeModel({
    replies: [{ toolCalls: [{ name: "terminal", arguments: { command: "sh work.sh" } }] }],
  });
  const hermes = startHermes({
    home: home.path,
    args: ["run", "--base-url", model.url, "--model", "fake-model", "--approve", "always", "go"],
  });
  let isOver = false;
  const output = hermes.output().finally(() => isOver = true);
  while (!await exists(`${home.path}/ready`) || (await watchersOf(hermes.pid)).length === 0) {
    if (isOver) fail(new TextDecoder().decode((await output).stderr));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  hermes.kill("SIGKILL");
  equal((await output).signal, "SIGKILL");
  for (const name of ["ready", "background", "apart"]) {
    const pid = Number(await Deno.readTextFile(`${home.path}/${name}`));
    while (!await isGone(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

/** A plugin that starts a program and stays. */
const PLUGIN = {
  "plugin.yaml": "name: demo\nversion: 1.0.0\ndescription: x\npermissions: { run: [sleep] }\n",
  "mod.ts": `export function register(ctx: any) {
    ctx.registerTool({ name: "doze", description: "x", schema: { type: "object", properties: {} },
      handler() {
        const { pid } = new Deno.Command("sleep", { args: ["600"] }).spawn();
        return { own: Deno.pid, pid };
      } });
  }`,
};

/** Everything that descends from a process, or leads a session that it has made. Linux only. */
async function descendantsOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for await (const { name } of Deno.readDir("/proc")) {
    const stat = /^\d+$/.test(name) &&
      await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
    const parent = stat && /\) \S (\d+)/.exec(stat)?.[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const found = [root];
  for (const one of found) {
    for (const [pid, parent] of parents) if (parent === one) found.push(pid);
  }
  return found.slice(1);
}

Deno.test(
  "a background process, a script, a plugin and its program end when hermes is killed",
  onLinux,
  async () => {
    await using home = await tempHome();
    await Deno.mkdir(`${home.path}/demo`);
    for (const [name, text] of Object.entries(PLUGIN)) {
      await Deno.writeTextFile(`${home.path}/demo/${name}`, text);
    }
    const background = { command: "echo $$ > background; exec sleep 600", background: true };
    const code = `import { terminal } from "hermes_tools";
await terminal({ command: "echo $$ > nested; exec sleep 600" });`;
    const calls = [
      { name: "terminal", arguments: background },
      { name: "doze", arguments: {} },
      { name: "execute_code", arguments: { code } },
    ];
    await using model = startFakeModel({ replies: calls.map((call) => ({ toolCalls: [call] })) });
    const flags = [
      "--base-url",
      model.url,
      "--model",
      "fake-model",
      "--approve",
      "always",
      "--json",
    ];
    const hermes = startHermes({
      home: home.path,
      args: ["run", ...flags, "--plugin", `${home.path}/demo`, "go"],
    });
    let isOver = false;
    const output = hermes.output().finally(() => isOver = true);
    while (!await exists(`${home.path}/nested`) || (await watchersOf(hermes.pid)).length === 0) {
      if (isOver) fail(new TextDecoder().decode((await output).stderr));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const started = await descendantsOf(hermes.pid);
    hermes.kill("SIGKILL");
    const { stdout } = await output;
    const events = new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    const doze = events.find(({ type, name }) => type === "tool_end" && name === "doze");
    const { own, pid } = JSON.parse(doze.result);
    const writes = ["background", "nested"].map((name) =>
      Deno.readTextFile(`${home.path}/${name}`)
    );
    const known = [own, pid, ...(await Promise.all(writes)).map(Number)];
    for (const one of known) ok(started.includes(one), `${one} was not there`);
    for (const one of started) {
      while (!await isGone(one)) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
);

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
