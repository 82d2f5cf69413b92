/** The dependencies of a session with a scripted model: no hooks, no images, a clock that stands. */
import type { SessionDeps } from "../../src/session/session_deps.ts";
import { loopDeps, type LoopSetup } from "./loop_deps.ts";

/** `messages` is the live transcript. */
export function sessionDeps(setup: LoopSetup): { deps: SessionDeps; messages: unknown[] } {
  const { deps, messages } = loopDeps(setup);
  return {
    messages,
    deps: {
      ...deps,
      id: "s1",
      cwd: "/project",
      resumed: false,
      hooks: () => Promise.resolve(undefined),
      images: () => {
        throw new Error("no images here");
      },
      logScriptCall: () => {},
      onFirstRequest: () => {},
      notices: () => [],
      clock: { now: () => new Date(0), duration: (ms) => ms },
      end: () => {},
      dispose: () => Promise.resolve(),
    },
  };
}
