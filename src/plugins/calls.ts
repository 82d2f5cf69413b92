/** Calls of what plugins bring: a tool, a command, and what their answers may be. */
import { ToolError } from "../protocol/error.ts";
import type { ToolContext, ToolSpec } from "../protocol/tool.ts";
import { pluginResult, type ToolResult } from "../protocol/tool_result.ts";
import { cleanOutput } from "../util/clean_output.ts";
import type { ToolRecord } from "./messages.ts";
import type { Plugin } from "./plugin.ts";
import { GuestError, GuestGone, PluginProblem, reasonOf } from "./problem.ts";

const COMMAND_TIMEOUT_MS = 30_000;

/** A tool of a plugin as the registry takes it. */
export function toolSpec(
  { id, plugin }: { id: string; plugin: Plugin },
  record: ToolRecord,
): ToolSpec {
  const { checked, readOnly, override: _, ...facts } = record;
  const { name } = record;
  const check = async () => {
    const signal = AbortSignal.timeout(COMMAND_TIMEOUT_MS);
    const answer = await plugin.ask({ kind: "check", name }, { signal });
    return typeof answer === "string" ? answer : answer !== false;
  };
  return {
    ...facts,
    toolset: id,
    // A tool without `readOnly` may change anything.
    ...(readOnly ? { effects: [] } : {}),
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
  const result = pluginResult(value);
  if (result !== undefined) return result;
  throw new ToolError(`${name} answered neither an object nor text; tell the plugin's author`);
}

/** How a command of a plugin is run. */
export interface CommandUse {
  signal: AbortSignal;
  /** Absent where a command runs outside any session: `hermes NAME`. */
  sessionId?: string;
}

/** Runs a command of a plugin; resolves to whole lines. @throws {PluginProblem} */
export async function runCommand(
  plugin: Plugin,
  { name, argument, signal, sessionId = "" }: CommandUse & { name: string; argument: string },
): Promise<string> {
  const facts = { callId: name, sessionId, taskId: "main" };
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
