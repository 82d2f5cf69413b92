/** Times guesses of the token on a second connection. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const guesses = [];
for (const first of "0123456789abcdef") {
  const started = performance.now();
  const connection = await Deno.connect({ transport: "unix", path: "../rpc" });
  await connection.write(new TextEncoder().encode(\`{"t":"hello","token":"\${first.repeat(32)}"}\\n\`));
  guesses.push(performance.now() - started);
}
return guesses.join();`,
  python: () =>
    `import socket
for first in "0123456789abcdef":
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("../rpc")
return "timed"`,
});
