import assert from "node:assert/strict";
import { startFakeModel } from "./fake_model_server.ts";

Deno.test("startFakeModel() answers in order, keeps requests and says when the script is over", async () => {
  await using server = startFakeModel({ replies: [{ text: "one" }], models: ["m1"] });
  const post = () => fetch(`${server.url}/chat/completions`, { method: "POST", body: '{"n":1}' });
  const first = await post();
  assert.match(await first.text(), /"content":"one"[^]*data: \[DONE\]\n\n$/);
  const second = await post();
  assert.equal(second.status, 400);
  assert.match(await second.text(), /no reply for request 2/);
  assert.deepEqual(server.requests.map((request) => request.body), [{ n: 1 }, { n: 1 }]);
  const models = await (await fetch(`${server.url}/models`)).json();
  assert.deepEqual(models.data, [{ id: "m1" }]);
});

Deno.test("fake_model_main.ts serves a script as a program and logs requests", async () => {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/script.json`, JSON.stringify([{ text: "hello" }]));
  const program = new URL("./fake_model_main.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", program, `${dir}/script.json`, "--log", `${dir}/log.jsonl`],
    stdout: "piped",
  }).spawn();
  try {
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    const port = Number(new TextDecoder().decode(value));
    const url = `http://127.0.0.1:${port}/v1/messages`;
    const response = await fetch(url, { method: "POST", body: '{"model":"x"}' });
    assert.match(await response.text(), /hello/);
    const logged = JSON.parse(await Deno.readTextFile(`${dir}/log.jsonl`));
    assert.deepEqual([logged.path, logged.body], ["/v1/messages", { model: "x" }]);
    await reader.cancel();
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await Deno.remove(dir, { recursive: true });
  }
});
