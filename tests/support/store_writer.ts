/** A process that appends messages to a store and prints each one's number once it is durable. */
import { Store } from "../../src/store/store.ts";

const [path, name, count] = Deno.args as [string, string, string];
using store = new Store(path, { busyTimeoutMs: 60_000 });
const id = store.createSession({
  id: name,
  source: "run",
  cwd: "/",
  provider: "p",
  model: "m",
  systemPrompt: "",
});
for (let i = 0; i < Number(count); i++) {
  store.appendMessage(id, {
    role: "user",
    content: [{ type: "text", text: `${name} number${i}` }],
  });
  Deno.stdout.writeSync(new TextEncoder().encode(`${i}\n`));
}
store.endSession(id, "done");
