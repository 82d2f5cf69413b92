/** Reads a file with whatever a built-in module offers. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { builtinModules } = await import("node:module");
for (const name of builtinModules) {
  const module = await import("node:" + name).catch(() => ({}));
  for (const [key, value] of Object.entries({ ...module.default, ...module })) {
    if (!/^(readFile|open|read|createReadStream|copyFile|cp)(Sync)?$/.test(key)) continue;
    try {
      const text = await value(${literal(w.secretFile)}, "utf8");
      if (String(text).includes("marker")) return name + text;
    } catch { /* refused */ }
  }
}`,
  python: (w) =>
    `import pkgutil, importlib
for name in ("fileinput", "linecache", "tokenize", "codecs", "io", "_io", "_pyio", "posix", "mmap", "zipfile", "gzip", "bz2", "lzma", "netrc", "configparser", "mailbox", "shelve", "dbm.dumb"):
    module = importlib.import_module(name)
    for opener in ("open", "input", "open_code", "FileIO", "getlines", "netrc"):
        try:
            found = getattr(module, opener)(${literal(w.secretFile)})
            text = found if isinstance(found, (list, str)) else found.read()
            if "marker" in str(text):
                return name
        except Exception:
            pass`,
});
