/** Two live sessions of one host with different plugins under the same tool name. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { SessionSpec } from "../../src/protocol/session_spec.ts";
import type { Session } from "../../src/session/session.ts";
import { pluginFiles, toolModule } from "../plugins/_bench.ts";
import { EventLog, input, openTestHost, type TestHost } from "../support/test_host.ts";

/** Writes a plugin whose tool `greet` answers with the plugin's name, and whose command does too. */
async function writePlugin(bench: TestHost, id: string): Promise<string> {
  const tool = toolModule(
    "greet",
    `return { from: ${JSON.stringify(id)}, session: call.sessionId };`,
  );
  const command = `ctx.registerCommand({
    name: "who",
    description: "Says who answers",
    run: (_argument, call) => ${JSON.stringify(id)} + " in " + call.sessionId,
  });`;
  const source = tool.replace("  ctx.registerTool(", `  ${command}\n  ctx.registerTool(`);
  for (const [path, text] of Object.entries(pluginFiles(id, source))) {
    await Deno.mkdir(`${bench.home}/${id}`, { recursive: true });
    await Deno.writeTextFile(`${bench.home}/${id}/${path}`, text);
  }
  return `${bench.home}/${id}`;
}

async function openBench(): Promise<TestHost> {
  return await openTestHost({
    respond: (request) =>
      request.messages.at(-1)?.role === "tool"
        ? { text: "done" }
        : { calls: [{ name: "greet", arguments: {} }] },
  });
}

/** Who answered the call of `greet` in a turn. */
async function greeted(session: Session, log: EventLog, turn: number): Promise<unknown> {
  equal(session.submit(input("go")).status, "accepted");
  const { result } = await log.next("tool_end", turn);
  await session.idle;
  const { from, session: whose, error } = JSON.parse(result);
  if (from !== undefined) equal(whose, session.id);
  return from ?? error;
}

Deno.test("a tool of one session's plugin never answers another session", async () => {
  await using bench = await openBench();
  const places = [await writePlugin(bench, "alpha"), await writePlugin(bench, "beta")];
  const specs = places.map((place, index): SessionSpec => ({
    surface: "run",
    storage: "none",
    toolsets: { enabled: [["alpha", "beta"][index]!] },
    extensions: { plugins: [place] },
  }));
  const [a, b] = await Promise.all(specs.map((spec) => bench.host.open(spec)));
  const bare = await bench.host.open({ surface: "run", storage: "none" });
  const logs = [a!, b!, bare].map(({ session }) => new EventLog(session));
  deepEqual([a!.session.toolNames, b!.session.toolNames], [["greet"], ["greet"]]);
  ok(!bare.session.toolNames.includes("greet"));
  deepEqual(
    await Promise.all([greeted(a!.session, logs[0]!, 0), greeted(b!.session, logs[1]!, 0)]),
    ["alpha", "beta"],
  );
  match(String(await greeted(bare.session, logs[2]!, 0)), /greet/);
  equal(b!.session.submit({ op: "command", name: "who", argument: "" }).status, "accepted");
  // The session that a command runs in is the one that it may wake or tell something.
  equal((await logs[1]!.next("command_end")).text, `beta in ${b!.session.id}\n`);
  // What one session leaves behind is its own.
  await b!.session.end("done");
  equal(await greeted(a!.session, logs[0]!, 1), "alpha");
});

Deno.test("sessions with the same plugins share their processes until the last one ends", async () => {
  await using bench = await openBench();
  const place = await writePlugin(bench, "alpha");
  const spec: SessionSpec = {
    surface: "run",
    storage: "none",
    toolsets: { enabled: ["alpha"] },
    extensions: { plugins: [place] },
  };
  const [a, b] = await Promise.all([bench.host.open(spec), bench.host.open(spec)]);
  equal(a.plugins, b.plugins);
  const log = new EventLog(b.session);
  await a.session.end("done");
  equal(await greeted(b.session, log, 0), "alpha");
  await b.session.end("done");
  const c = await bench.host.open(spec);
  ok(c.plugins !== a.plugins);
  equal(await greeted(c.session, new EventLog(c.session), 0), "alpha");
});

Deno.test("what a plugin comes to is told to every session that uses it, whoever came first", async () => {
  await using bench = await openBench();
  await Deno.mkdir(`${bench.home}/gamma`);
  for (
    const [path, text] of Object.entries(pluginFiles("gamma", toolModule("greet", "Deno.exit(1);")))
  ) {
    await Deno.writeTextFile(`${bench.home}/gamma/${path}`, text);
  }
  const spec: SessionSpec = {
    surface: "run",
    storage: "none",
    toolsets: { enabled: ["gamma"] },
    extensions: { plugins: [`${bench.home}/gamma`] },
  };
  const [a, b, c] = [
    await bench.host.open(spec),
    await bench.host.open(spec),
    await bench.host.open(spec),
  ];
  const logs = [b, c].map(({ session }) => new EventLog(session));
  await a.session.end("done");
  await greeted(b.session, logs[0]!, 0);
  for (const log of logs) {
    match(
      (await log.next("notice")).text,
      /^Plugin gamma is disabled for this run: its process ended/,
    );
  }
});
