/**
 * Which tools a script may call and with which arguments. Pure; the parent applies it to every
 * frame, whatever the generated module let through.
 */

/** Nothing else is callable from a script, whatever the session enables. */
const CALLABLE: ReadonlySet<string> = new Set([
  "web_search",
  "web_extract",
  "read_file",
  "write_file",
  "search_files",
  "patch",
  "terminal",
  "browser_navigate",
  "browser_snapshot",
  "browser_click",
  "browser_type",
  "browser_scroll",
  "browser_back",
  "browser_press",
]);

const MCP_PREFIX = "mcp_";

/** Parameters of `terminal` that leave something running after the script, or need a person. */
export const FOREGROUND_ONLY: readonly string[] = [
  "background",
  "pty",
  "notify_on_complete",
  "outside",
  "watch_patterns",
  "check_interval",
];

/** The session's tools that a script may call: the allow-list, and MCP tools by name or `prefix*`. */
export function callableTools(
  sessionTools: readonly string[],
  mcpGrants: readonly string[],
): string[] {
  return sessionTools.filter((name) =>
    CALLABLE.has(name) ||
    name.startsWith(MCP_PREFIX) && mcpGrants.some((grant) => matches(name, grant))
  );
}

function matches(name: string, grant: string): boolean {
  return grant.endsWith("*") ? name.startsWith(grant.slice(0, -1)) : name === grant;
}

/** Why a script may not call `name`. */
export function refusal(
  name: string,
  tools: { callable: readonly string[]; session: readonly string[] },
): string {
  if (tools.session.includes(name)) {
    return `Tool '${name}' is not available in execute_code. Use it as a normal tool call instead.`;
  }
  const available = tools.callable.join(", ") || "none";
  return `Unknown tool: ${name.slice(0, 100)}. Available: ${available}`;
}

/** The arguments to dispatch, or why they are refused. */
export function checkArguments(
  name: string,
  args: Record<string, unknown>,
): { args: Record<string, unknown> } | { error: string } {
  if (name !== "terminal") return { args };
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(args)) {
    if (key === "__proto__") continue;
    if (!FOREGROUND_ONLY.includes(key)) kept[key] = value;
    else if (isSet(value)) {
      return { error: `terminal runs in the foreground only in execute_code: remove '${key}'` };
    }
  }
  return { args: kept };
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
