/**
 * The plugin processes of a host. Sessions that want the same plugins in the same directory share
 * them; the last one to leave ends them. Loaded only where a plugin is wanted.
 */
import { settingsRedactor } from "../config/known_secrets.ts";
import type { Settings } from "../config/load.ts";
import type { PluginHost } from "../plugins/host.ts";
import { openPlugins, type OpenPluginsOptions } from "../plugins/open.ts";
import type { PluginInbox } from "../protocol/plugin.ts";
import { protectedPlaces } from "../session/protected_places.ts";

export interface PluginDemand {
  settings: Settings;
  cwd: string;
  /** Paths and addresses beside the enabled ones. */
  places: readonly string[];
  /** Takes addresses that nobody pinned. */
  accept: boolean;
  confirm: OpenPluginsOptions["confirm"];
  confirmChange: OpenPluginsOptions["confirmChange"];
  processEnv: Readonly<Record<string, string>>;
  ownCommands: OpenPluginsOptions["ownCommands"] | undefined;
  /** Plugins may work without being called: the session stays. */
  serves: boolean;
  /** Where messages from chats arrive. */
  inbox: PluginInbox | undefined;
  report(line: string): void;
  log(line: string): void;
}

interface PluginSet {
  opening: Promise<PluginHost>;
  /** Begun with the first session that stays. */
  serving?: Promise<unknown>;
  users: number;
}

export class PluginSets {
  readonly #sets = new Map<string, PluginSet>();

  /** The plugins for one more session; `release` when it is closed. */
  async use(demand: PluginDemand): Promise<{ host: PluginHost; release(): Promise<void> }> {
    const { cwd, places, accept } = demand;
    const key = JSON.stringify([cwd, places, accept]);
    const set = this.#sets.get(key) ?? { opening: open(demand), users: 0 };
    this.#sets.set(key, set);
    set.users++;
    let isReleased = false;
    const release = async () => {
      if (isReleased) return;
      isReleased = true;
      if (--set.users > 0) return;
      if (this.#sets.get(key) === set) this.#sets.delete(key);
      await (await set.opening).close();
    };
    try {
      const host = await set.opening;
      const { inbox } = demand;
      if (demand.serves) await (set.serving ??= host.serve(inbox === undefined ? {} : { inbox }));
      return { host, release };
    } catch (error) {
      // Nothing was opened; whoever asks next tries again.
      if (this.#sets.get(key) === set) this.#sets.delete(key);
      throw error;
    }
  }
}

async function open(demand: PluginDemand): Promise<PluginHost> {
  const { settings, cwd, processEnv: env, report, log } = demand;
  const userHome = env.HOME ?? "/";
  // A plugin may say what it was told: some variables are keys.
  const clean = settingsRedactor(settings);
  return await openPlugins({
    settings,
    cwd,
    userHome,
    extra: demand.places,
    acceptUnpinned: demand.accept,
    confirm: demand.confirm,
    confirmChange: demand.confirmChange,
    // What belongs to hermes, which no plugin is granted.
    trusted: () => Promise.resolve(protectedPlaces({ home: settings.home, userHome, env })),
    clean: (text) => clean(text),
    report: (line) => report(clean(line)),
    log: (line) => log(clean(line)),
    ...(demand.ownCommands === undefined ? {} : { ownCommands: demand.ownCommands }),
  });
}
