/** What is left of a run that was killed: nothing that goes on working. */
import { equal, fail } from "node:assert/strict";
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

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
