import assert from "node:assert/strict";
import { reasonOf } from "./reason.ts";

Deno.test("reasonOf() says what happened to a file, once", () => {
  const attempts: [() => unknown, string][] = [
    [() => Deno.readFileSync("/no/such"), "No such file or directory"],
    [() => Deno.readTextFileSync("/"), "Is a directory"],
    [() => Deno.writeTextFileSync("/proc/none", ""), "No such file or directory"],
    [() => Deno.mkdirSync("/proc/none"), "No such file or directory"],
    [() => Deno.openSync("/dev/null/x"), "Not a directory"],
  ];
  for (const [attempt, expected] of attempts) {
    assert.throws(attempt, (error) => {
      assert.equal(reasonOf(error), expected);
      return true;
    });
  }
});

Deno.test("reasonOf() takes the first line of anything else", () => {
  assert.equal(reasonOf(new Error("one (two): three\nfour")), "one (two): three");
  assert.equal(reasonOf("text"), "text");
});
