/** What two live sessions of one host must not share: what each saw of files, and its counters. */
import { equal, match, ok } from "node:assert/strict";
import { messageText } from "../../src/protocol/message.ts";
import type { ModelRequest } from "../../src/protocol/provider.ts";
import type { SessionSpec } from "../../src/protocol/session_spec.ts";
import { EventLog, input, openTestHost, type Respond } from "../support/test_host.ts";

const FILES: SessionSpec = { surface: "run", storage: "none", toolsets: { enabled: ["file"] } };

interface Step {
  name: string;
  arguments: Record<string, unknown>;
}

/** The text of the last user message. */
function said({ messages }: ModelRequest): string {
  const message = messages.findLast(({ role }) => role === "user");
  return message?.role === "user" ? messageText(message) : "";
}

/** A model that makes the calls of the person's JSON, one after the other. */
function callsInOrder(before: (said: string, step: number) => Promise<void> = async () => {}) {
  const respond: Respond = async (request) => {
    const steps: Step[] = JSON.parse(said(request));
    const turn = request.messages.findLastIndex(({ role }) => role === "user");
    const done = request.messages.slice(turn).filter(({ role }) => role === "tool").length;
    await before(said(request), done);
    const step = steps[done];
    return step === undefined ? { text: "done" } : { calls: [step] };
  };
  return respond;
}

function results(log: EventLog): string[] {
  return log.events.flatMap((event) => event.type === "tool_end" ? [event.result] : []);
}

Deno.test("two sessions share no ledger of files: each is warned of what it did not read itself", async () => {
  await using bench = await openTestHost({ respond: callsInOrder() });
  const [a, b] = [await bench.host.open(FILES), await bench.host.open(FILES)];
  const [logA, logB] = [new EventLog(a.session), new EventLog(b.session)];
  await Deno.writeTextFile(`${bench.home}/x.txt`, "one\n");
  const run = async ({ session }: typeof a, ...steps: Step[]) => {
    session.submit(input(JSON.stringify(steps)));
    await session.idle;
  };
  const read = { name: "read_file", arguments: { path: "x.txt" } };
  const write = (content: string) => ({
    name: "write_file",
    arguments: { path: "x.txt", content },
  });
  await run(a, read);
  await run(b, write("two, and longer\n"));
  match(results(logB)[0]!, /x\.txt existed and was not read before this write/);
  await run(a, write("three\n"));
  // For this session the other one is anybody who works on the same disk.
  match(results(logA)[1]!, /x\.txt changed on disk after it was last read here/);
  equal(await Deno.readTextFile(`${bench.home}/x.txt`), "three\n");
});

Deno.test("two sessions share no guardrail counter, also while their turns overlap", async () => {
  const fails = { name: "read_file", arguments: { path: "nowhere.txt" } };
  const [twice, once] = [JSON.stringify([fails, fails]), JSON.stringify([fails])];
  const failedOnce = Promise.withResolvers<void>();
  const otherIsDone = Promise.withResolvers<void>();
  const respond = callsInOrder(async (text, step) => {
    if (text !== twice || step !== 1) return;
    failedOnce.resolve();
    await otherIsDone.promise;
  });
  await using bench = await openTestHost({ respond });
  const [a, b] = [await bench.host.open(FILES), await bench.host.open(FILES)];
  const [logA, logB] = [new EventLog(a.session), new EventLog(b.session)];
  a.session.submit(input(twice));
  await failedOnce.promise;
  b.session.submit(input(once));
  await b.session.idle;
  otherIsDone.resolve();
  await a.session.idle;
  ok(a.session.id !== b.session.id && results(logB).length === 1);
  ok(!/repeated_exact_failure/.test(results(logB)[0]!), results(logB)[0]!);
  // Not a test of nothing: the second failure in one session is noticed.
  match(results(logA)[1]!, /repeated_exact_failure/);
});
