/** What became of each plugin, for `/plugins` and `hermes plugins list`. */

export interface PluginStatus {
  id: string;
  version?: string;
  tools: string[];
  hooks: number;
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

function statusLine({ id, version, tools, hooks, problem }: PluginStatus): string {
  const name = version === undefined ? id : `${id} v${version}`;
  return problem === undefined
    ? `✓ ${name} (${tools.length} tools, ${hooks} hooks)`
    : `✗ ${name} (${problem})`;
}
