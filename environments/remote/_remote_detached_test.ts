import { equal } from "node:assert/strict";
import { supervisorScript } from "./_remote_detached.ts";

const FACTS = {
  dir: "/nowhere",
  home: "/",
  shell: "/bin/sh",
  bash: false,
  timedRead: false,
  inherited: [],
};

Deno.test("supervisorScript() starts nothing where no terminal could outlive the link", async () => {
  const script = supervisorScript({
    command: "echo ran",
    marker: "m.1",
    dir: "/nowhere/1",
    token: "tok",
    cwd: "/",
    env: {},
    stdin: "piped",
    background: true,
    terminal: { columns: 80, rows: 24 },
    stateIn: undefined,
  }, FACTS);
  const { code, stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", script],
    clearEnv: true,
    env: { PATH: "/nowhere" },
    stdin: "null",
  }).output();
  equal(code, 0);
  equal(new TextDecoder().decode(stdout), "\x1etok started\x1e");
});
