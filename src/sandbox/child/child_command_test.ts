import assert from "node:assert/strict";
import { dirname } from "../../util/path.ts";
import {
  CHILD_ENV,
  childCommand,
  guestCommand,
  refuseProgramWrites,
  stripperCommand,
} from "./child_command.ts";

const OPTIONS = { program: "/p/child_main.js", socket: "/p/rpc", heapMb: 64, without: [] } as const;
const NOTHING = { read: [], write: [], net: [], env: [], run: [] };

Deno.test("every child that meets foreign code runs without compiled code of others", () => {
  const commands = [
    childCommand({ ...OPTIONS, mode: "deno" }),
    childCommand({ ...OPTIONS, mode: "deno", without: ["permissions"] }),
    childCommand({ ...OPTIONS, mode: "reexec" }),
    guestCommand({ ...OPTIONS, mode: "deno", permissions: NOTHING }),
    guestCommand({ ...OPTIONS, mode: "reexec", permissions: NOTHING }),
    guestCommand({ ...OPTIONS, mode: "deno", permissions: NOTHING, without: ["permissions"] }),
    stripperCommand(OPTIONS.program),
  ];
  for (const { args } of commands) {
    assert.equal(args.filter((arg) => arg === "--no-code-cache").length, 1, args.join(" "));
    assert.ok(args.includes(OPTIONS.program));
  }
});

Deno.test("the cache of a child can be nowhere", async () => {
  await assert.rejects(Deno.mkdir(CHILD_ENV.DENO_DIR!, { recursive: true }));
});

Deno.test("refuseProgramWrites() keeps the unpacked program from plugins that write", async () => {
  const root = await Deno.makeTempDir();
  const link = `${root}-link`;
  await Deno.symlink(root, link);
  try {
    for (const name of [root, link]) {
      for (const path of [root, `${root}/cache`, `${root}/app/main.js`, dirname(root), "/"]) {
        for (const access of ["work", "sink"] as const) {
          assert.throws(() => refuseProgramWrites([{ path, access }], name), /program of hermes/);
        }
      }
      refuseProgramWrites([
        { path: root, access: "tree" },
        { path: `${root}-other`, access: "work" },
      ], name);
    }
    refuseProgramWrites([{ path: "/", access: "work" }], undefined);
  } finally {
    await Deno.remove(link);
    await Deno.remove(root);
  }
});
