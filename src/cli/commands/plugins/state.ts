/** What a plugin is at the moment: its state, its manifest, and what keeps it from being loaded. */
import type { Settings } from "../../../config/load.ts";
import type { Candidate } from "../../../plugins/discover.ts";
import { requireName } from "../../../plugins/open.ts";
import { NotAgreed } from "../../../plugins/pins.ts";
import { requireSettings } from "../../../plugins/plugin_settings.ts";
import { PluginProblem, reasonOf } from "../../../plugins/problem.ts";
import { openSnapshot, type Snapshot, snapshotsOf } from "../../../plugins/snapshot.ts";
import type { PluginSource } from "../../../plugins/source.ts";
import { HermesError } from "../../../protocol/error.ts";
import type { PluginManifest } from "../../../protocol/plugin.ts";

export interface PluginState {
  /** `untrusted` and `changed` wait for a yes; `broken` cannot be used as it is. */
  state: "enabled" | "disabled" | "available" | "untrusted" | "changed" | "broken";
  manifest?: PluginManifest;
  /** Why it is not loaded. */
  problem?: string;
  /** What to do about the problem. */
  fix?: string;
}

/** Reads a plugin and runs nothing of it. */
export async function stateOf(candidate: Candidate, settings: Settings): Promise<PluginState> {
  const { id, origin } = candidate;
  const { enabled, disabled } = settings.config.plugins;
  const state = disabled.includes(id) ? "disabled" : enabled.includes(id) ? "enabled" : "available";
  try {
    const source = await candidate.read();
    // What is only in the home waits for a yes; it is not broken.
    if (state === "enabled" || origin !== "user") await candidate.check?.(source);
    const { manifest } = await snapshotOf(candidate, { settings, source });
    const need = state === "enabled" ? needOf(manifest, settings) : undefined;
    return { state, manifest, ...need };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    const waits = !(error instanceof NotAgreed) ? "broken" : error.pin ? "changed" : "untrusted";
    return { state: waits, ...problemOf(error) };
  }
}

/** What must be set before a plugin loads; undefined when it can. */
export function needOf(
  manifest: PluginManifest,
  settings: Settings,
): Pick<PluginState, "problem" | "fix"> | undefined {
  try {
    requireSettings(manifest, settings);
    return undefined;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return problemOf(error);
  }
}

/** Both parts on one line. */
export function problemLine({ problem, fix }: Pick<PluginState, "problem" | "fix">): string {
  return [problem, fix].filter(Boolean).join(". ");
}

export async function snapshotOf(
  { id }: Pick<Candidate, "id">,
  { settings, source }: { settings: Settings; source: PluginSource },
): Promise<Snapshot> {
  const snapshot = await openSnapshot(source, snapshotsOf(settings.home));
  requireName(id, snapshot.manifest);
  return snapshot;
}

/** Does something with a plugin; a complaint about it says which one is meant. */
export async function aboutPlugin<T>(id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PluginProblem)) throw error;
    const { message, hint, exitCode } = error;
    throw new PluginProblem(`plugin ${id}: ${message}`, {
      cause: error,
      exitCode,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

function problemOf(error: HermesError): Required<Pick<PluginState, "problem">> & { fix?: string } {
  return { problem: reasonOf(error), ...(error.hint ? { fix: error.hint } : {}) };
}
