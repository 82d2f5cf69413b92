/** The words a setting may be, shared by the schema and by the cheap checks that run without it. */

export const TERMINAL_BACKENDS = [
  "local",
  "docker",
  "ssh",
  "singularity",
  "modal",
  "daytona",
] as const;

export const SSH_UNKNOWN_HOSTS = ["refuse", "accept"] as const;

export const APPROVAL_MODES = ["manual", "smart", "off", "ask-all", "plan"] as const;

/** Empty: whatever the model does by itself. */
export const REASONING_EFFORTS = ["", "none", "minimal", "low", "medium", "high"] as const;

export const API_MODES = [
  "",
  "chat_completions",
  "codex_responses",
  "anthropic_messages",
] as const;
