/**
 * Undoes what the launcher arranged, before anything else looks: `deno task` runs in the
 * project's directory, and the portable executable sets up a Deno of its own (a private cache,
 * no calls home, no `node` command made of it), which the commands hermes runs must not inherit.
 */

/** What the portable executable sets for its Deno, beside the directory of its cache. */
const DENO_SETTINGS = ["DENO_NO_UPDATE_CHECK", "DENO_DISABLE_NODE_SHIM"];

export function leaveLauncher(): void {
  const directory = Deno.env.get("HERMES_LAUNCH_CWD");
  if (directory !== undefined) {
    Deno.env.delete("HERMES_LAUNCH_CWD");
    Deno.chdir(directory);
  }
  const denoDir = Deno.env.get("HERMES_DENO_DIR");
  if (denoDir === undefined) return;
  for (const name of ["HERMES_DENO_DIR", ...DENO_SETTINGS]) Deno.env.delete(name);
  if (denoDir === "") Deno.env.delete("DENO_DIR");
  else Deno.env.set("DENO_DIR", denoDir);
}
