/** What tools of plugins may answer: the forms they always could, and text, images and details. */
import assert from "node:assert/strict";
import { createTestServices } from "../support/tool_context.ts";
import { PluginBench, toolModule } from "./_bench.ts";

async function answer(body: string) {
  await using bench = await PluginBench.create();
  await bench.load(toolModule("hello", body));
  const services = {
    ...createTestServices(),
    blobs: { put: (bytes: Uint8Array) => Promise.resolve(`sha256:${bytes.toHex()}`) },
  };
  return (await bench.bench.dispatcher({ services }).run("hello")).message;
}

Deno.test("tools of plugins answer text and objects as they always did", async () => {
  assert.equal((await answer("return 'plain'")).content, "plain");
  assert.equal((await answer("return { content: 'a', n: 1 }")).content, '{"content":"a","n":1}');
  const failed = await answer("return { error: 'no luck' }");
  assert.deepEqual([failed.content, failed.isError], ['{"error":"no luck"}', true]);
});

Deno.test("a tool of a plugin may answer images, details and a failure", async () => {
  const message = await answer(`return {
    content: [
      { type: "text", text: "a dot" },
      { type: "image", mediaType: "image/png", data: "AQI=" },
    ],
    details: { width: 1 },
    isError: true,
  }`);
  assert.deepEqual(message, {
    role: "tool",
    toolCallId: "c1",
    name: "hello",
    content: "a dot",
    isError: true,
    images: [{ type: "image", mediaType: "image/png", ref: "sha256:0102" }],
    details: { kind: "data", data: { width: 1 } },
  });
});
