/**
 * Images of a conversation: kept by content hash, referred to in messages, and loaded only for
 * the request that shows them to a model.
 */
import type { Message, UserMessage } from "../protocol/message.ts";
import type { ModelRequest, Provider } from "../protocol/provider.ts";
import { sha256Hex } from "../util/hash.ts";

/** Where image bytes live. */
export interface BlobShelf {
  put(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  get(ref: string): Promise<Uint8Array>;
}

/** Blobs of a session that keeps nothing on disk. */
export class MemoryShelf implements BlobShelf {
  #blobs = new Map<string, Uint8Array>();

  async put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const ref = `sha256:${await sha256Hex(bytes)}`;
    this.#blobs.set(ref, bytes);
    return ref;
  }

  get(ref: string): Promise<Uint8Array> {
    const bytes = this.#blobs.get(ref);
    return bytes ? Promise.resolve(bytes) : Promise.reject(new Error(`no image ${ref}`));
  }
}

/** A provider that fills in image data just before each request. */
export function withImages(provider: Provider, shelf: () => Promise<BlobShelf>): Provider {
  return {
    name: provider.name,
    model: provider.model,
    async *stream(request, signal) {
      yield* provider.stream(await fillImages(request, shelf), signal);
    },
  };
}

async function fillImages(
  request: ModelRequest,
  shelf: () => Promise<BlobShelf>,
): Promise<ModelRequest> {
  if (!request.messages.some(hasStoredImage)) return request;
  const blobs = await shelf();
  const messages = await Promise.all(
    request.messages.map((message) => hasStoredImage(message) ? fill(message, blobs) : message),
  );
  return { ...request, messages };
}

function hasStoredImage(message: Message): message is UserMessage {
  return message.role === "user" &&
    message.content.some((part) => part.type === "image" && part.ref.startsWith("sha256:"));
}

/** A lost image is said to the model instead of failing the conversation for ever. */
async function fill(message: UserMessage, blobs: BlobShelf): Promise<UserMessage> {
  const content = await Promise.all(message.content.map(async (part) => {
    if (part.type !== "image" || !part.ref.startsWith("sha256:")) return part;
    try {
      return { ...part, data: (await blobs.get(part.ref)).toBase64() };
    } catch {
      // Pruned or deleted by hand: the conversation must still be able to go on.
      return { type: "text" as const, text: "[an image that is no longer stored]" };
    }
  }));
  return { ...message, content };
}
