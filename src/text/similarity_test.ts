import { equal } from "node:assert/strict";
import { isSimilar, similarity } from "./similarity.ts";

Deno.test("similarity() counts the shared parts in order", () => {
  equal(similarity("alpha", "alpah"), 0.8);
  equal(similarity("", ""), 1);
  equal(similarity("abc", "xyz"), 0);
  equal(similarity("abcd", "bcde"), 0.75);
});

Deno.test("isSimilar() agrees with similarity()", () => {
  const words = ["alpha", "alpah", "beta", "", "alphabet", "ahpla", "a", "pha"];
  for (const a of words) {
    for (const b of words) {
      for (const threshold of [0.3, 0.5, 0.8, 1]) {
        equal(isSimilar(a, b, { threshold }), similarity(a, b) >= threshold, `${a}/${b}`);
      }
    }
  }
});
