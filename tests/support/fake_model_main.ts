/**
 * The fake model as a program, for end-to-end tests of the command line:
 * `fake_model_main.ts SCRIPT.json [--log FILE]` prints its port and serves until it is killed.
 * SCRIPT.json is a list of replies; with `--log` each request is appended as one JSON line.
 */
import { type Reply, startFakeModel } from "./fake_model_server.ts";

if (import.meta.main) {
  const [script, flag, log] = Deno.args;
  if (script === undefined || (flag !== undefined && (flag !== "--log" || log === undefined))) {
    console.error("usage: fake_model_main.ts SCRIPT.json [--log FILE]");
    Deno.exit(2);
  }
  const replies = JSON.parse(await Deno.readTextFile(script)) as Reply[];
  const server = startFakeModel({
    replies,
    models: ["fake-model"],
    onRequest({ method, path, headers, body }) {
      if (log === undefined) return;
      const line = JSON.stringify({ method, path, headers, body });
      // In order and before the answer: tests read the file as soon as hermes exits.
      Deno.writeTextFileSync(log, `${line}\n`, { append: true });
    },
  });
  console.log(server.port);
}
