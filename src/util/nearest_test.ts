/** "Did you mean", and that a word of any length costs nothing. */
import assert from "node:assert/strict";
import { didYouMean, editDistance, nearest } from "./nearest.ts";

Deno.test("nearest() finds the closest name within a third of the word", () => {
  const names = ["read_file", "write_file", "terminal"];
  assert.equal(nearest("raed_file", names), "read_file");
  assert.equal(nearest("TERMINL", names), "terminal");
  assert.equal(nearest("term", names), "terminal");
  assert.equal(nearest("reboot", names), undefined);
  assert.equal(nearest("ab", ["abcde"]), undefined);
  assert.equal(didYouMean("wirte_file", names), ' Did you mean "write_file"?');
});

Deno.test("nearest() and editDistance() do not work through words longer than names are", () => {
  const long = "x".repeat(5_000_000);
  const other = `y${long}`;
  assert.equal(nearest(long, [other, "x", "read_file"]), undefined);
  assert.equal(nearest("xxxx", [long.replaceAll("x", "z")]), undefined);
  assert.equal(editDistance(long, other), other.length);
  assert.equal(editDistance(long, long), 0);
  assert.equal(editDistance("x", long), long.length);
  assert.equal(editDistance("x".repeat(255), `${"x".repeat(255)}y`), 1);
});
