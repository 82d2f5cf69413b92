/** Finding a program on PATH. */

/** Absolute path of an executable, or undefined. */
export async function which(
  program: string,
  path: string | undefined,
): Promise<string | undefined> {
  if (program.includes("/")) return await isExecutable(program) ? program : undefined;
  for (const directory of (path ?? "").split(":")) {
    // A relative one would be whatever the working directory holds.
    if (!directory.startsWith("/")) continue;
    const candidate = `${directory}/${program}`;
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const info = await Deno.stat(path);
    return info.isFile && ((info.mode ?? 0) & 0o111) !== 0;
  } catch {
    // Missing, or in a directory we may not read: not usable either way.
    return false;
  }
}
