import assert from "node:assert/strict";
import { reasonOf } from "./reason.ts";

Deno.test("reasonOf() says what happened to a file, once", () => {
  const directory = Deno.makeTempDirSync();
  const attempts: [() => unknown, string][] = [
    [() => Deno.readFileSync(`${directory}/none`), "No such file or directory"],
    [() => Deno.readTextFileSync(directory), "Is a directory"],
    [() => Deno.writeTextFileSync(`${directory}/none/x`, ""), "No such file or directory"],
    [() => Deno.mkdirSync(`${directory}/none/x`), "No such file or directory"],
    [() => Deno.openSync(`${import.meta.filename}/x`), "Not a directory"],
  ];
  for (const [attempt, expected] of attempts) {
    assert.throws(attempt, (error) => {
      assert.equal(reasonOf(error), expected);
      return true;
    });
  }
  Deno.removeSync(directory);
});

Deno.test("reasonOf() takes the first line of anything else", () => {
  assert.equal(reasonOf(new Error("one (two): three\nfour")), "one (two): three");
  assert.equal(reasonOf("text"), "text");
});
