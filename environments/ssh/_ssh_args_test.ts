import { deepEqual, equal, throws } from "node:assert/strict";
import { UsageError } from "../../src/protocol/error.ts";
import { controlArgs, masterArgs, sessionArgs, sshAddress, sshSettings } from "./_ssh_args.ts";

const PLAIN = sshSettings({ ssh_host: "build" });
const FULL = sshSettings({
  ssh_host: "build",
  ssh_user: "me",
  ssh_port: 2222,
  ssh_key: "/keys/id",
  ssh_jump: "gate,inner",
  ssh_config: "/etc/my_ssh",
  ssh_unknown_hosts: "accept",
});

Deno.test("masterArgs() opens a checked connection that nobody is asked about", () => {
  deepEqual(masterArgs(PLAIN, "/s"), [
    "-o",
    "ControlMaster=yes",
    "-o",
    "ControlPersist=60",
    "-o",
    "ConnectTimeout=10",
    "-o",
    "ServerAliveInterval=15",
    "-o",
    "ServerAliveCountMax=3",
    "-T",
    "-o",
    "BatchMode=yes",
    "-o",
    "StrictHostKeyChecking=yes",
    "-o",
    "LogLevel=ERROR",
    "-o",
    "ControlPath=/s",
    "--",
    "build",
    "echo $SHELL",
  ]);
});

Deno.test("masterArgs() follows every setting", () => {
  deepEqual(masterArgs(FULL, "/s").slice(10), [
    "-J",
    "gate,inner",
    "-T",
    "-F",
    "/etc/my_ssh",
    "-o",
    "BatchMode=yes",
    "-o",
    "StrictHostKeyChecking=accept-new",
    "-o",
    "LogLevel=ERROR",
    "-o",
    "ControlPath=/s",
    "-p",
    "2222",
    "-l",
    "me",
    "-i",
    "/keys/id",
    "-o",
    "IdentitiesOnly=yes",
    "--",
    "build",
    "echo $SHELL",
  ]);
});

Deno.test("sessionArgs() uses the connection and no other", () => {
  const session = {
    socket: "/s",
    shell: "/bin/sh",
    script: "echo 'x y'",
    tty: false,
    loginShell: "/usr/bin/fish",
  };
  deepEqual(sessionArgs(PLAIN, session), [
    "-o",
    "ControlMaster=no",
    "-o",
    "ProxyCommand=false",
    "-T",
    "-o",
    "BatchMode=yes",
    "-o",
    "StrictHostKeyChecking=yes",
    "-o",
    "LogLevel=ERROR",
    "-o",
    "ControlPath=/s",
    "--",
    "build",
    `exec /bin/sh -c 'echo '\\''x y'\\'''`,
  ]);
  equal(sessionArgs(PLAIN, { ...session, tty: true })[4], "-tt");
  for (const loginShell of ["/bin/bash", "/bin/sh", "/usr/bin/zsh"]) {
    equal(sessionArgs(PLAIN, { ...session, loginShell }).at(-1), "echo 'x y'");
  }
});

Deno.test("controlArgs() asks the connection", () => {
  deepEqual(controlArgs(PLAIN, "/s", "exit").slice(0, 2), ["-O", "exit"]);
  equal(controlArgs(FULL, "/s", "check").at(-1), "build");
});

Deno.test("sshSettings() wants a host that is not an option", () => {
  throws(() => sshSettings({}), UsageError);
  throws(() => sshSettings({ ssh_host: "-oProxyCommand=evil" }), UsageError);
});

Deno.test("sshAddress() writes a host as people do", () => {
  equal(sshAddress(PLAIN), "build");
  equal(sshAddress(FULL), "me@build:2222");
});
