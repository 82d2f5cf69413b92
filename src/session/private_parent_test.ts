import { equal } from "node:assert/strict";
import { resolveHome } from "../config/home.ts";
import { loadSettings } from "../config/load.ts";
import { privateParent } from "./private_parent.ts";

Deno.test("privateParent() leaves what commands may change", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-parent-" }));
  try {
    const [work, beside] = [`${root}/work`, `${root}/beside`];
    for (const path of [`${work}/.git`, `${work}/tmp`, beside]) {
      await Deno.mkdir(path, { recursive: true });
    }
    await Deno.symlink(`${work}/tmp`, `${root}/link`);
    const env = { HOME: root, HERMES_HOME: `${root}/.hermes` };
    const facts = async (overrides: Record<string, unknown>) => ({
      settings: await loadSettings({ home: resolveHome({ env }), env, overrides }),
      cwd: work,
      userHome: root,
      env,
    });
    const usual = await facts({});
    equal(privateParent(beside, usual), beside);
    equal(privateParent("/nowhere/at/all", usual), "/nowhere/at/all");
    equal(privateParent(`${work}/tmp`, usual), "/tmp");
    equal(privateParent(`${root}/link`, usual), "/tmp");
    const opened = await facts({ "terminal.sandbox_writable": [beside] });
    equal(privateParent(beside, opened), "/tmp");
    const off = await facts({ "terminal.sandbox": "off" });
    equal(privateParent(`${work}/tmp`, off), `${work}/tmp`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
