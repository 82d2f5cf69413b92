/** Waits for requests. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { createServer } = await import("node:http");
const tries = [
  () => Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response()),
  () => new Promise((resolve, reject) => {
    createServer().on("error", reject).listen(0, "127.0.0.1", () => resolve("listening"));
  }),
];
for (const start of tries) {
  try {
    await start();
    return "listening";
  } catch { /* refused */ }
}`,
});
