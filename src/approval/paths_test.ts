import assert from "node:assert/strict";
import { canonicalPath, deleteTarget, writeTarget } from "./paths.ts";

const PLACE = { home: "/home/me", cwd: "/home/me/project" };

Deno.test("canonicalPath() folds what a path may hide behind", () => {
  for (
    const [path, canonical] of [
      ["//", "/"],
      ["/./etc//hosts/", "/etc/hosts"],
      ["/usr/../etc", "/etc"],
      ["/home/me/.ssh/id", "~/.ssh/id"],
      ["~/../../etc", "/etc"],
      ["~root/x", "/root/x"],
      ["../../..", "/"],
      ["a/../b", "~/project/b"],
      ["/proc/self/root/etc", "/etc"],
      ["/proc/1/root", "/"],
    ] as const
  ) assert.equal(canonicalPath(path, PLACE), canonical, path);
  assert.equal(canonicalPath("a/b", {}), "a/b");
});

Deno.test("deleteTarget() tells how bad a deletion is", () => {
  const kinds = {
    root: ["/", "/*", "//", "/.", "/..", "/\0x\0", "../../../*", "/?*"],
    system: ["/etc", "/ETC/", "/usr/*", "/e?c", "/private/etc", "/var/\0x\0"],
    home: ["~", "~/", "~/*", "/home/me", "/home/bob", "..", "../*", "../.*"],
    temporary: ["/tmp/x", "/var/tmp/a/b", "/tmp/out-*.log"],
    absolute: ["/opt/x", "/.foo", "/...", "/etc/hosts", "/tmp/*", "/var/\0x?\0"],
    other: ["x", "./x", "*", ".", "~/x", "\0x\0/*", "/home/me/project/a"],
  };
  for (const [kind, paths] of Object.entries(kinds)) {
    for (const path of paths) assert.equal(deleteTarget(path, PLACE), kind, JSON.stringify(path));
  }
});

Deno.test("writeTarget() names the protected place", () => {
  const places = {
    device: ["/dev/sda", "/dev/nvme0n1p1", "/dev/disk2", "/dev/s??"],
    system: ["/etc/hosts", "/etc", "/private/etc/x", "/boot/grub/grub.cfg"],
    credentials: ["~/.ssh/x", "~/.ssh", "/root/.bashrc", "~/.aws/credentials", "/home/bob/.netrc"],
    hermes: ["~/.hermes/.env", "~/.hermes/config.yaml"],
    project: [".env", "a/.env.production", "config.yaml", "/srv/app/config.yml"],
  };
  for (const [place, paths] of Object.entries(places)) {
    for (const path of paths) assert.equal(writeTarget(path, PLACE), place, path);
  }
  for (const path of ["", "/dev/null", "/dev/loop0", ".env.example", ".env#x", "config.yaml.bak"]) {
    assert.equal(writeTarget(path, PLACE), undefined, path);
  }
});
