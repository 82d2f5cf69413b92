/** Watches for its own end: for a marker, or for a process group; says so and waits to be killed. */
import { EndWatch } from "../end_watch.ts";

if (import.meta.main) {
  const [how, marker, leader] = Deno.args as [string, string, string];
  const groups = how === "groups";
  const hold = new EndWatch({ prefix: groups ? "none" : marker, groups }).hold();
  await hold.add(1_000_000_000);
  await hold.add(Number(leader));
  await hold.remove(1_000_000_000);
  await Deno.stdout.write(new TextEncoder().encode("ready"));
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
