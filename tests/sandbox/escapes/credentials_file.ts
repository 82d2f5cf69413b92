/** Reads the credential files agents keep. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { homedir } = await import("node:os");
for (const home of [${
      literal(w.directory)
    }, "/root", (() => { try { return homedir(); } catch { return "/root"; } })()]) {
  for (const name of [".hermes/.env", ".hermes/auth.json", ".ssh/id_rsa", ".netrc", "secret.json"]) {
    try {
      return Deno.readTextFileSync(home + "/" + name);
    } catch { /* refused */ }
  }
}`,
  python: (w) =>
    `import os.path
for home in [${literal(w.directory)}, "/root", os.path.expanduser("~")]:
    for name in [".hermes/.env", ".hermes/auth.json", ".ssh/id_rsa", ".netrc", "secret.json"]:
        try:
            return open(home + "/" + name).read()
        except OSError:
            pass`,
});
