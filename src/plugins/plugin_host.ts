/**
 * Loaded plugins and the sessions that use them: everything they register is put into the tables
 * of a session, until a plugin misbehaves or the session ends; then all of it is taken back.
 * Sessions share the processes of the plugins and nothing else.
 */
import type { HookName, HookPayload } from "../protocol/hook.ts";
import type {
  HookRight,
  HookTarget,
  PluginBackground,
  PluginInbox,
  PluginServer,
  PluginSession,
  ProviderHandle,
  SessionPlugins,
  SessionRight,
  ToolTable,
} from "../protocol/plugin.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import { type CommandUse, runCommand, toolSpec } from "./calls.ts";
import type { CommandRecord, ToolRecord } from "./messages.ts";
import type { HookView } from "./hook_rights.ts";
import type { Plugin } from "./plugin.ts";
import type { Pushed } from "./push/declared.ts";
import type { Intervals } from "./push/intervals.ts";
import type { PluginStatus } from "./status.ts";

/** A plugin that loaded, or why it did not. */
export interface LoadedPlugin {
  id: string;
  version?: string;
  plugin?: Plugin;
  allowToolOverride?: boolean;
  /** What its hooks may see and do; a plugin without walls may everything. */
  rights?: readonly HookRight[];
  /** What it does without being called; absent when it declares none of that. */
  background?: BackgroundParts;
  /** Texts for the system prompt. */
  sections?: string[];
  /** What of it cannot be used, one line each. */
  gaps?: string[];
  /** Why it is not used at all. */
  problem?: string;
}

/** What of a plugin happens without a call, as far as its manifest declares it. */
export interface BackgroundParts {
  allowed: Pushed;
  sessionRights: readonly SessionRight[];
  turnsPerMinute: number;
}

export interface HostOptions {
  /** Names of commands that hermes has itself. */
  ownCommands: readonly string[];
  /** A line the person must see. */
  report(line: string): void;
  /** Diagnostics. */
  log(line: string): void;
  /** Takes secrets out of text that plugins push; default none are known. */
  clean?: ((text: string) => string) | undefined;
}

/** How what plugins do without being called is served. */
export interface HostServeOptions {
  inbox?: PluginInbox;
  /** For tests. */
  intervals?: Partial<Intervals>;
}

/** A command a plugin brings. */
export interface HostCommand extends CommandRecord {
  /** Resolves to what is to be printed, whole lines. @throws {PluginProblem} */
  run(argument: string, use: CommandUse): Promise<string>;
}

interface Registered extends LoadedPlugin {
  gaps: string[];
  commands: CommandRecord[];
}

/** What one session got of the plugins, by plugin. */
interface SessionUse {
  table?: ToolTable;
  session?: PluginSession;
  tools: Map<Registered, ToolSpec[]>;
  detach: Map<Registered, (() => void)[]>;
}

interface HookQuestion {
  name: HookName;
  index: number;
  payload: HookPayload;
  signal: AbortSignal;
  view: HookView;
}

/** Whoever registers first has the name, and MCP servers answer later. */
const MCP_NAME = /^mcp_/i;
/** Hooks that every session runs before its first request. */
const EARLY_HOOKS: readonly string[] = ["on_session_start", "pre_turn", "pre_llm_call"];

export class PluginHost implements SessionPlugins, PluginServer {
  readonly #options: HostOptions;
  readonly #plugins: Registered[];
  /** What was refused and said: each only once. */
  readonly #refused = new Set<string>();
  readonly #uses = new Set<SessionUse>();
  /** Of the caller that asks for no session of its own. */
  readonly #own: SessionUse = this.#use();
  #closed = false;
  /** Sessions that plugins may reach, by id. */
  readonly #sessions = new Map<string, PluginSession>();
  #background: PluginBackground | undefined;

  constructor(loaded: readonly LoadedPlugin[], options: HostOptions) {
    this.#options = options;
    const owners = new Map(options.ownCommands.map((name) => [`command ${name}`, "hermes"]));
    this.#plugins = loaded.map((one) => register(one, owners));
  }

  get statuses(): PluginStatus[] {
    const services = this.#background?.services ?? [];
    return this.#plugins.map((one) => {
      const { id, version, plugin, problem } = one;
      const tools = [...this.#uses].flatMap((use) => use.tools.get(one) ?? []);
      return {
        id,
        services: services.filter((service) => service.plugin === id),
        tools: [...new Set(tools.map((tool) => tool.name))],
        hooks: problem === undefined ? plugin?.registrations.hooks.length ?? 0 : 0,
        ...(version === undefined ? {} : { version }),
        ...(problem === undefined ? {} : { problem }),
      };
    });
  }

  /** The plugins as one session sees them; its `close()` ends no process. */
  session(): SessionPlugins {
    const use = this.#use();
    return {
      begin: () => this.begin(),
      promptSections: this.promptSections,
      hasHooks: this.hasHooks,
      registerTools: (table) => this.registerTools(table, use),
      attachHooks: (hooks) => this.attachHooks(hooks, use),
      attach: (session) => this.attach(session, use),
      close: () => {
        for (const one of this.#plugins.toReversed()) rollBack(use, one);
        this.#uses.delete(use);
        this.#detach(use);
        return Promise.resolve();
      },
    };
  }

  get promptSections(): string[] {
    return this.#working().flatMap(({ sections = [] }) => sections);
  }

  get hasHooks(): boolean {
    return this.#working().some(({ plugin }) => plugin.registrations.hooks.length > 0);
  }

  get commands(): HostCommand[] {
    return this.#working().flatMap(({ plugin, commands }) =>
      commands.map((command) => ({
        ...command,
        run: (argument, use) => runCommand(plugin, { ...use, name: command.name, argument }),
      }))
    );
  }

  async begin(): Promise<void> {
    const early = this.#working().filter(({ plugin }) =>
      plugin.registrations.hooks.some(({ name }) => EARLY_HOOKS.includes(name))
    );
    await Promise.all(early.map(({ plugin }) => plugin.warm()));
  }

  registerTools(table: ToolTable, use: SessionUse = this.#own): void {
    use.table = table;
    for (const one of this.#working()) {
      const tools = one.plugin.registrations.tools.flatMap((record) =>
        this.#registerTool(table, one, record)
      );
      use.tools.set(one, tools);
      // Every session would say it again.
      for (const line of one.gaps.splice(0)) this.#options.report(`Plugin ${one.id}: ${line}`);
    }
  }

  attachHooks(hooks: HookTarget, use: SessionUse = this.#own): void {
    for (const one of this.#working()) {
      const view: HookView = {
        rights: one.rights ?? [],
        owns: (tool) => use.table?.facts(tool)?.toolset === one.id,
      };
      const detach: (() => void)[] = [];
      use.detach.set(one, detach);
      for (const { name, index, timeoutMs } of one.plugin.registrations.hooks) {
        const limit = timeoutMs === undefined ? {} : { timeoutMs };
        const options = { ...limit, owner: `plugin ${one.id}` };
        detach.push(
          hooks.on(name, (payload, signal) => {
            return this.#askHook(one, { name, index, payload, signal, view });
          }, options),
        );
      }
    }
  }

  /** Shows a hook what its plugin may see, and drops an answer the plugin may not give. */
  async #askHook(one: Registered & { plugin: Plugin }, question: HookQuestion): Promise<unknown> {
    const { name, index, signal, view } = question;
    const { missingRight, refusedLine, visiblePayload } = await import("./hook_rights.ts");
    const payload = visiblePayload(name, question.payload, view);
    const answer = await one.plugin.ask({ kind: "hook", index, payload }, { signal });
    const right = missingRight(name, { answer, payload: question.payload }, view);
    if (right === undefined) return answer;
    const line = `Plugin ${one.id}: ${refusedLine(name, right)}`;
    if (!this.#refused.has(line)) this.#options.report(line);
    this.#refused.add(line);
    return undefined;
  }

  /** Stops using a plugin for the rest of the run. */
  disable(id: string, reason: string): void {
    const one = this.#plugins.find((other) => other.id === id);
    if (one?.plugin === undefined || one.problem !== undefined || this.#closed) return;
    one.problem = reason;
    for (const use of this.#uses) rollBack(use, one);
    this.#options.report(`Plugin ${id} is disabled for this run: ${reason}`);
  }

  attach(session: PluginSession, use: SessionUse = this.#own): void {
    this.#detach(use);
    use.session = session;
    this.#sessions.set(session.id, session);
  }

  #detach({ session }: SessionUse): void {
    if (session !== undefined && this.#sessions.get(session.id) === session) {
      this.#sessions.delete(session.id);
    }
  }

  get bringsProviders(): boolean {
    return this.#working().some(({ background }) => background?.allowed.providers.length);
  }

  async providers(): Promise<readonly ProviderHandle[]> {
    if (!this.bringsProviders) return [];
    const { providerHandle } = await import("./push/providers.ts");
    return this.#working().flatMap((one) =>
      one.background?.allowed.providers.map((record) => providerHandle(one, record)) ?? []
    );
  }

  /** What runs without being called, once it is served. */
  get background(): PluginBackground | undefined {
    return this.#background;
  }

  async serve(options: HostServeOptions = {}): Promise<PluginBackground | undefined> {
    const parts = this.#working().flatMap(({ id, plugin, background }) =>
      background === undefined ? [] : [{ id, plugin, ...background }]
    );
    if (parts.length === 0 || this.#closed) return undefined;
    const { PushServer } = await import("./push/serve.ts");
    const { report, log, clean = (text) => text } = this.#options;
    const sessions = this.#sessions;
    return this.#background = new PushServer(parts, { ...options, sessions, clean, report, log });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sessions.clear();
    await this.#background?.close();
    for (const one of this.#plugins.toReversed()) {
      for (const use of this.#uses) rollBack(use, one);
    }
    await Promise.all(this.#plugins.map(({ plugin }) => plugin?.close()));
  }

  #working(): (Registered & { plugin: Plugin })[] {
    return this.#plugins.filter((one) => one.plugin && one.problem === undefined) as (
      & Registered
      & { plugin: Plugin }
    )[];
  }

  #use(): SessionUse {
    const use: SessionUse = { tools: new Map(), detach: new Map() };
    this.#uses.add(use);
    return use;
  }

  #registerTool(
    table: ToolTable,
    one: Registered & { plugin: Plugin },
    record: ToolRecord,
  ): ToolSpec[] {
    const { report } = this.#options;
    if (MCP_NAME.test(record.name)) {
      report(`Plugin ${one.id}: tool "${record.name}" is left out: MCP servers have such names`);
      return [];
    }
    const alike = toolAlike(table, one.id, record.name);
    if (alike !== undefined) {
      const whose = this.#ownerName(table.facts(alike)!.toolset);
      report(`Plugin ${one.id}: tool "${record.name}" is left out: ${whose} has "${alike}"`);
      return [];
    }
    const owner = table.facts(record.name)?.toolset;
    const overrides = owner !== undefined && owner !== one.id;
    if (overrides && !(record.override && one.allowToolOverride)) {
      const whose = this.#ownerName(owner);
      report(`Plugin ${one.id}: tool "${record.name}" is left out: ${refusal(one, record, whose)}`);
      return [];
    }
    const spec = { ...toolSpec(one, record), ...(overrides ? { override: true } : {}) };
    return table.register(spec) ? [spec] : [];
  }

  /** A toolset's owner for people: another plugin, an MCP server, or hermes itself. */
  #ownerName(toolset: string): string {
    const isOthers = toolset.startsWith("mcp-") || this.#plugins.some(({ id }) => id === toolset);
    return isOthers ? toolset : "hermes";
  }
}

/** Takes back what one plugin put into the tables of one session. */
function rollBack(use: SessionUse, one: Registered): void {
  for (const detach of use.detach.get(one)?.splice(0).reverse() ?? []) detach();
  for (const tool of use.tools.get(one)?.splice(0).reverse() ?? []) use.table?.withdraw(tool);
}

/** A tool of others whose name a model, or a person, would take this one for. */
function toolAlike(table: ToolTable, id: string, name: string): string | undefined {
  const folded = foldName(name);
  return table.list().find((tool) =>
    tool.toolset !== id && tool.name !== name && foldName(tool.name) === folded
  )?.name;
}

/** Names that differ in case, in what separates words, or in letters that look the same. */
function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "").replaceAll(/[i1]/g, "l").replaceAll("0", "o")
    .replace(/tool$/, "");
}

/** Of two commands, platforms or providers with one name the first is kept. */
function register(one: LoadedPlugin, owners: Map<string, string>): Registered {
  const gaps = [...one.gaps ?? []];
  const first = <T extends { name: string }>(what: string, items: readonly T[]): T[] =>
    items.filter(({ name }) => {
      const owner = owners.get(`${what} ${name}`);
      if (owner === undefined) owners.set(`${what} ${name}`, one.id);
      else gaps.push(`${what} "${name}" is left out: ${owner} has one of that name`);
      return owner === undefined;
    });
  const commands = first("command", one.plugin?.registrations.commands ?? []);
  if (one.background !== undefined) {
    const { allowed } = one.background;
    allowed.platforms = first("platform", allowed.platforms);
    allowed.providers = first("provider", allowed.providers);
  }
  return { ...one, gaps, commands };
}

function refusal(one: LoadedPlugin, record: ToolRecord, owner: string): string {
  return record.override
    ? `it would replace the one of ${owner}. To allow that: ` +
      `hermes config set plugins.entries.${one.id}.allow_tool_override true`
    : `${owner} has a tool of that name`;
}
