/** Which tools a session offers: toolsets by name, minus the disabled, minus the unavailable. */
import type { Settings } from "../config/load.ts";
import { UsageError } from "../protocol/error.ts";
import type { SessionPlugins } from "../protocol/plugin.ts";
import type { ToolDefinition } from "../protocol/provider.ts";
import { Availability } from "../registry/tool_availability.ts";
import { buildDefinitions } from "../registry/definitions.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { describeUnknown, resolveToolsets } from "../registry/toolsets.ts";
import { createCheckContext } from "./check_context.ts";

export interface ToolChoiceOptions {
  settings: Settings;
  /** The session's own view of the tools. */
  registry: ToolRegistry;
  /** The name of the surface: `platform_toolsets` may have a list for it. */
  surface: string;
  chosen?: { enabled?: readonly string[]; disabled?: readonly string[] };
  /** What the surface has when none was chosen. */
  preset?: readonly string[];
  environment: string;
  plugins?: SessionPlugins;
  /** False: nothing is written to the home. */
  persist: boolean;
  log: (line: string) => void;
  /** What the person should know before anything runs. */
  notice: (line: string) => void;
}

/** The definitions to send, in a stable order. @throws {UsageError} for an unknown name. */
export async function selectTools(options: ToolChoiceOptions): Promise<ToolDefinition[]> {
  const { settings, registry, log } = options;
  const { toolsets, platform_toolsets, agent } = settings.config;
  options.plugins?.registerTools(registry);
  const { tools, unknown, empty } = resolveToolsets(registry, {
    enabled: options.chosen?.enabled ?? platform_toolsets[options.surface] ?? options.preset ??
      toolsets,
    disabled: [...agent.disabled_toolsets, ...(options.chosen?.disabled ?? [])],
  });
  const problem = describeUnknown(unknown);
  if (problem !== undefined) {
    const listed = [...toolsets, ...agent.disabled_toolsets];
    const stale = unknown.find(({ name }) => listed.includes(name));
    throw new UsageError(
      problem,
      stale ? { hint: `Take it out of config.yaml: hermes tools disable ${stale.name}` } : {},
    );
  }
  const availability = new Availability({
    registry,
    context: createCheckContext(settings, {
      environment: options.environment,
      remember: options.persist,
      surface: options.surface,
    }),
  });
  const { definitions, unavailable } = await buildDefinitions({
    registry,
    availability,
    names: tools,
    config: settings.get,
    log,
  });
  for (const [name, reason] of unavailable) log(`tool ${name} is not available: ${reason}`);
  const asked = options.chosen?.enabled;
  if (asked !== undefined && empty.length > 0) {
    options.notice(`this build has no tool of ${empty.join(", ")}`);
  }
  if (asked?.length && definitions.length === 0) {
    const reasons = [...unavailable].map(([name, reason]) => `${name}: ${reason}`).join("; ");
    options.notice(`no tool is offered${reasons === "" ? "" : `: ${reasons}`}`);
  }
  return definitions;
}
