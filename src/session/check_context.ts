/** What availability checks may look at, from the settings. */
import type { Settings } from "../config/load.ts";
import type { CheckContext } from "../protocol/tool.ts";
import { CheckMemory } from "./check_memory.ts";

/** `remember` keeps what checks find in the home; without it every look is a fresh one. */
export function createCheckContext(
  settings: Settings,
  options: { environment: string; remember: boolean },
): CheckContext {
  const memory = new CheckMemory(settings.home.path("cache", "checks.json"));
  return {
    env: settings.env,
    which: async (program) =>
      await (await import("../util/which.ts")).which(program, settings.env("PATH")),
    config: settings.get,
    environmentName: options.environment,
    kernel: Deno.osRelease(),
    recall: (key, fingerprint, look) =>
      options.remember ? memory.recall({ key, fingerprint }, look) : look(),
  };
}
