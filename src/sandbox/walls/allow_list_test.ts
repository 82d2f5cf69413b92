import assert from "node:assert/strict";
import { callableTools, checkArguments, refusal } from "./allow_list.ts";

Deno.test("callableTools() is the allow-list in the session's order and nothing else", () => {
  const session = ["execute_code", "terminal", "read_file", "todo", "process", "browser_click"];
  assert.deepEqual(callableTools(session, []), ["terminal", "read_file", "browser_click"]);
});

Deno.test("callableTools() adds MCP tools only where they are granted", () => {
  const session = ["mcp_git_log", "mcp_git_push", "mcp_db_query", "todo"];
  assert.deepEqual(callableTools(session, []), []);
  assert.deepEqual(callableTools(session, ["mcp_git_log"]), ["mcp_git_log"]);
  assert.deepEqual(callableTools(session, ["mcp_git_*"]), ["mcp_git_log", "mcp_git_push"]);
  assert.deepEqual(callableTools(session, ["*", "todo"]), session.slice(0, 3));
});

Deno.test("refusal() tells an unknown tool from one that is not for scripts", () => {
  const tools = { callable: ["read_file"], session: ["todo"] };
  assert.match(refusal("todo", tools), /Use it as a normal tool call instead/);
  assert.equal(refusal("foo", tools), "Unknown tool: foo. Available: read_file");
});

Deno.test("checkArguments() keeps terminal in the foreground", () => {
  const command = "make";
  assert.deepEqual(checkArguments("terminal", { command, background: false, pty: null }), {
    args: { command },
  });
  for (const key of ["background", "pty", "notify_on_complete", "check_interval"]) {
    const checked = checkArguments("terminal", { command, [key]: true });
    assert.match("error" in checked ? checked.error : "", new RegExp(`remove '${key}'`));
  }
  assert.ok("args" in checkArguments("terminal", { command, watch_patterns: [] }));
  assert.ok("error" in checkArguments("terminal", { command, watch_patterns: ["x"] }));
  assert.deepEqual(checkArguments("read_file", { background: true }), {
    args: { background: true },
  });
});
