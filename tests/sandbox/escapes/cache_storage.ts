/** Stores something in the cache API. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const cache = await caches.open("escape");
await cache.put("http://localhost/x", new Response("x"));
return "stored";`,
});
