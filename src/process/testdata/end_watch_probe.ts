/**
 * Watches for its own end, for a marker or for a process group; says so when the watcher knows,
 * and waits to be killed.
 */
import { EndWatch } from "../end_watch.ts";

if (import.meta.main) {
  const [how, marker, leader] = Deno.args as [string, string, string];
  const groups = how === "groups";
  const unmarked = how === "unmarked groups";
  const watch = new EndWatch({ prefix: how === "markers" ? marker : "none", groups });
  const hold = watch.hold();
  hold.add(1_000_000_000, { unmarked });
  await watch.startNow();
  hold.add(Number(leader), { unmarked });
  hold.remove(1_000_000_000);
  await watch.startNow();
  await Deno.stdout.write(new TextEncoder().encode("ready"));
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
