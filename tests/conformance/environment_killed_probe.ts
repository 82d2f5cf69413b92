/** A hermes that will be killed: runs two commands that never end and says when both are up. */
import { type EnvironmentTarget, openTarget, untilOutput } from "./environment_suite.ts";

if (import.meta.main) {
  const [target, nap] = Deno.args;
  const { env } = await openTarget(JSON.parse(target!) as EnvironmentTarget);
  await untilOutput(await env.spawn(`echo up; exec sleep ${nap}`), "up");
  await env.exec(`echo up; exec sleep ${nap}`, { onOutput: () => console.log("ready") });
}
