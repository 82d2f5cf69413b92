/** The file watcher: a tool takes files, a service looks at them, and a change begins a turn. */
import { type PluginContext, ToolError } from "hermes/plugin";
import { look, type Watch, Watches } from "./watches.ts";

export async function register(ctx: PluginContext): Promise<void> {
  const watches = new Watches(`${ctx.dataDir}/watches.json`);
  await watches.load();
  const everyMs = Number(ctx.config.interval_ms);
  let lookedAt = Date.now();

  ctx.registerTool({
    name: "watch_file",
    description: "Watch a file of the project. When it changes, appears or goes, you are told in " +
      "a turn of its own; until then there is nothing to do.",
    schema: {
      type: "object",
      properties: { path: { type: "string", description: "The absolute path of the file" } },
      required: ["path"],
    },
    async handler({ path }, { sessionId }) {
      if (!path.startsWith("/")) throw new ToolError("Give the absolute path of the file");
      await watches.add({ sessionId, path, seen: await look(path) });
      return { watching: path };
    },
  });

  /** Tells the session. What cannot be told now is tried at the next look, or forgotten. */
  async function tell(watch: Watch, seen: string): Promise<void> {
    const what = seen === "not there" ? "is gone" : "has changed";
    const { sessionId, path } = watch;
    const receipt = await ctx.wake({ sessionId, text: `The file ${path} ${what}.` });
    if (receipt.status !== "rejected") await watches.add({ ...watch, seen });
    else if (!receipt.retry) await watches.remove(watch);
  }

  ctx.registerService({
    name: "watch",
    async run({ signal, ready }) {
      ready();
      while (!signal.aborted) {
        for (const watch of watches.all) {
          const seen = await look(watch.path);
          if (seen !== watch.seen) await tell(watch, seen);
        }
        lookedAt = Date.now();
        await pause(everyMs, signal);
      }
    },
    health: () => Date.now() - lookedAt < 10 * everyMs + 10_000 || "it looks at no file any more",
  });
}

/** Resolves after the time, or as soon as hermes ends. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
