import assert from "node:assert/strict";
import { ScriptedProvider } from "../../tests/support/scripted_provider.ts";
import type { Message } from "../protocol/message.ts";
import { MemoryBlobs, withImages } from "./images.ts";

const BYTES = new Uint8Array([1, 2, 3]);

/** What a provider is sent of these messages. */
async function sent(messages: Message[], blobs: MemoryBlobs): Promise<readonly Message[]> {
  const provider = new ScriptedProvider([{ text: "ok" }]);
  const filled = withImages(provider, () => blobs);
  const request = { system: "", messages, tools: [] };
  await Array.fromAsync(filled.stream(request, new AbortController().signal));
  return provider.requests[0]!.messages;
}

Deno.test("withImages() fills in the images of questions and of results", async () => {
  const blobs = new MemoryBlobs();
  const ref = await blobs.put(BYTES);
  const image = { type: "image" as const, mediaType: "image/png", ref };
  const result: Message = {
    role: "tool",
    toolCallId: "c",
    name: "look",
    content: "seen",
    isError: false,
    images: [image],
  };
  const messages = await sent([{ role: "user", content: [image] }, result], blobs);
  const whole = { ...image, data: "AQID" };
  assert.deepEqual(messages[0]!.content, [whole]);
  assert.deepEqual(messages[1], { ...result, images: [whole] });
  assert.equal("data" in result.images![0]!, false, "what is stored stays as it was");
});

Deno.test("withImages() says in a result that its image is no longer stored", async () => {
  const lost = { type: "image" as const, mediaType: "image/png", ref: "sha256:00" };
  const result = { role: "tool", toolCallId: "c", name: "x", isError: false } as const;
  const messages = await sent(
    [{ ...result, content: "seen", images: [lost] }],
    new MemoryBlobs(),
  );
  assert.deepEqual(messages, [{
    ...result,
    content: "seen\n[an image that is no longer stored]",
  }]);
});
