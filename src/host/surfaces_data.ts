/**
 * What each surface stands for: who answers questions, whether anybody watches, what happens to
 * input during a turn and to background work between turns. A surface without a row is one that
 * nobody watches and nobody answers.
 */
import type { SurfacePolicy } from "../protocol/session_spec.ts";

export const DEFAULT_SURFACE: SurfacePolicy = {
  headless: true,
  questions: "none",
  busy: "queue",
  wake: "hold",
};

export const SURFACES: Readonly<Record<string, SurfacePolicy>> = {
  /** `hermes run`: one job. */
  run: DEFAULT_SURFACE,
  /** `hermes` on a terminal. */
  chat: { headless: false, questions: "all", busy: "steer", wake: "hold", serves: true },
};

/** The row of a surface; `more` has those that are not built in. */
export function surfacePolicy(
  name: string,
  more: Readonly<Record<string, SurfacePolicy>> = {},
): SurfacePolicy {
  const table = [SURFACES, more].find((rows) => Object.hasOwn(rows, name));
  return table?.[name] ?? DEFAULT_SURFACE;
}
