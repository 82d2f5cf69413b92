/** Modes that change while a session runs: what the next command may do, and what the model is told. */
import { deepEqual, equal, match } from "node:assert/strict";
import { input, lastResult, openTestHost } from "../../tests/support/test_host.ts";
import { messageText } from "../protocol/message.ts";
import type { ModelRequest } from "../protocol/provider.ts";
import { onLinux } from "../../tests/support/linux.ts";

/** Prints `2 …` behind walls, `0 …` outside; then whether the work can be changed, and `$A`. */
const LOOK =
  "sed -n 's/^Seccomp:.//p' /proc/self/status; (echo x > made) 2>/dev/null && echo changed; echo $A";

Deno.test({
  ...onLinux("a session's walls follow its policy and its person, and exports stay behind walls"),
  async fn() {
    const told: string[] = [];
    const respond = ({ messages }: ModelRequest) => {
      told.splice(0, told.length, ...messages.map(messageText));
      const last = messages.at(-1)!;
      if (last.role === "tool") return { text: "done" };
      const command = messageText(messages.findLast(({ role }) => role === "user")!);
      return { calls: [{ name: "terminal", arguments: { command: command.split("\n").at(-1) } }] };
    };
    const results: string[] = [];
    await using bench = await openTestHost({
      respond(request) {
        if (request.messages.at(-1)!.role === "tool") {
          results.push(String(lastResult(request).output));
        }
        return respond(request);
      },
      config: { "terminal.sandbox": "workspace-write" },
    });
    await Deno.mkdir(`${bench.home}/project/.git`, { recursive: true });
    const { session } = await bench.host.open({
      surface: "run",
      cwd: `${bench.home}/project`,
      toolsets: { enabled: ["terminal"] },
      approval: { policy: "always" },
    });
    const run = async (command: string) => {
      session.submit(input(command));
      await session.idle;
      return results.at(-1);
    };
    equal(session.walls!.sandbox, "workspace-write");
    await run("export A=1");
    equal(await run(LOOK), "2\nchanged\n1");
    session.approvals!.policy = "plan";
    equal(session.walls!.sandbox, "read-only");
    equal(await run("grep Seccomp: /proc/self/status"), "Seccomp:\t2");
    match(told.join("\n"), /Plan mode: change nothing/);
    session.approvals!.policy = "always";
    equal(session.walls!.sandbox, "workspace-write");
    equal(await run(LOOK), "2\nchanged\n1", "what was exported is still there");
    match(told.join("\n"), /Plan mode is over/);
    await session.walls!.changeWalls({ sandbox: "read-only" });
    equal(await run(LOOK), "2\n1");
    match(told.join("\n"), /The sandbox around commands is now read-only/);
    await session.walls!.changeWalls({ sandbox: "off" });
    equal(await run(LOOK), "0\nchanged", "nothing of it is read without walls");
    session.approvals!.policy = "plan";
    equal(session.walls!.sandbox, "read-only", "a plan has walls whatever was chosen");
    session.approvals!.policy = "always";
    equal(session.walls!.sandbox, "off");
    await session.walls!.changeWalls({ sandbox: "workspace-write", network: "off" });
    deepEqual([session.walls!.sandbox, session.walls!.network], ["workspace-write", "off"]);
    equal((await run("cat < /dev/tcp/127.0.0.1/9"))?.includes("Network is down"), true);
    match(told.join("\n"), /is now workspace-write, network off/);
  },
});
