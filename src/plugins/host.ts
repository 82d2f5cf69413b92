/**
 * Loaded plugins and the sessions that use them: everything they register is put into the tables
 * of a session, until a plugin misbehaves or the session ends; then all of it is taken back.
 * Sessions share the processes of the plugins and nothing else.
 */
import { ToolError } from "../protocol/error.ts";
import type { HookName, HookPayload } from "../protocol/hook.ts";
import type { HookRight, HookTarget, SessionPlugins, ToolTable } from "../protocol/plugin.ts";
import type { ToolContext, ToolResult, ToolSpec } from "../protocol/tool.ts";
import { cleanOutput } from "../util/clean_output.ts";
import type { CommandRecord, ToolRecord } from "./messages.ts";
import type { HookView } from "./hook_rights.ts";
import type { Plugin } from "./plugin.ts";
import { GuestError, GuestGone, PluginProblem, reasonOf } from "./problem.ts";
import type { PluginStatus } from "./status.ts";

/** A plugin that loaded, or why it did not. */
export interface LoadedPlugin {
  id: string;
  version?: string;
  plugin?: Plugin;
  allowToolOverride?: boolean;
  /** What its hooks may see and do; a plugin without walls may everything. */
  rights?: readonly HookRight[];
  /** Texts for the system prompt. */
  sections?: string[];
  /** What of it cannot be used, one line each. */
  gaps?: string[];
  /** Why it is not used at all. */
  problem?: string;
}

export interface HostOptions {
  /** Names of commands that hermes has itself. */
  ownCommands: readonly string[];
  /** A line the person must see. */
  report(line: string): void;
}

/** A command a plugin brings. */
export interface HostCommand extends CommandRecord {
  /** Resolves to what is to be printed, whole lines. @throws {PluginProblem} */
  run(argument: string, signal: AbortSignal): Promise<string>;
}

interface Registered extends LoadedPlugin {
  gaps: string[];
  commands: CommandRecord[];
}

/** What one session got of the plugins, by plugin. */
interface SessionUse {
  table?: ToolTable;
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

const COMMAND_TIMEOUT_MS = 30_000;
/** Whoever registers first has the name, and MCP servers answer later. */
const MCP_NAME = /^mcp_/i;
/** Hooks that every session runs before its first request. */
const EARLY_HOOKS: readonly string[] = ["on_session_start", "pre_turn", "pre_llm_call"];

export class PluginHost implements SessionPlugins {
  readonly #options: HostOptions;
  readonly #plugins: Registered[];
  /** What was refused and said: each only once. */
  readonly #refused = new Set<string>();
  readonly #uses = new Set<SessionUse>();
  /** Of the caller that asks for no session of its own. */
  readonly #own: SessionUse = this.#use();
  #closed = false;

  constructor(loaded: readonly LoadedPlugin[], options: HostOptions) {
    this.#options = options;
    const owners = new Map(options.ownCommands.map((name) => [name, "hermes"]));
    this.#plugins = loaded.map((one) => register(one, owners));
  }

  get statuses(): PluginStatus[] {
    return this.#plugins.map((one) => {
      const { id, version, plugin, problem } = one;
      const tools = [...this.#uses].flatMap((use) => use.tools.get(one) ?? []);
      return {
        id,
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
      close: () => {
        for (const one of this.#plugins.toReversed()) rollBack(use, one);
        this.#uses.delete(use);
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
        run: (argument, signal) => runCommand(plugin, { name: command.name, argument, signal }),
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

  async close(): Promise<void> {
    this.#closed = true;
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

/** Of two commands with one name the first is kept. */
function register(one: LoadedPlugin, owners: Map<string, string>): Registered {
  const gaps = [...one.gaps ?? []];
  const commands = (one.plugin?.registrations.commands ?? []).filter(({ name }) => {
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, one.id);
    else gaps.push(`command "${name}" is left out: ${owner} has one of that name`);
    return owner === undefined;
  });
  return { ...one, gaps, commands };
}

function refusal(one: LoadedPlugin, record: ToolRecord, owner: string): string {
  return record.override
    ? `it would replace the one of ${owner}. To allow that: ` +
      `hermes config set plugins.entries.${one.id}.allow_tool_override true`
    : `${owner} has a tool of that name`;
}

function toolSpec(
  { id, plugin }: LoadedPlugin & { plugin: Plugin },
  record: ToolRecord,
): ToolSpec {
  const { checked, override: _, ...facts } = record;
  const { name } = record;
  const check = async () => {
    const signal = AbortSignal.timeout(COMMAND_TIMEOUT_MS);
    const answer = await plugin.ask({ kind: "check", name }, { signal });
    return typeof answer === "string" ? answer : answer !== false;
  };
  return {
    ...facts,
    toolset: id,
    handler: (args, ctx) => callTool({ id, plugin, name }, args, ctx),
    ...(checked ? { check } : {}),
  };
}

async function callTool(
  { id, plugin, name }: { id: string; plugin: Plugin; name: string },
  args: unknown,
  ctx: ToolContext,
): Promise<ToolResult> {
  const { callId, sessionId, taskId, signal } = ctx;
  const facts = { callId, sessionId, taskId };
  const onProgress = (text: string) => ctx.progress(text);
  let value: unknown;
  try {
    value = await plugin.ask({ kind: "tool", name, args, facts }, { signal, onProgress });
  } catch (error) {
    if (error instanceof GuestError) {
      throw error.extra
        ? new ToolError(error.message, error.extra)
        : new ToolError(`${name} failed: ${error.message}`);
    }
    if (error instanceof GuestGone || error instanceof PluginProblem) {
      throw new ToolError(`the plugin ${id} was stopped: ${error.message}`);
    }
    throw error;
  }
  return toolResult(name, value);
}

/** What a tool may answer. @throws {ToolError} for anything else. */
export function toolResult(name: string, value: unknown): ToolResult {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new ToolError(`${name} answered neither an object nor text; tell the plugin's author`);
}

async function runCommand(
  plugin: Plugin,
  { name, argument, signal }: { name: string; argument: string; signal: AbortSignal },
): Promise<string> {
  const facts = { callId: name, sessionId: "", taskId: "main" };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(COMMAND_TIMEOUT_MS)]);
  try {
    const value = await plugin.ask(
      { kind: "command", name, argument, facts },
      { signal: limited },
    );
    return commandText(value);
  } catch (error) {
    throw new PluginProblem(`${name} failed: ${reasonOf(error)}`, { cause: error });
  }
}

/** What a command answered, as whole lines. */
export function commandText(value: unknown): string {
  if (value === null || value === "") return "";
  const text = cleanOutput(typeof value === "object" ? JSON.stringify(value) : String(value));
  return text.endsWith("\n") ? text : `${text}\n`;
}
