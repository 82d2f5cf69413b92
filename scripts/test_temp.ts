/**
 * The directory for everything that the tests of one run make: removed when the run ends, however
 * it ends. Tests that are interrupted cannot tidy up after themselves.
 */

export interface TestTemp extends AsyncDisposable {
  path: string;
  /** For the runner, which its tests inherit it from. */
  env: Record<string, string>;
}

/** Makes the directory. Its name is short: tests put sockets below it, whose paths are bounded. */
export async function makeTestTemp(prefix = "ht"): Promise<TestTemp> {
  const path = await Deno.makeTempDir({ prefix });
  // Tests that become another user have to get to what they made below it.
  await Deno.chmod(path, 0o711);
  return {
    path,
    env: { TMPDIR: path },
    async [Symbol.asyncDispose]() {
      try {
        await openDirectories(path);
        await Deno.remove(path, { recursive: true });
      } catch (error) {
        // What a test still holds (a mount, files of another user) is no reason to fail the run.
        console.error(`left behind: ${path}: ${error instanceof Error ? error.message : error}`);
      }
    },
  };
}

/** Tests take permissions away; nothing below such a directory could be removed. */
async function openDirectories(directory: string): Promise<void> {
  await Deno.chmod(directory, 0o700);
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    if (isDirectory) await openDirectories(`${directory}/${name}`);
  }
}
