/** The doctor's word on variables: how many commands get, and which ones are withheld from them. */
import type { Settings } from "../../../config/load.ts";
import { childVariables } from "../../../process/child_variables.ts";
import type { Finding } from "./finding.ts";

const SHOWN = 20;

export function checkVariables(settings: Settings): Promise<Finding[]> {
  const all = Object.fromEntries(settings.variables());
  const passed = childVariables(all, settings.config.terminal.env_passthrough);
  const withheld = Object.keys(all).filter((name) => !Object.hasOwn(passed, name)).sort();
  const more = withheld.length > SHOWN ? ` and ${withheld.length - SHOWN} more` : "";
  const names = withheld.length === 0 ? "none" : withheld.slice(0, SHOWN).join(", ") + more;
  const detail = `commands get ${Object.keys(passed).length} of ${Object.keys(all).length}; ` +
    `withheld: ${names} (terminal.env_passthrough lets one through)`;
  return Promise.resolve([{ name: "variables", status: "ok", detail }]);
}
