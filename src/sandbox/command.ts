/**
 * How a script child is started in each build, as data: the program, its arguments and the
 * permissions it begins with. The bootstrap gives those up again; spawning is done elsewhere.
 */
import { isStandalone, type SelfCommand, selfCommand } from "../util/runtime.ts";
import type { ChildMode, Wall } from "./contract.ts";

export interface ChildCommandOptions {
  mode: ChildMode;
  socket: string;
  heapMb: number;
  without: readonly Wall[];
}

/** Refuses everything that would fetch, ask or read configuration. */
const STRICT = [
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  "--deny-import",
];

/** From source the bootstrap is a file of its own; a bundle reaches it through its main module. */
function bootstrap(): string[] {
  const isSource = import.meta.url.endsWith("/src/sandbox/command.ts");
  if (isSource) return [new URL("./child_main.ts", import.meta.url).href];
  return [Deno.mainModule, "__sandbox"];
}

/** The mode that fits this build. */
export function defaultMode(): ChildMode {
  return isStandalone() ? "reexec" : "deno";
}

export function childCommand(options: ChildCommandOptions): SelfCommand {
  const heap = `--v8-flags=--max-old-space-size=${options.heapMb}`;
  if (options.mode === "reexec") {
    const self = selfCommand(["__sandbox"]);
    // A compiled build takes no runtime flags; its heap is bounded by the memory limit alone.
    return isStandalone() ? self : { ...self, args: self.args.toSpliced(1, 0, heap) };
  }
  const { socket } = options;
  const grants = options.without.includes("permissions") ? ["--allow-all"] : [
    "--allow-ffi",
    `--allow-read=${socket}`,
    `--allow-write=${socket}`,
    `--allow-net=unix:${socket}`,
  ];
  const strict = options.without.includes("permissions")
    ? STRICT.filter((flag) => flag !== "--deny-import")
    : STRICT;
  return {
    command: Deno.execPath(),
    args: ["run", ...strict, heap, ...grants, ...bootstrap()],
  };
}
