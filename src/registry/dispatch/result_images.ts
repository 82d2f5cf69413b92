/**
 * Images of a result: checked, stored as blobs, and from then on known by reference. One that
 * cannot be kept becomes a note for the model; it never fails the call.
 */
import type { ImagePart } from "../../protocol/message.ts";
import type { BlobSink } from "../../protocol/services.ts";
import type { ToolImagePart } from "../../protocol/tool_result.ts";
import { imageType, longerSide } from "../../util/image_facts.ts";
import { reasonOf } from "../../util/reason.ts";

/** What every provider reads. */
const MEDIA_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** The smallest limit of the providers. */
const MAX_IMAGE_BYTES = 5_000_000;
const MAX_IMAGES = 8;
/** The same in pixels. */
const MAX_SIDE = 8_000;

export interface KeptImages {
  images: ImagePart[];
  /** One line for each image that the model does not get. */
  notes: string[];
}

/** Stores the images of one result. Never rejects. */
export async function keepImages(
  parts: readonly ToolImagePart[],
  blobs: BlobSink,
): Promise<KeptImages> {
  const kept: KeptImages = { images: [], notes: [] };
  for (const [index, part] of parts.entries()) {
    if (index >= MAX_IMAGES) {
      kept.notes.push(`[${parts.length - MAX_IMAGES} more images are left out]`);
      break;
    }
    try {
      kept.images.push(await keep(part, blobs));
    } catch (error) {
      kept.notes.push(`[image ${index + 1} is left out: ${reasonOf(error)}]`);
    }
  }
  return kept;
}

async function keep({ mediaType, data }: ToolImagePart, blobs: BlobSink): Promise<ImagePart> {
  if (!MEDIA_TYPES.includes(mediaType)) {
    throw new RangeError(`its type must be one of ${MEDIA_TYPES.join(", ")}`);
  }
  const bytes = typeof data === "string" ? decoded(data) : data;
  if (bytes.length === 0) throw new RangeError("it is empty");
  if (bytes.length > MAX_IMAGE_BYTES) {
    throw new RangeError(`it has ${bytes.length} bytes, at most ${MAX_IMAGE_BYTES} can be sent`);
  }
  // What a provider refuses it refuses in every later request: the session could not go on.
  const found = imageType(bytes);
  if (found === undefined) throw new RangeError(`its bytes are none of ${MEDIA_TYPES.join(", ")}`);
  if ((longerSide(bytes) ?? 0) > MAX_SIDE) {
    throw new RangeError(`it has more than ${MAX_SIDE} pixels on a side`);
  }
  return { type: "image", mediaType: found, ref: await blobs.put(bytes) };
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    throw new RangeError("its data is not base64");
  }
}
