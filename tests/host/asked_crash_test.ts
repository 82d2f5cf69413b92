/** What the model reads about a call that had no result when hermes stopped. */
import { equal, match } from "node:assert/strict";
import { Host } from "../../src/host/host.ts";
import type { SessionSpec } from "../../src/protocol/session_spec.ts";
import { writtenFile } from "../support/written_file.ts";
import { EventLog, input, openTestHost, routesTo, type TestHost } from "../support/test_host.ts";

const SPEC: SessionSpec = { surface: "chat", toolsets: { enabled: ["terminal"] } };

/** The last message of a session as another hermes finds it, as after a crash of the first. */
async function foundElsewhere({ host, home }: TestHost, id: string): Promise<string> {
  const routes = routesTo(() => ({ text: "x" }));
  const { settings } = host;
  const other = new Host({ settings, cwd: home, processEnv: { HOME: home }, routes });
  const { session } = await other.open({ ...SPEC, resume: { session: id } });
  const last = session.snapshot().transcript.at(-1)!;
  await other.close({ abandon: true });
  return last.role === "tool" ? last.content : last.role;
}

Deno.test("a call that waited for a yes did not run; one that was allowed may have", async () => {
  const command = "rm -rf nothing-here; echo begun > begun; read line < fifo";
  await using bench = await openTestHost({
    respond: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "done" }
        : { calls: [{ name: "terminal", arguments: { command } }] },
  });
  await new Deno.Command("mkfifo", { args: [`${bench.home}/fifo`] }).output();
  const { session } = await bench.host.open(SPEC);
  const log = new EventLog(session);
  session.submit(input("go"));
  const { question } = await log.next("question_start");
  match(await foundElsewhere(bench, session.id), /waited for a yes\. It did not run\./);
  const answer = { kind: "approval", answer: "once" } as const;
  equal(session.submit({ op: "answer", questionId: question.id, answer }).status, "accepted");
  await writtenFile(`${bench.home}/begun`);
  match(await foundElsewhere(bench, session.id), /Whether it took effect is unknown/);
  await Deno.writeTextFile(`${bench.home}/fifo`, "go\n");
  await session.idle;
  equal((await log.next("turn_end")).text, "done");
});
