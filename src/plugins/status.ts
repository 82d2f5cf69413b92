/** What became of each plugin, for `/plugins` and `hermes plugins list`. */

import type { ServiceStatus } from "../protocol/plugin.ts";

export interface PluginStatus {
  id: string;
  version?: string;
  tools: string[];
  hooks: number;
  services: readonly ServiceStatus[];
  /** Why it is not in use. */
  problem?: string;
}

/** The lines of `/plugins`. */
export function statusLines(statuses: readonly PluginStatus[]): string[] {
  if (statuses.length === 0) {
    return ["No plugins are enabled.", "  See which there are: hermes plugins list"];
  }
  return [`Plugins (${statuses.length}):`, ...statuses.map((status) => `  ${statusLine(status)}`)];
}

function statusLine({ id, version, tools, hooks, services, problem }: PluginStatus): string {
  const name = version === undefined ? id : `${id} v${version}`;
  if (problem !== undefined) return `✗ ${name} (${problem})`;
  const parts = [
    `${tools.length} tools, ${hooks} hooks`,
    ...services.map((service) => {
      const why = service.reason === undefined ? "" : `, ${service.reason}`;
      return `service ${service.name} ${service.state}${why}`;
    }),
  ];
  return `✓ ${name} (${parts.join("; ")})`;
}
