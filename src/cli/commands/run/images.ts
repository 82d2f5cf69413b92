/** `--image FILE`: checks that it is an image before anything is asked, then keeps it by content hash. */
import { UsageError } from "../../../protocol/error.ts";
import type { ImagePart } from "../../../protocol/message.ts";
import type { Session } from "../../../session/session.ts";
import { readNamedFile } from "../../named_file.ts";

const MAX_BYTES = 20 * 1024 * 1024;

const MAGIC: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: "image/png", at: 0, bytes: [0x89, 0x50, 0x4e, 0x47] },
  { type: "image/jpeg", at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/webp", at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

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

/** The media type by the file's first bytes. */
export function imageType(bytes: Uint8Array): string | undefined {
  return MAGIC.find(({ at, bytes: magic }) => magic.every((byte, i) => bytes[at + i] === byte))
    ?.type;
}
