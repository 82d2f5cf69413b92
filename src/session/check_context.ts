/** What availability checks may look at, from the settings. */
import type { Settings } from "../config/load.ts";
import type { CheckContext } from "../protocol/tool.ts";
import type { ServiceName } from "../protocol/services.ts";
import { CheckMemory } from "./check_memory.ts";

/** What every session has; `tool_runtime.ts` builds them with the first call. */
const BUILT_IN_SERVICES: readonly ServiceName[] = [
  "todo",
  "clarifier",
  "processes",
  "files",
  "spill",
  "blobs",
  "sandbox",
  "protectedPlaces",
];

/** `remember` keeps what checks find in the home; without it every look is a fresh one. */
export function createCheckContext(
  settings: Settings,
  options: {
    environment: string;
    remember: boolean;
    surface: string;
    /** 0 unless a sub-agent. */
    depth?: number;
    services?: ReadonlySet<ServiceName>;
  },
): CheckContext {
  const memory = new CheckMemory(settings.home.path("cache", "checks.json"));
  return {
    env: settings.env,
    which: async (program) =>
      await (await import("../util/which.ts")).which(program, settings.env("PATH")),
    config: settings.get,
    environmentName: options.environment,
    surface: options.surface,
    depth: options.depth ?? 0,
    services: options.services ?? new Set(BUILT_IN_SERVICES),
    kernel: Deno.osRelease(),
    recall: (key, fingerprint, look) =>
      options.remember ? memory.recall({ key, fingerprint }, look) : look(),
  };
}
