/** Replacing a file of ours whole: readers see the old content or the new, never half. */
import { dirname } from "./path.ts";
import { randomId } from "./id.ts";

/** Writes beside the target, syncs, renames over it. Creates missing parents. */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomId(8)}.tmp`;
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  try {
    using file = await Deno.open(temporary, {
      write: true,
      createNew: true,
      mode: options.mode ?? 0o600,
    });
    let written = 0;
    while (written < bytes.length) written += await file.write(bytes.subarray(written));
    await file.sync();
    await Deno.rename(temporary, path);
  } catch (error) {
    // The rename may have happened or the file may never have been made; either way nothing is left to remove.
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}
