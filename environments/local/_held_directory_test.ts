import { deepEqual, equal, throws } from "node:assert/strict";
import { holdDirectory, throughFile } from "./_held_directory.ts";
import { onLinux } from "../../tests/support/linux.ts";

function tempDirectory() {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hermes-held-" }));
  for (const name of ["tree", "outside"]) Deno.mkdirSync(`${path}/${name}`);
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

function names(path: string): string[] {
  return [...Deno.readDirSync(path)].map(({ name }) => name);
}

Deno.test({
  ...onLinux("holdDirectory() stays in the directory when a link takes its place"),
  fn: () => {
    using dir = tempDirectory();
    const [work, outside] = [`${dir.path}/tree`, `${dir.path}/outside`];
    using held = holdDirectory(work);
    Deno.renameSync(work, `${dir.path}/moved`);
    Deno.symlinkSync(outside, work);
    Deno.writeTextFileSync(held.at("a"), "text");
    deepEqual([names(`${dir.path}/moved`), names(outside)], [["a"], []]);
    throws(() => holdDirectory(work), /symbolic links/);
    throws(() => holdDirectory(`${work}/new/deep`, { make: true }), /symbolic links/);
    deepEqual(names(outside), []);
  },
});

Deno.test("holdDirectory() makes what is missing only when it is told to", () => {
  using dir = tempDirectory();
  throws(() => holdDirectory(`${dir.path}/tree/a/b`), Deno.errors.NotFound);
  using held = holdDirectory(`${dir.path}/tree/a/b`, { make: true });
  Deno.writeTextFileSync(held.at("c"), "text");
  deepEqual(names(`${dir.path}/tree/a/b`), ["c"]);
});

Deno.test("throughFile() refuses a link that was put in the place of the file", () => {
  using dir = tempDirectory();
  const [path, victim] = [`${dir.path}/tree/a`, `${dir.path}/outside/victim`];
  Deno.writeTextFileSync(victim, "text");
  Deno.chmodSync(victim, 0o600);
  using file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  throughFile(file, path, (held) => Deno.chmodSync(held, 0o640));
  equal(Deno.statSync(path).mode! & 0o777, 0o640);
  Deno.renameSync(path, `${path}.gone`);
  Deno.symlinkSync(victim, path);
  throws(() => throughFile(file, path, (held) => Deno.chmodSync(held, 0o777)), /symbolic links/);
  equal(Deno.statSync(victim).mode! & 0o777, 0o600);
});
