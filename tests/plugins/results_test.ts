/** What tools of plugins may answer: the forms they always could, and text, images and details. */
import assert from "node:assert/strict";
import { sessionIdOf, withJob } from "../support/run_job.ts";
import { createTestServices } from "../support/tool_context.ts";
import { PluginBench, pluginFiles, toolModule } from "./_bench.ts";

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
      { type: "image", mediaType: "image/png", data: "iVBORw==" },
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
    images: [{ type: "image", mediaType: "image/png", ref: "sha256:89504e47" }],
    details: { kind: "data", data: { width: 1 } },
  });
});

Deno.test("an image of a plugin's tool reaches the model, is stored, and survives a resume", async () => {
  const module = toolModule(
    "camera",
    `return { content: [{ type: "text", text: "snap" }, { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }] }`,
  );
  await withJob([
    { toolCalls: [{ id: "call_a", name: "camera", arguments: {} }] },
    { text: "I see" },
    { text: "still" },
  ], async (job) => {
    const folder = `${job.home}/.hermes/plugins/demo`;
    await Deno.mkdir(folder, { recursive: true });
    for (const [path, text] of Object.entries(pluginFiles("demo", module))) {
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    assert.equal((await job.hermes(["plugins", "enable", "demo"])).code, 0);
    const first = await job.run(["look"]);
    assert.equal(first.stdout, "I see\n", first.stderr);
    const second = await job.run(["--resume", sessionIdOf(first), "and now?"]);
    assert.equal(second.stdout, "still\n", second.stderr);
    for (const { body } of job.model.requests.slice(1)) {
      const messages = body.messages as { role: string; content: unknown }[];
      const at = messages.findIndex(({ role }) => role === "tool");
      assert.equal(messages[at]!.content, "snap");
      assert.deepEqual(messages[at + 1], {
        role: "user",
        content: [
          { type: "text", text: "[images of the result of call_a]" },
          { type: "image_url", "image_url": { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      });
    }
    const collected = await job.hermes(["sessions", "show", sessionIdOf(first)]);
    assert.match(collected.stdout, /✓ camera snap/);
  });
});
