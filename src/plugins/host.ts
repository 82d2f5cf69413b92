/**
 * The plugins of one session: found, loaded, and everything they register put where it belongs,
 * until one misbehaves or the session ends; then all of it is taken back.
 */
import { ToolError } from "../protocol/error.ts";
import type { HookName, HookPayload } from "../protocol/hook.ts";
import type { HookRight, HookTarget, SessionPlugins } from "../protocol/plugin.ts";
import type { ToolContext, ToolResult, ToolSpec } from "../protocol/tool.ts";
import type { ToolRegistry } from "../registry/registry.ts";
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
  registry: ToolRegistry;
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
  tools: ToolSpec[];
  detach: (() => void)[];
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
const EARLY_HOOKS: readonly string[] = ["on_session_start", "pre_llm_call"];

export class PluginHost implements SessionPlugins {
  readonly #options: HostOptions;
  readonly #plugins: Registered[];
  /** What was refused and said: each only once. */
  readonly #refused = new Set<string>();
  #closed = false;

  constructor(loaded: readonly LoadedPlugin[], options: HostOptions) {
    this.#options = options;
    const owners = new Map(options.ownCommands.map((name) => [name, "hermes"]));
    this.#plugins = loaded.map((one) => register(one, owners));
  }

  get statuses(): PluginStatus[] {
    return this.#plugins.map(({ id, version, plugin, problem, tools }) => ({
      id,
      tools: tools.map((tool) => tool.name),
      hooks: problem === undefined ? plugin?.registrations.hooks.length ?? 0 : 0,
      ...(version === undefined ? {} : { version }),
      ...(problem === undefined ? {} : { problem }),
    }));
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

  registerTools(): void {
    for (const one of this.#working()) {
      for (const record of one.plugin.registrations.tools) this.#registerTool(one, record);
      for (const line of one.gaps) this.#options.report(`Plugin ${one.id}: ${line}`);
    }
  }

  attachHooks(hooks: HookTarget): void {
    for (const one of this.#working()) {
      const view: HookView = {
        rights: one.rights ?? [],
        owns: (tool) => this.#options.registry.facts(tool)?.toolset === one.id,
      };
      for (const { name, index, timeoutMs } of one.plugin.registrations.hooks) {
        const limit = timeoutMs === undefined ? {} : { timeoutMs };
        const options = { ...limit, owner: `plugin ${one.id}` };
        one.detach.push(
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
    this.#rollBack(one);
    this.#options.report(`Plugin ${id} is disabled for this run: ${reason}`);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const one of this.#plugins.toReversed()) this.#rollBack(one);
    await Promise.all(this.#plugins.map(({ plugin }) => plugin?.close()));
  }

  #working(): (Registered & { plugin: Plugin })[] {
    return this.#plugins.filter((one) => one.plugin && one.problem === undefined) as (
      & Registered
      & { plugin: Plugin }
    )[];
  }

  #rollBack(one: Registered): void {
    for (const detach of one.detach.splice(0).reverse()) detach();
    for (const tool of one.tools.splice(0).reverse()) this.#options.registry.withdraw(tool);
  }

  #registerTool(one: Registered & { plugin: Plugin }, record: ToolRecord): void {
    const { registry, report } = this.#options;
    if (MCP_NAME.test(record.name)) {
      report(`Plugin ${one.id}: tool "${record.name}" is left out: MCP servers have such names`);
      return;
    }
    const alike = this.#toolAlike(one.id, record.name);
    if (alike !== undefined) {
      const whose = this.#ownerName(registry.facts(alike)!.toolset);
      report(`Plugin ${one.id}: tool "${record.name}" is left out: ${whose} has "${alike}"`);
      return;
    }
    const owner = registry.facts(record.name)?.toolset;
    const overrides = owner !== undefined && owner !== one.id;
    if (overrides && !(record.override && one.allowToolOverride)) {
      const whose = this.#ownerName(owner);
      report(`Plugin ${one.id}: tool "${record.name}" is left out: ${refusal(one, record, whose)}`);
      return;
    }
    const spec = { ...toolSpec(one, record), ...(overrides ? { override: true } : {}) };
    if (registry.register(spec)) one.tools.push(spec);
  }

  /** A tool of others whose name a model, or a person, would take this one for. */
  #toolAlike(id: string, name: string): string | undefined {
    const folded = foldName(name);
    return this.#options.registry.list().find((tool) =>
      tool.toolset !== id && tool.name !== name && foldName(tool.name) === folded
    )?.name;
  }

  /** A toolset's owner for people: another plugin, an MCP server, or hermes itself. */
  #ownerName(toolset: string): string {
    const isOthers = toolset.startsWith("mcp-") || this.#plugins.some(({ id }) => id === toolset);
    return isOthers ? toolset : "hermes";
  }
}

/** Names that differ in case, in what separates words, or in letters that look the same. */
function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "").replaceAll(/[i1]/g, "l").replaceAll("0", "o")
    .replace(/tool$/, "");
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
  return { ...one, gaps, commands, tools: [], detach: [] };
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
