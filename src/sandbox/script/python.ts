/**
 * The host's Python: which interpreter, and exactly the files it needs to run. Launcher scripts
 * (pyenv shims) are passed over for a real executable; the first use asks it for its paths.
 */
import { onlyVariables } from "../../process/child_environment.ts";
import { lastLine, runProgram } from "../../process/run_program.ts";
import type { PathGrant } from "../walls/landlock.ts";

export interface PythonRuntime {
  executable: string;
  grants: PathGrant[];
}

const PROBE_MS = 20_000;
const ELF = [0x7f, 0x45, 0x4c, 0x46];

/** The first real `python3` on a search path, symlinks resolved. */
export function findPython(searchPath: string): string | undefined {
  for (const directory of searchPath.split(":")) {
    if (!directory.startsWith("/")) continue;
    try {
      const path = Deno.realPathSync(`${directory}/python3`);
      if (isElf(path)) return path;
    } catch {
      // Not in this directory; the next one may have it.
    }
  }
  return undefined;
}

function isElf(path: string): boolean {
  using file = Deno.openSync(path);
  const magic = new Uint8Array(4);
  return file.readSync(magic) === 4 && ELF.every((byte, i) => magic[i] === byte);
}

/**
 * Loads every extension module so that the memory map names the shared libraries they need,
 * then prints the library directories, those files and the version.
 */
const PROBE = String.raw`
import importlib, json, os, sys
import ctypes
paths = [p for p in sys.path if os.path.isdir(p)]
for path in paths:
    for name in os.listdir(path) if path.endswith("lib-dynload") else ():
        module = name.split(".")[0]
        if not module.startswith(("_test", "xx", "_tkinter", "_ctypes_test")):
            try:
                importlib.import_module(module)
            except Exception:
                pass
maps = {line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if " /" in line}
print(json.dumps({"version": sys.version_info[:2], "paths": paths, "files": sorted(maps)}))
`;

/** Asks an interpreter for its paths. @throws with the reason when it cannot serve. */
export async function inspectPython(executable: string): Promise<PythonRuntime> {
  const { code, stdout, stderr } = await runProgram([
    executable,
    ...["-I", "-S", "-B", "-c", PROBE],
  ], { env: onlyVariables({}), timeoutMs: PROBE_MS });
  if (code !== 0) throw new Error(`${executable} cannot run scripts: ${lastLine(stderr)}`);
  const { version, paths, files } = JSON.parse(stdout) as {
    version: [number, number];
    paths: string[];
    files: string[];
  };
  const [major, minor] = version;
  if (major < 3 || major === 3 && minor < 8) throw new Error(`${executable} is older than 3.8`);
  return { executable, grants: grantsFor(executable, { paths, files }) };
}

function grantsFor(
  executable: string,
  found: { paths: string[]; files: string[] },
): PathGrant[] {
  const libraries = found.files.filter((file) => /\.so(\.|$)/.test(file) || /\/ld[-.]/.test(file));
  const loaders = libraries.filter((file) => /\/ld[-.]|\/ld64/.test(file));
  return [
    { path: executable, access: "run" },
    // execve opens the dynamic loader as a program of its own.
    ...loaders.map((path): PathGrant => ({ path, access: "run" })),
    ...libraries.map((path): PathGrant => ({ path, access: "read" })),
    ...found.paths.map((path): PathGrant => ({ path, access: "tree" })),
    { path: "/etc/ld.so.cache", access: "read" },
    { path: "/etc/localtime", access: "read" },
    { path: "/usr/share/zoneinfo", access: "tree" },
    { path: "/dev/null", access: "sink" },
  ];
}
