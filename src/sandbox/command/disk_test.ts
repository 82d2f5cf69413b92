import { deepEqual, equal } from "node:assert/strict";
import { HostDisk } from "./disk.ts";
import { withHome } from "./testdata/support.ts";

Deno.test("HostDisk lists what is there now, also after a change", async () => {
  await withHome(["d/a", "d/b"], async ({ home }) => {
    const directory = `${home}/d`;
    // As old as a listing that is kept.
    await Deno.utime(directory, 1_000_000_000, 1_000_000_000);
    const names = () => [...new HostDisk().list(directory)?.keys() ?? []].sort();
    deepEqual(names(), ["a", "b"]);
    await Deno.rename(`${directory}/a`, `${directory}/c`);
    deepEqual(names(), ["b", "c"]);
    await Deno.remove(directory, { recursive: true });
    deepEqual(names(), []);
  });
});

Deno.test("HostDisk tells links from what they lead to, and real names from given ones", async () => {
  await withHome(["d/file"], async ({ home }) => {
    await Deno.symlink(`${home}/d`, `${home}/link`);
    await Deno.symlink(`${home}/nowhere`, `${home}/dangling`);
    const disk = new HostDisk();
    equal(disk.list(home)?.get("link"), "link");
    equal(disk.list(home)?.get("d"), "directory");
    equal(disk.kind(`${home}/link`), "directory");
    equal(disk.kind(`${home}/dangling`), undefined);
    equal(disk.kind("/dev/null"), "other");
    equal(disk.real(`${home}/link/missing/too`), `${home}/d/missing/too`);
  });
});

Deno.test("HostDisk does not list a crowded temporary directory", async () => {
  await withHome([], async ({ home }) => {
    const directory = `${home}/temporary`;
    await Deno.mkdir(directory);
    for (let i = 0; i < 2000; i++) {
      await Deno.writeTextFile(`${directory}/${i}-${"x".repeat(60)}`, "");
    }
    equal(new HostDisk().list(directory)?.size, 2000);
    await Deno.chmod(directory, 0o1777);
    equal(new HostDisk().list(directory), undefined);
  });
});
