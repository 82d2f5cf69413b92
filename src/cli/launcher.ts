/**
 * Undoes what the launcher arranged, before anything else looks: `deno task` runs in the
 * project's directory, and the portable executable gives Deno a cache of its own, which the
 * commands hermes runs must not inherit.
 */

export function leaveLauncher(): void {
  const directory = Deno.env.get("HERMES_LAUNCH_CWD");
  if (directory !== undefined) {
    Deno.env.delete("HERMES_LAUNCH_CWD");
    Deno.chdir(directory);
  }
  const denoDir = Deno.env.get("HERMES_DENO_DIR");
  if (denoDir === undefined) return;
  Deno.env.delete("HERMES_DENO_DIR");
  if (denoDir === "") Deno.env.delete("DENO_DIR");
  else Deno.env.set("DENO_DIR", denoDir);
}
