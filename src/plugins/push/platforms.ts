/** Platforms that plugins bring, for those who send: each call is a question to the plugin. */
import type { PlatformFacts, PlatformHandle } from "../../protocol/plugin.ts";
import type { OutboundMessage, SentMessage } from "../../protocol/push.ts";
import type { PlatformAction } from "../messages.ts";
import type { Plugin } from "../plugin.ts";
import { PluginProblem, reasonOf } from "../problem.ts";

const TIMEOUT_MS = 60_000;
const MAX_ID = 256;

/** The handle of one platform. */
export function platformHandle(
  { id, plugin }: { id: string; plugin: Plugin },
  facts: PlatformFacts,
): PlatformHandle {
  const { name, maxChars } = facts;
  const ask = async (action: PlatformAction, message: object, signal: AbortSignal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      return await plugin.ask({ kind: "platform", name, action, message }, { signal: limited });
    } catch (error) {
      signal.throwIfAborted();
      throw new PluginProblem(`${name} (plugin ${id}) failed: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  };
  const requireFit = ({ text }: OutboundMessage) => {
    if (text.length <= maxChars) return;
    throw new PluginProblem(`${name} takes at most ${maxChars} characters, not ${text.length}`);
  };
  const require = (can: boolean, what: string) => {
    if (!can) throw new PluginProblem(`${name} cannot ${what}`);
  };
  return {
    ...facts,
    plugin: id,
    async send(message, signal) {
      requireFit(message);
      return sentMessage(name, await ask("send", message, signal));
    },
    async edit(message, signal) {
      require(facts.canEdit, "change a message");
      requireFit(message);
      await ask("edit", message, signal);
    },
    async showTyping(place, signal) {
      require(facts.canShowTyping, "show that somebody writes");
      await ask("showTyping", place, signal);
    },
  };
}

function sentMessage(name: string, value: unknown): SentMessage {
  const { id } = (value ?? {}) as { id?: unknown };
  if (typeof id === "string" && id !== "" && id.length <= MAX_ID) return { id };
  throw new PluginProblem(`${name} did not say which id the message has; tell the plugin's author`);
}
