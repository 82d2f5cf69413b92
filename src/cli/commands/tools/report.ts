/** What the model will see of the tools under some settings, and why it will not see the rest. */
import { TOOL_MANIFEST } from "../../../../tools/manifest.ts";
import type { Settings } from "../../../config/load.ts";
import type { SessionPlugins } from "../../../protocol/plugin.ts";
import type { ToolDefinition } from "../../../protocol/provider.ts";
import type { ToolFacts } from "../../../protocol/tool.ts";
import { Availability } from "../../../registry/tool_availability.ts";
import { buildDefinitions } from "../../../registry/definitions.ts";
import { registry } from "../../../registry/registry.ts";
import { resolveToolsets, toolsOf } from "../../../registry/toolsets.ts";
import { createCheckContext } from "../../../session/check_context.ts";

export interface ToolReport {
  facts: ToolFacts;
  state: "offered" | "unavailable" | "disabled";
  /** Why it is not offered. */
  reason?: string;
  /** As sent; of a tool that is not offered, as it would be. */
  definition: ToolDefinition;
  /** Characters it takes in every request. */
  chars: number;
  /** Variables it wants, and whether each is set. */
  env: Record<string, boolean>;
}

/** Every known tool, those of plugins included, sorted by name. */
export async function reportTools(
  settings: Settings,
  plugins?: SessionPlugins,
): Promise<ToolReport[]> {
  registry.addManifest(TOOL_MANIFEST);
  plugins?.registerTools(registry);
  const selection = selectionOf(settings);
  const chosen = resolveToolsets(registry, selection).tools;
  const availability = new Availability({
    registry,
    context: createCheckContext(settings, {
      environment: settings.config.terminal.backend,
      remember: false,
      surface: "chat",
    }),
  });
  const options = { registry, availability, config: settings.get };
  const { definitions, unavailable } = await buildDefinitions({ ...options, names: chosen });
  const sent = new Map(definitions.map((definition) => [definition.name, definition]));
  function stateOf(name: string): Pick<ToolReport, "state" | "reason"> {
    if (sent.has(name)) return { state: "offered" };
    const missing = unavailable.get(name);
    if (missing !== undefined) return { state: "unavailable", reason: missing };
    const blocker = selection.disabled.find((word) => toolsOf(registry, word)?.has(name));
    const reason = blocker === undefined ? "not in toolsets" : `"${blocker}" is disabled`;
    return { state: "disabled", reason };
  }
  return registry.list().map((facts) => {
    const { name, description, schema } = facts;
    const definition = sent.get(name) ?? { name, description, parameters: schema };
    return {
      facts,
      ...stateOf(name),
      definition,
      chars: JSON.stringify(definition).length,
      env: Object.fromEntries(
        (facts.requiresEnv ?? []).map((name) => [name, settings.env(name) !== undefined]),
      ),
    };
  });
}

/** What the configuration asks for. */
export function selectionOf({ config }: Settings): { enabled: string[]; disabled: string[] } {
  return { enabled: config.toolsets, disabled: config.agent.disabled_toolsets };
}
