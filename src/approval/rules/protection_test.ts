import assert from "node:assert/strict";
import { decide } from "../decide.ts";
import { holdsSecretTree, protectionAt } from "./protection.ts";

const PLACE = { home: "/home/me", cwd: "/home/me/project" };

Deno.test("protectionAt() sees through the ways a path can be written", () => {
  for (
    const path of [
      "~/.ssh/id_rsa",
      "/home/me/.ssh/id_rsa",
      "../.ssh/id_rsa",
      "/home/me/project/../.ssh//id_rsa",
      "/proc/self/root/home/me/.ssh/id_rsa",
      "~/.ssh/\0x\0",
      "~/.s*/id_rsa",
      "~/.ss?/*",
      "/home/*/.ssh/id_rsa",
      "~/.[s]sh",
      "/etc/shad?w",
    ]
  ) assert.equal(protectionAt(path, PLACE)?.kind, "credentials", path);
  for (const path of [".env", "a/.env.local", ".en?", "\0dir\0/.env", ".e*"]) {
    assert.equal(protectionAt(path, PLACE)?.kind, "env file", path);
  }
});

Deno.test("protectionAt() leaves ordinary files alone", () => {
  for (const path of ["*", "src/*.ts", ".env.example", "~/notes", "\0x\0", "*.env", "*/x"]) {
    assert.equal(protectionAt(path, PLACE), undefined, path);
  }
});

Deno.test("protectionAt() knows the places of the session under each of their names", () => {
  const places = {
    homes: ["/home/me", "/data/me"],
    hermesHomes: ["/home/me/.hermes", "/data/me/.hermes"],
    trustedBase: ["/opt/hermes"],
  };
  const place = { ...PLACE, places };
  assert.equal(protectionAt("/data/me/.aws/credentials", place)?.kind, "credentials");
  assert.equal(protectionAt("/data/me/.hermes/config.yaml", place)?.kind, "trusted base");
  assert.equal(protectionAt("/opt/hermes/app/main.js", place)?.kind, "trusted base");
  assert.equal(protectionAt("/data/me/.hermes/.env", place)?.kind, "credentials");
});

Deno.test("holdsSecretTree() knows a home and everything above it", () => {
  for (const path of ["~", "/", "/home", "..", "~/*", "/root", "~/.config", "/proc"]) {
    assert.ok(holdsSecretTree(path, PLACE), path);
  }
  for (const path of [".", "~/project", "src", "/usr", "/tmp"]) {
    assert.ok(!holdsSecretTree(path, PLACE), path);
  }
});

Deno.test("decide() asks before a directory of the PATH is moved, replaced or merged into, but not in the project", () => {
  const home = "/home/me";
  const policy = {
    home,
    cwd: `${home}/project`,
    places: {
      homes: [home],
      hermesHomes: [`${home}/.hermes`],
      trustedBase: [],
      programs: [`${home}/conda/bin`, `${home}/project/node_modules/.bin`],
    },
  };
  const asked = ["mv ~/conda ~/m2", "ln -sfn $PWD/evil ~/conda", "cp -r evil/. ~/conda/"];
  for (const command of asked) assert.equal(decide(command, policy).decision, "prompt", command);
  const free = ["cp -r evil/. .", "tar xf x.tar", "mv ~/other ~/o2"];
  for (const command of free) assert.equal(decide(command, policy).decision, "allow", command);
});
