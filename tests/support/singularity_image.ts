/** A root directory that singularity takes as an image. */
import { busyboxArchive } from "../../scripts/services/_image.ts";

/** Builds it below `dir`. */
export async function busyboxImage(dir: string): Promise<string> {
  await busyboxArchive(dir);
  return `${dir}/image`;
}
