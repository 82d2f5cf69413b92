/** The doctor's look at the places where commands can run. */
import { ENVIRONMENTS } from "../../../../environments/manifest.ts";
import type { Settings } from "../../../config/load.ts";
import type { Finding } from "./finding.ts";
import { environmentOptions, lookAt } from "../env/env.ts";

/** Only the configured one has to work; the local one needs nothing but the shell. */
export async function checkEnvironments(settings: Settings): Promise<Finding[]> {
  const options = environmentOptions(settings);
  const names = Object.keys(ENVIRONMENTS).filter((name) => name !== "local");
  return await Promise.all(names.map(async (name): Promise<Finding> => {
    const { available, detail, fix } = await lookAt(name, options);
    if (available) return { name, status: "ok", detail };
    const needed = settings.config.terminal.backend === name;
    return {
      name,
      status: needed ? "fail" : "note",
      detail,
      ...(needed ? { fix: fix ?? `hermes env check ${name}, or set terminal.backend: local` } : {}),
    };
  }));
}
