/** How a file or directory looks, in one text: two texts differ when anything was changed. */

/** Empty where nothing is. Attributes do not show, nor do times of access. */
export async function describe(path: string, { times = true } = {}): Promise<string> {
  let info: Deno.FileInfo;
  try {
    info = await Deno.lstat(path);
  } catch {
    return "";
  }
  const kind = info.isSymlink ? "link" : info.isDirectory ? "directory" : "file";
  const own = [kind, info.mode, info.uid, info.gid];
  if (info.isSymlink) return [...own, await Deno.readLink(path)].join(" ");
  if (info.isDirectory) {
    const names = (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort();
    const parts = await Promise.all(
      names.map(async (name) => `${name}: ${await describe(`${path}/${name}`, { times })}`),
    );
    return [own.join(" "), ...parts].join("\n");
  }
  const more = times ? [info.nlink, info.mtime?.getTime()] : [];
  return [...own, info.size, ...more, info.isFile ? await contentOf(path) : ""].join(" ");
}

/** The text of a file, or a word that says that it cannot be read. */
export async function contentOf(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return "unreadable";
  }
}
