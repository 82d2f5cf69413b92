import { equal } from "node:assert/strict";
import { hasText, TextFinder } from "./find_text.ts";

Deno.test("TextFinder.indexIn() finds what indexOf() finds", () => {
  const unit = "ab".repeat(20) + "aab".repeat(15);
  for (const wanted of ["", "a", unit, `${unit}x`, unit.slice(7), `${unit}${unit}`]) {
    for (const text of ["", "xx", `${unit}${unit}${unit}`, `${unit.slice(1)}${unit}x`]) {
      for (const from of [0, 1, 80, 500]) {
        equal(new TextFinder(wanted).indexIn(text, from), text.indexOf(wanted, from));
      }
    }
  }
});

Deno.test("hasText() takes time that grows with the texts alone", () => {
  const half = "a".repeat(250_000);
  equal(hasText(half + half, `${half}b${half}`), false);
  equal(hasText(`${half}${half}b${half}`, `${half}b${half}`), true);
});
