/**
 * What a plugin does without being called, in `hermes plugins dev`: its services and timers run, and
 * what it pushes is printed instead of reaching a session or a chat.
 */
import { type LoadedPlugin, PluginHost } from "../../../plugins/host.ts";
import type { PluginInbox, PluginSession } from "../../../protocol/plugin.ts";
import { cleanOutput } from "../../../util/clean_output.ts";
import { err, out } from "../../io.ts";

/** The session that typed calls belong to. */
export const DEV_SESSION = "dev";

/** Closing what it gives ends the plugin, too. */
export async function serveForDev(loaded: LoadedPlugin): Promise<PluginHost> {
  const host = new PluginHost([loaded], {
    ownCommands: [],
    report: (line) => err(`✗ ${line}\n`),
    log: (line) => err(`${line}\n`),
  });
  host.attach(session);
  await host.serve({ inbox });
  return host;
}

const session: PluginSession = {
  id: DEV_SESSION,
  submit(operation) {
    const text = operation.op === "input"
      ? operation.content.map((part) => part.type === "text" ? part.text : "").join("\n")
      : operation.op;
    print(`turn (${operation.op === "input" ? operation.busy : ""})`, text);
    return { status: "accepted" };
  },
  tell: (text) => print("line", text),
};

const inbox: PluginInbox = {
  deliver({ platform, chat, user, text }) {
    print(`message from ${platform}`, `chat ${chat}, user ${user}: ${text}`);
    return Promise.resolve({ status: "accepted" });
  },
};

function print(what: string, text: string): void {
  out(`→ ${cleanOutput(`${what}: ${text}`)}\n`);
}
