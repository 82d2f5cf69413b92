/** `hermes tools`: shows what the model will see, and chooses it. */
import { editConfig } from "../../../config/edit.ts";
import type { Settings } from "../../../config/load.ts";
import { buildSystemPrompt } from "../../../context/system_prompt.ts";
import { EXIT, HermesError, UsageError } from "../../../protocol/error.ts";
import type { SessionPlugins } from "../../../protocol/plugin.ts";
import { registry } from "../../../registry/registry.ts";
import {
  describeUnknown,
  isEverything,
  knownNames,
  resolveToolsets,
  toolsetNames,
  toolsOf,
} from "../../../registry/toolsets.ts";
import { TOOLSETS } from "../../../registry/toolsets_data.ts";
import { nearest } from "../../../util/nearest.ts";
import type { CommandInput } from "../../command.ts";
import { err, out } from "../../io.ts";
import { homeOf, settingsOf } from "../../settings.ts";
import { reportTools, selectionOf, type ToolReport } from "./report.ts";

export async function main(input: CommandInput): Promise<number> {
  const settings = await settingsOf(input);
  const plugins = await openEnabled(settings);
  try {
    return await act({ settings, tools: await reportTools(settings, plugins), input });
  } finally {
    await plugins?.close();
  }
}

async function openEnabled(settings: Settings): Promise<SessionPlugins | undefined> {
  if (settings.config.plugins.enabled.length === 0) return undefined;
  const { openEnabledPlugins } = await import("../open_plugins.ts");
  return await openEnabledPlugins(settings);
}

async function act(
  { settings, tools, input }: { settings: Settings; tools: ToolReport[]; input: CommandInput },
): Promise<number> {
  switch (input.path[1]) {
    case "info":
      return info(tools, input);
    case "enable":
    case "disable":
      requireKnown(input.args.filter((name) => !isListed(settings, name)));
      for (const name of input.args) {
        if (toolsOf(registry, name)) await change(input, name);
        else await takeOut(input, name);
      }
      return EXIT.done;
    default:
      warnAboutConfig(settings);
      return list(tools, { settings, json: input.flags.json === true });
  }
}

function warnAboutConfig(settings: Settings): void {
  const problem = describeUnknown(resolveToolsets(registry, selectionOf(settings)).unknown);
  if (problem !== undefined) err(`hermes: config.yaml: ${problem}\n`);
  for (const [surface, names] of Object.entries(settings.config.platform_toolsets)) {
    err(`hermes: config.yaml: "${surface}" has a list of its own: ${names.join(", ") || "none"}\n`);
  }
  for (const line of registry.problems) err(`hermes: ${line}\n`);
}

function list(
  tools: readonly ToolReport[],
  { settings, json }: { settings: Settings; json: boolean },
): number {
  const offered = tools.filter((tool) => tool.state === "offered");
  const totalChars = offered.reduce((sum, tool) => sum + tool.chars, 0);
  const systemChars = systemPromptOf(settings, offered).length;
  if (json) {
    out(`${JSON.stringify({ tools: tools.map(toJson), totalChars, systemChars }, null, 2)}\n`);
    return EXIT.done;
  }
  const width = Math.max(4, ...tools.map((tool) => tool.facts.name.length));
  const setWidth = Math.max(7, ...tools.map((tool) => tool.facts.toolset.length));
  out(`${"tool".padEnd(width)}  ${"toolset".padEnd(setWidth)}  chars\n`);
  for (const tool of tools) {
    const chars = tool.state === "offered" ? String(tool.chars) : "-";
    const note = tool.state === "offered" ? "" : `  ${explain(tool)}`;
    const { name, toolset } = tool.facts;
    out(`${name.padEnd(width)}  ${toolset.padEnd(setWidth)}  ${chars.padStart(5)}${note}\n`);
  }
  out(
    `\n${offered.length} of ${tools.length} tools offered, ${totalChars} characters in every ` +
      `request, beside ${systemChars} of system prompt\n`,
  );
  return EXIT.done;
}

/** As `hermes run` sends it, without what a project or the configuration adds. */
function systemPromptOf(settings: Settings, offered: readonly ToolReport[]): string {
  return buildSystemPrompt({
    cwd: Deno.cwd(),
    platform: `${Deno.build.os} ${Deno.build.arch}`,
    date: new Date().toISOString().slice(0, 10),
    environment: settings.config.terminal.backend,
    headless: true,
    tools: offered.map(({ facts }) => facts.name),
  });
}

function info(tools: readonly ToolReport[], input: CommandInput): number {
  const [name = ""] = input.args;
  const tool = tools.find((candidate) => candidate.facts.name === name);
  if (tool) {
    if (input.flags.json === true) out(`${JSON.stringify(toJson(tool), null, 2)}\n`);
    else out(describeTool(tool));
    return EXIT.done;
  }
  requireKnown([name]);
  const members = [...toolsOf(registry, name)!].sort();
  const description = TOOLSETS[name]?.description ?? "";
  if (input.flags.json === true) {
    out(`${JSON.stringify({ toolset: name, description, tools: members }, null, 2)}\n`);
    return EXIT.done;
  }
  if (members.length === 1 && members[0] === name && !toolsetNames(registry).includes(name)) {
    out(`${name}: a tool that this build does not have\n`);
    return EXIT.done;
  }
  const known = members.filter((member) => registry.facts(member));
  out(`${name}: ${description || "a toolset"}\n  tools: ${known.join(", ") || "none here"}\n`);
  const absent = members.filter((member) => !registry.facts(member));
  if (absent.length > 0) out(`  not part of this build: ${absent.join(", ")}\n`);
  return EXIT.done;
}

function describeTool(tool: ToolReport): string {
  const { facts, definition } = tool;
  const lines = [
    `${facts.name}: ${tool.state === "offered" ? "offered" : explain(tool)}`,
    `  toolset: ${facts.toolset}`,
    `  prompt: ${tool.chars} characters`,
    ...Object.entries(tool.env).map(([name, set]) => `  ${name}: ${set ? "set" : "not set"}`),
    "",
    definition.description,
    "",
    JSON.stringify(definition.parameters, null, 2),
  ];
  return `${lines.join("\n")}\n`;
}

function explain(tool: ToolReport): string {
  return `${tool.state === "disabled" ? "off" : "not available"}: ${tool.reason}`;
}

function toJson({ facts, definition, ...rest }: ToolReport) {
  return { name: facts.name, toolset: facts.toolset, ...rest, definition };
}

/** Switches one name on or off in `config.yaml` and says what came of it. */
async function change(input: CommandInput, name: string): Promise<void> {
  const enable = input.path[1] === "enable";
  const home = homeOf(input);
  await editConfig(home, {
    key: "agent.disabled_toolsets",
    change: (current) => {
      // Everything means also what was disabled by another name.
      if (enable && isEverything(name)) return undefined;
      const others = words(current).filter((word) => word !== name);
      return enable ? (others.length > 0 ? others : undefined) : [...others, name];
    },
  });
  if (enable) await offer(input, name);
  out(`${name} is ${enable ? "enabled" : "disabled"} (${home.path("config.yaml")})\n`);
}

/** True for a name that the configuration has, whether it still means something or not. */
function isListed(settings: Settings, name: string): boolean {
  const { enabled, disabled } = selectionOf(settings);
  return enabled.includes(name) || disabled.includes(name);
}

/** A name that means nothing any more: both lists are better off without it. */
async function takeOut(input: CommandInput, name: string): Promise<void> {
  const home = homeOf(input);
  for (const key of ["toolsets", "agent.disabled_toolsets"]) {
    await editConfig(home, {
      key,
      change: (current) => {
        const others = words(current).filter((word) => word !== name);
        return others.length > 0 ? others : undefined;
      },
    });
  }
  out(`${name} is no tool any more; it was taken out of ${home.path("config.yaml")}\n`);
}

/** Adds the name to `toolsets` when nothing there brings its tools along already. */
async function offer(input: CommandInput, name: string): Promise<void> {
  const selection = selectionOf(await settingsOf(input));
  const wanted = [...toolsOf(registry, name)!].filter((tool) => registry.facts(tool));
  if (wanted.length === 0) err(`hermes: this build has no tool of "${name}"\n`);
  const missing = (enabled: readonly string[], disabled: readonly string[]) => {
    const { tools } = resolveToolsets(registry, { enabled, disabled });
    return wanted.filter((tool) => !tools.includes(tool));
  };
  if (missing(selection.enabled, []).length > 0) {
    const toolsets = [...selection.enabled, name];
    await editConfig(homeOf(input), { key: "toolsets", change: () => toolsets });
    selection.enabled = toolsets;
  }
  const blocked = missing(selection.enabled, selection.disabled);
  const blocker = selection.disabled.find((word) => toolsOf(registry, word)?.has(blocked[0] ?? ""));
  if (blocker === undefined) return;
  throw new HermesError(`${blocked.join(", ")} stays off: "${blocker}" is disabled`, {
    hint: `Enable it too: hermes tools enable ${blocker}`,
  });
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function requireKnown(names: readonly string[]): void {
  const unknown = names.filter((name) => !toolsOf(registry, name))
    .map((name) => ({ name, suggestion: nearest(name, knownNames(registry)) }));
  const problem = describeUnknown(unknown);
  if (problem !== undefined) throw new UsageError(problem);
}
