/**
 * From names that people write (toolsets, aliases, single tools) to a sorted list of
 * registered tools. Pure: availability and schemas come later, in `definitions.ts`.
 */
import { nearest } from "../util/nearest.ts";
import type { ToolRegistry } from "./registry.ts";
import { ABSENT_TOOLSETS } from "./toolsets_absent_data.ts";
import { CORE_TOOLS, LEGACY_TOOLSETS, TOOLSETS } from "./toolsets_data.ts";

export interface ToolsetSelection {
  /** Absent means every toolset; an empty list means no tool. */
  enabled?: readonly string[];
  /** Subtracted last. */
  disabled?: readonly string[];
}

export interface UnknownToolset {
  name: string;
  suggestion: string | undefined;
}

export interface ResolvedToolsets {
  /** Registered tools, sorted and unique. */
  tools: string[];
  /** Names that mean nothing, in the order given. */
  unknown: UnknownToolset[];
  /** Enabled names that mean something, but no tool of this build. */
  empty: string[];
}

const EVERYTHING: readonly string[] = ["all", "*"];
/** In an enabled list: offer no MCP server. */
const NO_MCP = "no_mcp";

/** Resolves a selection against what is registered. Never throws. */
export function resolveToolsets(
  registry: ToolRegistry,
  selection: ToolsetSelection,
): ResolvedToolsets {
  const enabled = selection.enabled ?? ["all"];
  const tools = new Set<string>();
  const unknown: string[] = [];
  const empty: string[] = [];
  for (const name of enabled) {
    if (name === NO_MCP) continue;
    const found = toolsOf(registry, name);
    if (found === undefined) unknown.push(name);
    else if (![...found].some((tool) => registry.facts(tool))) empty.push(name);
    found?.forEach((tool) => tools.add(tool));
  }
  if (enabled.some(isPreset)) {
    for (const tool of dynamicTools(registry, enabled)) tools.add(tool);
  }
  for (const name of selection.disabled ?? []) {
    const found = toolsOf(registry, name);
    if (!found) unknown.push(name);
    else for (const tool of removedBy(name, found)) tools.delete(tool);
  }
  const known = unknown.length > 0 ? knownNames(registry) : [];
  return {
    tools: [...tools].filter((name) => registry.facts(name)).sort(),
    unknown: unknown.map((name) => ({ name, suggestion: nearest(name, known) })),
    empty,
  };
}

/** One line that says which names are unknown and what was probably meant; undefined when all are known. */
export function describeUnknown(unknown: readonly UnknownToolset[]): string | undefined {
  if (unknown.length === 0) return undefined;
  const parts = unknown.map(({ name, suggestion }) =>
    suggestion === undefined ? `"${name}"` : `"${name}" (did you mean "${suggestion}"?)`
  );
  return `Unknown toolset or tool: ${parts.join(", ")}. See "hermes tools list".`;
}

/** Every name a selection may use. */
export function knownNames(registry: ToolRegistry): string[] {
  return [
    ...new Set([
      ...toolsetNames(registry),
      ...registry.aliases.keys(),
      ...Object.keys(LEGACY_TOOLSETS),
      ...registry.list().map((facts) => facts.name),
    ]),
  ];
}

/** Static and registered toolset names, sorted. */
export function toolsetNames(registry: ToolRegistry): string[] {
  const names = new Set(Object.keys(TOOLSETS));
  for (const facts of registry.list()) names.add(facts.toolset);
  return [...names].sort();
}

/** True for the names that mean every tool. */
export function isEverything(name: string): boolean {
  return EVERYTHING.includes(name);
}

/** The tools a name stands for, registered or not; undefined when it stands for nothing. */
export function toolsOf(registry: ToolRegistry, name: string): ReadonlySet<string> | undefined {
  const tools = new Set<string>();
  if (isEverything(name)) {
    for (const toolset of Object.values(TOOLSETS)) toolset.tools.forEach((t) => tools.add(t));
    for (const facts of registry.list()) tools.add(facts.name);
    return tools;
  }
  if (collect(registry, name, { tools, visited: new Set() })) return tools;
  const legacy = LEGACY_TOOLSETS[name] ?? ABSENT_TOOLSETS.get(name);
  if (legacy) return new Set(legacy);
  return registry.facts(name) || isAbsentTool(name) ? new Set([name]) : undefined;
}

/** True for a name that toolsets of hermes have, in this build or another. */
export function isOwnToolset(name: string): boolean {
  return Object.hasOwn(TOOLSETS, name) || ABSENT_TOOLSETS.has(name);
}

function collect(
  registry: ToolRegistry,
  name: string,
  into: { tools: Set<string>; visited: Set<string> },
): boolean {
  if (into.visited.has(name)) return true;
  into.visited.add(name);
  const spec = Object.hasOwn(TOOLSETS, name) ? TOOLSETS[name] : undefined;
  const registered = registry.inToolset(name);
  if (!spec && registered.length === 0) {
    const target = registry.aliases.get(name);
    return target !== undefined && collect(registry, target, into);
  }
  spec?.tools.forEach((tool) => into.tools.add(tool));
  registered.forEach((tool) => into.tools.add(tool));
  spec?.includes?.forEach((included) => collect(registry, included, into));
  return true;
}

/** Presets and postures share the core list; disabling one must not strip the terminal from the rest. */
function removedBy(name: string, tools: ReadonlySet<string>): string[] {
  const shared = isPreset(name) || TOOLSETS[name]?.posture === true;
  return [...tools].filter((tool) => !shared || !CORE_TOOLS.includes(tool));
}

/** Plugin and MCP tools that a preset brings along; naming MCP servers narrows it to those. */
function dynamicTools(registry: ToolRegistry, enabled: readonly string[]): string[] {
  const chosen = new Set(enabled.map((name) => registry.aliases.get(name) ?? name));
  const noMcp = chosen.has(NO_MCP) || [...chosen].some((name) => name.startsWith("mcp-"));
  return registry.list().filter(({ toolset }) => {
    if (Object.hasOwn(TOOLSETS, toolset)) return false;
    return !(toolset.startsWith("mcp-") && noMcp);
  }).map((facts) => facts.name);
}

function isPreset(name: string): boolean {
  return name.startsWith("hermes-") && Object.hasOwn(TOOLSETS, name);
}

function isAbsentTool(name: string): boolean {
  return ABSENT_TOOLSETS.values().some((tools) => tools.includes(name));
}
