/** Asks for the machine's name and addresses. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const os = await import("node:os");
for (const ask of [Deno.networkInterfaces, Deno.hostname, os.networkInterfaces, os.hostname]) {
  try {
    return JSON.stringify(ask());
  } catch { /* refused */ }
}`,
  onlyPermissions: true,
  python: () =>
    `import socket
return socket.if_nameindex()`,
});
