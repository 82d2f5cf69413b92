/** Real sessions, an inbox and short waits, for plugins that do something without being called. */
import type { FeedItem } from "../../src/session/event_feed.ts";
import { Session } from "../../src/session/session.ts";
import type { PluginBackground, PluginInbox } from "../../src/protocol/plugin.ts";
import type { Provider } from "../../src/protocol/provider.ts";
import type { InboundMessage, PushReceipt } from "../../src/protocol/push.ts";
import type { PluginHost } from "../../src/plugins/plugin_host.ts";
import type { Intervals } from "../../src/plugins/push/intervals.ts";
import { sessionDeps } from "../support/session_deps.ts";
import { ScriptedProvider, type ScriptedReply } from "../support/scripted_provider.ts";
import { manifest, type OpenOptions, PluginBench } from "./_bench.ts";

/** What would take minutes in life. */
export const HASTE: Partial<Intervals> = {
  healthEveryMs: 50,
  firstPauseMs: 20,
  longestPauseMs: 80,
  stopGraceMs: 1_000,
};

/** A session with a scripted model. */
export function createSession(provider: Provider, id = "s1"): Session {
  return new Session({ ...sessionDeps({ provider }).deps, id });
}

export function scripted(...texts: string[]): ScriptedProvider {
  return new ScriptedProvider(texts.map((text): ScriptedReply => ({ text })));
}

/** What the model was last sent by somebody who is not the model. */
export function lastInput({ requests }: ScriptedProvider): string {
  const message = requests.at(-1)!.messages.findLast(({ role }) => role === "user");
  return JSON.stringify(message?.content);
}

/** Resolves with the first item that fits. */
export async function nextItem(
  items: AsyncIterator<FeedItem>,
  fits: (item: FeedItem) => boolean,
): Promise<FeedItem> {
  while (true) {
    const { value, done } = await items.next();
    if (done) throw new Error("the session ended before");
    if (fits(value)) return value;
  }
}

/** Messages in the order they were stored; a second one of an id is none. */
export class MemoryInbox implements PluginInbox {
  readonly stored: (InboundMessage & { plugin: string })[] = [];
  /** Called before a message is stored. */
  before: (message: InboundMessage) => Promise<void> = () => Promise.resolve();

  async deliver(message: InboundMessage, { plugin }: { plugin: string }): Promise<PushReceipt> {
    await this.before(message);
    const isKnown = this.stored.some(({ platform, id }) =>
      platform === message.platform && id === message.id
    );
    if (!isKnown) this.stored.push({ ...message, plugin });
    return { status: "accepted" };
  }
}

export interface Served {
  bench: PluginBench;
  host: PluginHost;
  background: PluginBackground;
  inbox: MemoryInbox;
}

/** Opens one plugin, serves it, and ends everything. */
export async function withServed(
  { permissions, code, options = {}, intervals = {}, head = "" }: {
    permissions: Record<string, readonly string[]>;
    /** The body of `register(ctx)`. */
    code: string;
    /** More of the manifest. */
    head?: string;
    options?: OpenOptions;
    intervals?: Partial<Intervals>;
  },
  body: (served: Served) => Promise<void>,
): Promise<void> {
  await using bench = await PluginBench.create();
  const host = await bench.load({
    "plugin.yaml": manifest("demo", permissions) + head,
    "mod.ts": registering(code),
  }, options);
  const inbox = new MemoryInbox();
  const background = await host.serve({ inbox, intervals: { ...HASTE, ...intervals } });
  if (background === undefined) throw new Error(`nothing to serve: ${bench.reports}`);
  await body({ bench, host, background, inbox });
}

/** A module whose `register(ctx)` has this body; `tool(name, handler)` registers a tool. */
export function registering(body: string): string {
  return `export function register(ctx: any) {
  const tool = (name: string, handler: any) => ctx.registerTool({
    name, description: "x", schema: { type: "object", additionalProperties: true }, handler });
  void tool;
  ${body}
}
`;
}

/** Waits for something that another process brings about; a test that waits too long fails. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
