/** Makes storage that lasts without the globals that were removed. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { CacheStorage, Storage } = globalThis;
for (const Class of [Storage, CacheStorage]) {
  for (const make of [() => new Class(), () => Reflect.construct(Object, [], Class)]) {
    try {
      const storage = make();
      for (const symbol of Object.getOwnPropertySymbols(Class.prototype)) storage[symbol] = true;
      storage.setItem?.("a", "b");
      if (await storage.open?.("a")) return "stored";
    } catch { /* refused */ }
  }
}`,
});
