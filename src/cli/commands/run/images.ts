/** `--image FILE`: checks that it is an image before anything is asked, then keeps it by content hash. */
import { UsageError } from "../../../protocol/error.ts";
import type { ImagePart } from "../../../protocol/message.ts";
import type { Session } from "../../../session/session.ts";
import { imageType } from "../../../util/image_facts.ts";
import { readNamedFile } from "../../named_file.ts";

const MAX_BYTES = 20 * 1024 * 1024;

/** A file that was read and looks like an image. */
export interface GivenImage {
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** @throws {UsageError} when the file is unreadable, too large or no image. */
export function readImage(path: string): GivenImage {
  const bytes = readNamedFile(path, "--image");
  if (bytes.length > MAX_BYTES) {
    throw new UsageError(`--image ${path} is larger than ${MAX_BYTES} bytes`);
  }
  const mediaType = imageType(bytes);
  if (mediaType === undefined) {
    throw new UsageError(`--image ${path} is not a PNG, JPEG, GIF or WebP image`);
  }
  return { mediaType, bytes };
}

/** The images as parts of a message; the session has their bytes. */
export async function keepImages(
  images: readonly GivenImage[],
  session: Session,
): Promise<ImagePart[]> {
  return await Promise.all(images.map(async ({ mediaType, bytes }): Promise<ImagePart> => ({
    type: "image",
    mediaType,
    ref: await session.keepImage(bytes),
  })));
}
