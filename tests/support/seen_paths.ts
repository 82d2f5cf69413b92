/** What comes and goes in a directory while something is done there. */

/** Every path of `directory` that was made, renamed or removed during `action`. */
export async function seenPaths(
  directory: string,
  action: () => Promise<unknown>,
): Promise<Set<string>> {
  const seen = new Set<string>();
  const last = `${directory}/.last-${crypto.randomUUID()}`;
  using watcher = Deno.watchFs(directory, { recursive: false });
  const watching = (async () => {
    for await (const { paths } of watcher) {
      if (paths.includes(last)) return;
      for (const path of paths) seen.add(path);
    }
  })();
  await action();
  // Events come in order, and late on a busy machine: behind this one nothing is missing.
  await Deno.writeTextFile(last, "");
  await watching;
  await Deno.remove(last);
  return seen;
}
