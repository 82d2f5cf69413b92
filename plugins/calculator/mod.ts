/** The calculator plugin: puts schemas, handlers and the hook together. */
import type { PluginContext } from "hermes/plugin";
import { CALCULATE, UNIT_CONVERT } from "./schemas.ts";
import { calculate, unitConvert } from "./tools.ts";

const calls: string[] = [];

export function register(ctx: PluginContext): void {
  ctx.registerTool({
    name: "calculate",
    description: "Evaluate a mathematical expression: arithmetic (+ - * / % **), functions " +
      "(sqrt, sin, cos, log, abs, round, floor, ceil, …) and the constants pi and e. " +
      "Use it for any math the user asks about.",
    schema: CALCULATE,
    idempotent: true,
    handler: calculate,
  });
  ctx.registerTool({
    name: "unit_convert",
    description: "Convert a value between units of length (m, km, mi, ft, in), weight (kg, lb, " +
      "oz, g), temperature (C, F, K), data (B, KB, MB, GB, TB) or time (s, min, hr, day).",
    schema: UNIT_CONVERT,
    idempotent: true,
    handler: unitConvert,
  });
  // Runs after every tool call, not just ours.
  ctx.registerHook("post_tool_call", ({ toolName, sessionId }) => {
    calls.push(String(toolName));
    if (calls.length > 100) calls.shift();
    ctx.log(`tool called: ${toolName} (session ${sessionId})`);
  });
  ctx.registerCommand({
    name: "calls",
    description: "List the tools called in this session",
    run: () => calls.join("\n") || "No tool was called yet.",
  });
  ctx.registerSkill({
    name: "estimating",
    description: "How to check a number before you state it",
    path: "skills/estimating.md",
  });
}
