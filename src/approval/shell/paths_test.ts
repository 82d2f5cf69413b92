import assert from "node:assert/strict";
import { canonicalPath, deleteTarget, isDisk } from "./paths.ts";

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

Deno.test("isDisk() tells disks from other devices", () => {
  for (const path of ["/dev/sda", "/dev/nvme0n1p1", "/dev/disk2", "/dev/s??", "/dev/../dev/vdb"]) {
    assert.ok(isDisk(path, PLACE), path);
  }
  for (const path of ["/dev/null", "/dev/loop0", "sda", "/dev/tty"]) {
    assert.ok(!isDisk(path, PLACE), path);
  }
});
