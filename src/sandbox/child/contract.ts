/** The walls round a child process, and the two ways to start one. What a script run is: `src/protocol/script.ts`. */

/**
 * What keeps a script in: Deno's permissions, the kernel's path rules, the kernel's call filter, and
 * that the internals under Node's modules are out of reach.
 */
export type Wall = "permissions" | "landlock" | "seccomp" | "internals";

/** `deno`: a bare `deno run` of the bootstrap. `reexec`: `hermes __sandbox`, the only way of a compiled build. */
export type ChildMode = "deno" | "reexec";
