/** Sandboxes and requests for tests, with small limits and tools that only answer. */
import type { ToolDefinition } from "../../src/protocol/provider.ts";
import type { ScriptRequest, ScriptResult } from "../../src/protocol/script.ts";
import type { SandboxRunner } from "../../src/sandbox/script/runner.ts";

/** What every sandbox of a test needs: Python's usual places. */
export const SANDBOX = { searchPath: "/usr/local/bin:/usr/bin:/bin" };

/** Python that finds the descriptor its calls go through, as a hostile script would. */
export const FIND_SOCKET = `import os, stat
def is_socket(fd):
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False
sock = next(fd for fd in range(3, 1024) if is_socket(fd))`;

function tool(name: string, properties: Record<string, { type: string }>): ToolDefinition {
  const [first] = Object.keys(properties);
  return {
    name,
    description: `The tool ${name}.`,
    parameters: { type: "object", properties, required: [first!] },
  };
}

export const TOOLS: readonly ToolDefinition[] = [
  tool("read_file", { path: { type: "string" }, offset: { type: "integer" } }),
  tool("terminal", { command: { type: "string" }, background: { type: "boolean" } }),
];

export const LIMITS = {
  timeoutMs: 30_000,
  maxToolCalls: 50,
  maxStdoutBytes: 50_000,
  maxStderrBytes: 10_000,
  memoryMb: 512,
};

/** A request whose tools answer with what they were asked. */
export function request(
  code: string,
  overrides: Partial<Omit<ScriptRequest, "limits">> & {
    limits?: Partial<ScriptRequest["limits"]>;
  } = {},
): ScriptRequest {
  return {
    code,
    language: "typescript",
    tools: TOOLS,
    otherTools: ["todo", "execute_code"],
    signal: new AbortController().signal,
    callTool: (name, args) =>
      Promise.resolve({ content: JSON.stringify({ tool: name, args }), isError: false }),
    ...overrides,
    limits: { ...LIMITS, ...overrides.limits },
  };
}

/** Runs one script and says how it ended. */
export function runScript(
  sandbox: SandboxRunner,
  code: string,
  overrides: Parameters<typeof request>[1] = {},
): Promise<ScriptResult> {
  return sandbox.run(request(code, overrides));
}
