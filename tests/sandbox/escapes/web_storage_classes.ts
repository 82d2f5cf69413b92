/** Makes storage without the globals that were removed. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { Storage, CacheStorage } = globalThis;
for (const make of [() => new Storage(), () => new CacheStorage(), () => Reflect.construct(Object, [], Storage)]) {
  try {
    const storage = make();
    storage.setItem?.("a", "b");
    if (storage.getItem?.("a") === "b" || await storage.open?.("a")) return "stored";
  } catch { /* refused */ }
}`,
});
