/** Images on the wire: inline data where it was filled in, else the public URL. */
import type { ImagePart, ToolMessage } from "../protocol/message.ts";

/** A `data:` or http(s) URL; undefined when there is nothing that can be sent. */
export function imageUrl(part: ImagePart): string | undefined {
  if (part.data !== undefined) return `data:${part.mediaType};base64,${part.data}`;
  return /^https?:/.test(part.ref) ? part.ref : undefined;
}

/** The text of a result with a note for each image that cannot be sent where it is. */
export function textWithNotes(
  { content, images = [] }: ToolMessage,
  note: (image: ImagePart) => string | undefined,
): string {
  if (images.length === 0) return content;
  const notes = images.map(note).filter((text) => text !== undefined);
  return [content, ...notes].filter((text) => text !== "").join("\n");
}

/** What the model reads in place of an image that cannot be sent. */
export function imageText(allowed: boolean): string {
  return allowed ? "[image no longer available]" : "[image omitted: this model sees only text]";
}
