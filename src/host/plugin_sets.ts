/**
 * The plugin processes of a host. Sessions that want the same plugins in the same directory share
 * them; the last one to leave ends them. Loaded only where a plugin is wanted.
 */
import { settingsRedactor } from "../config/known_secrets.ts";
import type { Settings } from "../config/load.ts";
import type { PluginHost } from "../plugins/plugin_host.ts";
import { openPlugins, type OpenPluginsOptions } from "../plugins/open.ts";
import type { PluginInbox } from "../protocol/plugin.ts";
import { protectedPlaces } from "../session/protected_places.ts";
import { reasonOf } from "../util/reason.ts";
import type { HttpIngress } from "./http_ingress.ts";

export interface PluginDemand {
  settings: Settings;
  cwd: string;
  /** Paths and addresses beside the enabled ones. */
  places: readonly string[];
  /** Takes addresses that are not pinned. */
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

/** One session that uses plugins, as they reach it. */
type User = Pick<PluginDemand, "report" | "log">;

interface PluginSet {
  opening: Promise<PluginHost>;
  /** Begun with the first session that stays. */
  serving?: Promise<void>;
  /** Each hears what the plugins say: the first to come may be the first to leave. */
  users: Set<User>;
}

export class PluginSets {
  readonly #sets = new Map<string, PluginSet>();
  #ingress: HttpIngress | undefined;

  /** The plugins for one more session; `release` when it is closed. */
  async use(demand: PluginDemand): Promise<{ host: PluginHost; release(): Promise<void> }> {
    const { cwd, places, accept } = demand;
    const key = JSON.stringify([cwd, places, accept]);
    const { report, log } = demand;
    const user: User = { report, log };
    const set = this.#sets.get(key) ?? openSet(demand, user);
    this.#sets.set(key, set);
    set.users.add(user);
    const release = async () => {
      if (!set.users.delete(user) || set.users.size > 0) return;
      if (this.#sets.get(key) === set) this.#sets.delete(key);
      const host = await set.opening;
      if (host.background !== undefined) await this.#ingress?.unmount(host.background);
      await host.close();
    };
    try {
      const host = await set.opening;
      if (demand.serves) await (set.serving ??= this.#serve(host, demand));
      return { host, release };
    } catch (error) {
      // Whoever asks next tries again.
      if (this.#sets.get(key) === set) this.#sets.delete(key);
      await release().catch(() => {
        // Nothing was opened, so there is nothing to close; the error says why.
      });
      throw error;
    }
  }

  /** Services and timers run from now on, and requests of the HTTP ingress are answered. */
  async #serve(host: PluginHost, { inbox, settings, report }: PluginDemand): Promise<void> {
    const background = await host.serve(inbox === undefined ? {} : { inbox });
    if (background === undefined || background.routes.length === 0) return;
    const { http_port: port, http_hosts: hosts } = settings.config.plugins;
    if (port === 0) {
      return report(
        `nothing reaches ${background.routes[0]}: hermes listens nowhere. To listen on this ` +
          `machine: hermes config set plugins.http_port 8650`,
      );
    }
    const { HttpIngress } = await import("./http_ingress.ts");
    const taken = background.routes.find((route) => this.#ingress?.isAnswered(route));
    if (taken !== undefined) {
      report(`${taken} reaches the plugin of that name in another directory while it is in use`);
    }
    this.#ingress ??= new HttpIngress({ port, hosts: hosts.map((name) => name.toLowerCase()) });
    try {
      await this.#ingress.mount(background);
    } catch (error) {
      report(`plugins get no HTTP requests: port ${port} cannot be used (${reasonOf(error)})`);
    }
  }
}

function openSet(demand: PluginDemand, first: User): PluginSet {
  const users = new Set([first]);
  const opening = open({
    ...demand,
    report: (line) => users.forEach(({ report }) => report(line)),
    log: (line) => users.forEach(({ log }) => log(line)),
  });
  return { opening, users };
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
