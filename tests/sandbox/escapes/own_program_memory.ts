/** Uses modules of the bootstrap that are in memory already. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const load = (name) => import(new URL(name, Deno.mainModule).href).catch(() => ({}));
for (const folder of ["./", "./src/sandbox/child/", "./src/sandbox/walls/"]) {
  const { openLibc, openPath, readDescriptor } = await load(folder + "libc.js");
  const { hostGuest } = await load(folder + "guest_host.js");
  const { runChild } = await load(folder + "child_main.js");
  try {
    const libc = openLibc();
    const descriptor = openPath(libc, { path: ${literal(w.secretFile)}, flags: 0 });
    if (descriptor >= 0) return readDescriptor(libc, descriptor);
  } catch { /* refused */ }
  const boot = { socket: ${
      literal(w.unixSocket)
    }, without: ["permissions", "landlock", "seccomp"], limits: {} };
  try { await hostGuest(boot, { module: "data:text/javascript,", permissions: {} }); return "connected"; } catch { /* refused */ }
  await runChild?.();
}
return (await load("./src/cli/launcher.js")).leaveLauncher && "the agent";`,
});
