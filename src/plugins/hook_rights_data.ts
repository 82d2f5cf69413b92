/** What a plugin's hook gets of a payload: a key that is not listed for its hook never reaches it. */
import type { HookName } from "../protocol/hook.ts";
import type { HookRight } from "../protocol/plugin.ts";

/** By hook and key: `open` for names, ids and times, else the right it takes. */
export const VISIBLE: Readonly<Record<HookName, Readonly<Record<string, "open" | HookRight>>>> = {
  "pre_tool_call": {
    taskId: "open",
    callId: "open",
    toolName: "open",
    args: "see_calls",
    cwd: "see_calls",
  },
  "post_tool_call": {
    taskId: "open",
    callId: "open",
    toolName: "open",
    status: "open",
    isError: "open",
    durationMs: "open",
    args: "see_calls",
    cwd: "see_calls",
    result: "see_results",
    details: "see_results",
  },
  "transform_tool_result": {
    taskId: "open",
    callId: "open",
    toolName: "open",
    status: "open",
    args: "see_calls",
    cwd: "see_calls",
    result: "see_results",
  },
  "pre_turn": { input: "see_messages" },
  "post_turn": { reason: "open", response: "see_messages" },
  "pre_llm_call": { provider: "open", model: "open", messages: "see_messages" },
  "post_llm_call": {
    provider: "open",
    model: "open",
    stopReason: "open",
    messages: "see_messages",
    response: "see_messages",
  },
  "transform_llm_output": { model: "open", response: "see_messages" },
  "on_session_start": { model: "open" },
  "on_session_end": { reason: "open" },
  "on_session_finalize": {},
  "on_session_reset": { oldSessionId: "open", newSessionId: "open" },
  "pre_approval_request": {
    callId: "open",
    tool: "open",
    // A rule can carry what a hook said of the call.
    rule: "see_calls",
    subject: "see_calls",
    description: "see_calls",
  },
  "post_approval_response": {
    callId: "open",
    tool: "open",
    answer: "open",
    by: "open",
    rule: "see_calls",
    subject: "see_calls",
    description: "see_calls",
  },
  "on_context_compress": { beforeChars: "open", afterChars: "open" },
};
