/**
 * What a configuration names that is not there: toolsets, events, plugins, providers. The text
 * of the file is checked elsewhere (`src/config/check.ts`); nothing here changes anything.
 */
import { TOOL_MANIFEST } from "../../../../tools/manifest.ts";
import type { Problem } from "../../../config/check.ts";
import type { Settings } from "../../../config/load.ts";
import { Discovery } from "../../../plugins/discover.ts";
import { entryProblems } from "../../../plugins/plugin_settings.ts";
import { ToolRegistry } from "../../../registry/registry.ts";
import { describeUnknown, resolveToolsets } from "../../../registry/toolsets.ts";
import { parseShellHooks } from "../../../registry/hooks/shell_hooks.ts";
import { didYouMean } from "../../../util/nearest.ts";
import { selectModel } from "../model/selection.ts";
import { stateOf } from "../plugins/state.ts";

export interface Review {
  /** With these every run ends at once. */
  problems: Problem[];
  /** With these it goes on without what was meant. */
  warnings: Problem[];
}

const EDIT = "Correct it: hermes config edit";

/** Everything that `hermes config check` says beside what is wrong in the text. */
export async function reviewSettings(settings: Settings): Promise<Review> {
  const parts = [
    await reviewTools(settings),
    reviewHooks(settings),
    await reviewModel(settings),
    await reviewPlugins(settings),
  ];
  return {
    problems: parts.flatMap(({ problems }) => problems),
    warnings: parts.flatMap(({ warnings }) => warnings),
  };
}

/** Names in lists of tools that mean nothing. Plugins are loaded only when one of theirs may be meant. */
export async function reviewTools(settings: Settings): Promise<Review> {
  const registry = new ToolRegistry();
  registry.addManifest(TOOL_MANIFEST);
  let problems = unknownTools(settings, registry);
  if (problems.length > 0 && settings.config.plugins.enabled.length > 0) {
    const { openEnabledPlugins } = await import("../open_plugins.ts");
    const plugins = await openEnabledPlugins(settings);
    try {
      plugins.registerTools(registry);
      problems = unknownTools(settings, registry);
    } finally {
      await plugins.close();
    }
  }
  return { problems, warnings: [] };
}

function unknownTools({ config }: Settings, registry: ToolRegistry): Problem[] {
  const find = (path: string, names: readonly string[], fix: (name: string) => string) =>
    resolveToolsets(registry, { enabled: names }).unknown.map((one): Problem => ({
      path: `${path}.${names.indexOf(one.name)}`,
      message: `${path}: ${describeUnknown([one])}`,
      fix: fix(one.name),
    }));
  return [
    ...find("toolsets", config.toolsets, (name) => `Take it out: hermes tools disable ${name}`),
    ...find(
      "agent.disabled_toolsets",
      config.agent.disabled_toolsets,
      (name) => `Take it out: hermes tools enable ${name}`,
    ),
    ...Object.entries(config.platform_toolsets).flatMap(([surface, names]) =>
      find(`platform_toolsets.${surface}`, names, () => EDIT)
    ),
  ];
}

export function reviewHooks({ config }: Settings): Review {
  const { problems, missingGuards } = parseShellHooks(config.hooks);
  // Each line begins with its key.
  const asProblem = (message: string): Problem => ({
    path: message.split(":")[0]!,
    message,
    fix: EDIT,
  });
  return { problems: missingGuards.map(asProblem), warnings: problems.map(asProblem) };
}

/** Which model was asked for, and whether its fallbacks can be used. */
async function reviewModel(settings: Settings): Promise<Review> {
  const says = (key: string) => settings.origin(key) === "config.yaml";
  const isChosen = ["model.default", "model.provider", "model.base_url"].some(says);
  if (!isChosen && settings.config.fallback_providers.length === 0) {
    return { problems: [], warnings: [] };
  }
  const { problem, isWrong, leftOut = [] } = await selectModel(settings);
  return {
    problems: isChosen && problem !== undefined && isWrong
      ? [{ path: "model.default", message: problem, fix: "Choose one: hermes model NAME" }]
      : [],
    warnings: leftOut.map((message) => ({ path: "fallback_providers", message, fix: EDIT })),
  };
}

/** Enabled plugins that do not load, and what entries say in vain. */
export async function reviewPlugins(settings: Settings): Promise<Review> {
  const { enabled, entries } = settings.config.plugins;
  const discovery = new Discovery(settings.home, Deno.cwd());
  const unloaded = await Promise.all(enabled.map(async (id, i): Promise<Problem[]> => {
    const path = `plugins.enabled.${i}`;
    const candidate = await discovery.find(id);
    if (candidate === undefined) {
      const known = (await discovery.list()).map((one) => one.id);
      const message = `plugins.enabled: there is no plugin "${id}".${didYouMean(id, known)}`;
      return [{ path, message, fix: `Take it out: hermes plugins disable ${id}` }];
    }
    const { problem, fix = `See what it is: hermes plugins info ${id}` } = await stateOf(
      candidate,
      settings,
    );
    return problem === undefined ? [] : [{ path, message: `plugin ${id}: ${problem}`, fix }];
  }));
  const vain = Object.keys(entries).flatMap((id) =>
    entryProblems(settings, id).map((message): Problem => {
      const path = message.split(" ")[0]!;
      return { path, message, fix: `Remove it: hermes config unset ${path}` };
    })
  );
  return { problems: [], warnings: [...unloaded.flat(), ...vain] };
}
