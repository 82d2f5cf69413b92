/**
 * Images of a conversation: kept by content hash, referred to in messages, and loaded only for
 * the request that shows them to a model.
 */
import { type ImagePart, imagesOf, type Message, type UserPart } from "../protocol/message.ts";
import type { ModelRequest, Provider, ProviderEvent } from "../protocol/provider.ts";
import { sha256Hex } from "../util/hash.ts";

/** Where image bytes live. */
export interface ImageBlobs {
  put(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Undefined when it is no longer there. */
  get(ref: string): Promise<Uint8Array | undefined>;
}

/** Blobs of a session that keeps nothing on disk. */
export class MemoryBlobs implements ImageBlobs {
  #blobs = new Map<string, Uint8Array>();

  async put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const ref = `sha256:${await sha256Hex(bytes)}`;
    this.#blobs.set(ref, bytes);
    return ref;
  }

  get(ref: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#blobs.get(ref));
  }
}

/** A provider that fills in image data just before each request. */
export function withImages(provider: Provider, blobs: () => ImageBlobs): Provider {
  return {
    name: provider.name,
    model: provider.model,
    stream(request, signal) {
      if (!request.messages.some(hasStoredImage)) return provider.stream(request, signal);
      return streamFilled(provider, { request, signal, blobs: blobs() });
    },
  };
}

async function* streamFilled(
  provider: Provider,
  { request, signal, blobs }: { request: ModelRequest; signal: AbortSignal; blobs: ImageBlobs },
): AsyncGenerator<ProviderEvent, void, void> {
  yield* provider.stream(await fillImages(request, blobs), signal);
}

async function fillImages(request: ModelRequest, blobs: ImageBlobs): Promise<ModelRequest> {
  const messages = await Promise.all(
    request.messages.map((message) => hasStoredImage(message) ? fill(message, blobs) : message),
  );
  return { ...request, messages };
}

function hasStoredImage(message: Message): boolean {
  return imagesOf(message).some(isStored);
}

function isStored({ ref }: ImagePart): boolean {
  return ref.startsWith("sha256:");
}

/** A lost image is said to the model instead of failing the conversation for ever. */
async function fill(message: Message, blobs: ImageBlobs): Promise<Message> {
  if (message.role === "assistant") return message;
  const parts: readonly UserPart[] = message.role === "tool"
    ? message.images ?? []
    : message.content;
  const filled = await Promise.all(parts.map(async (part): Promise<UserPart> => {
    if (part.type !== "image" || !isStored(part)) return part;
    const bytes = await blobs.get(part.ref);
    return bytes
      ? { ...part, data: bytes.toBase64() }
      : { type: "text", text: "[an image that is no longer stored]" };
  }));
  if (message.role === "user") return { ...message, content: filled };
  const { images: _, ...rest } = message;
  const lost = filled.flatMap((part) => part.type === "text" ? [part.text] : []);
  const images = filled.filter((part) => part.type === "image");
  return {
    ...rest,
    content: [message.content, ...lost].filter(Boolean).join("\n"),
    ...(images.length === 0 ? {} : { images }),
  };
}
