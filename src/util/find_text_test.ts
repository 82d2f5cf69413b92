/** Foreign texts in foreign texts: found as the engine finds them, also where that takes forever. */
import assert from "node:assert/strict";
import { holdsText, placesOf } from "./find_text.ts";

function plainPlaces(text: string, passage: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(passage); at >= 0; at = text.indexOf(passage, at + 1)) places.push(at);
  return places;
}

Deno.test("placesOf() gives what plain search gives, short or long, repetitive or not", () => {
  const texts = ["", "a", "banana ".repeat(50), "a".repeat(400), `${"ab".repeat(150)}c`.repeat(3)];
  const passages = ["a", "an", "ana ban", "a".repeat(64), "a".repeat(65), "a".repeat(300)];
  passages.push("ab".repeat(100), `${"ab".repeat(40)}c${"ab".repeat(40)}`, "not there");
  for (const text of texts) {
    for (const passage of passages) {
      assert.deepEqual([...placesOf(text, passage)], plainPlaces(text, passage));
      assert.equal(holdsText(text, passage), text.includes(passage));
    }
  }
  assert.deepEqual([...placesOf("abc", "")], []);
});

Deno.test("placesOf() does not take the product of both lengths", () => {
  const text = "a".repeat(2_000_000);
  const half = "a".repeat(100_000);
  assert.deepEqual([...placesOf(text, `${half}b${half}`)], []);
  assert.deepEqual([...placesOf(text, `${half}${half}b`)], []);
  assert.deepEqual([...placesOf(text, `b${half}`)], []);
  assert.deepEqual([...placesOf(`${text}b${half}`, `${half}b${half}`)], [1_900_000]);
});
