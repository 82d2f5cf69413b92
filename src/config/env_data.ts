/** Variables that override settings, from the environment or `.env`. The first one set wins. */
import { APPROVAL_POLICIES } from "../protocol/approval.ts";
import { SANDBOX_MODES } from "../protocol/sandbox.ts";
import { REASONING_EFFORTS, TERMINAL_BACKENDS } from "./choices_data.ts";

export interface EnvKey {
  path: string;
  names: readonly string[];
  choices?: readonly string[];
}

export const ENV_KEYS: readonly EnvKey[] = [
  { path: "model.default", names: ["HERMES_MODEL", "HERMES_INFERENCE_MODEL"] },
  { path: "model.provider", names: ["HERMES_PROVIDER", "HERMES_INFERENCE_PROVIDER"] },
  { path: "model.base_url", names: ["HERMES_BASE_URL"] },
  { path: "agent.max_turns", names: ["HERMES_MAX_TURNS", "HERMES_MAX_ITERATIONS"] },
  {
    path: "agent.reasoning_effort",
    names: ["HERMES_REASONING_EFFORT"],
    choices: REASONING_EFFORTS,
  },
  { path: "agent.environment_hint", names: ["HERMES_ENVIRONMENT_HINT"] },
  { path: "timeouts.stream_read", names: ["HERMES_STREAM_READ_TIMEOUT"] },
  { path: "timeouts.stream_stale", names: ["HERMES_STREAM_STALE_TIMEOUT"] },
  { path: "approvals.headless", names: ["HERMES_APPROVE"], choices: APPROVAL_POLICIES },
  { path: "hooks_auto_accept", names: ["HERMES_ACCEPT_HOOKS"] },
  { path: "security.redact_secrets", names: ["HERMES_REDACT_SECRETS"] },
  { path: "security.write_safe_root", names: ["HERMES_WRITE_SAFE_ROOT"] },
  { path: "terminal.backend", names: ["TERMINAL_ENV"], choices: TERMINAL_BACKENDS },
  { path: "terminal.cwd", names: ["TERMINAL_CWD"] },
  { path: "terminal.timeout", names: ["TERMINAL_TIMEOUT"] },
  { path: "terminal.lifetime_seconds", names: ["TERMINAL_LIFETIME_SECONDS"] },
  { path: "terminal.persistent_shell", names: ["TERMINAL_PERSISTENT_SHELL"] },
  { path: "terminal.sandbox", names: ["TERMINAL_SANDBOX"], choices: SANDBOX_MODES },
  { path: "terminal.network", names: ["TERMINAL_NETWORK"] },
  { path: "terminal.sandbox_dir", names: ["TERMINAL_SANDBOX_DIR"] },
  { path: "terminal.container_cpu", names: ["TERMINAL_CONTAINER_CPU"] },
  { path: "terminal.container_memory", names: ["TERMINAL_CONTAINER_MEMORY"] },
  { path: "terminal.container_disk", names: ["TERMINAL_CONTAINER_DISK"] },
  { path: "terminal.container_persistent", names: ["TERMINAL_CONTAINER_PERSISTENT"] },
  { path: "terminal.docker_image", names: ["TERMINAL_DOCKER_IMAGE"] },
  { path: "terminal.docker_volumes", names: ["TERMINAL_DOCKER_VOLUMES"] },
  { path: "terminal.docker_forward_env", names: ["TERMINAL_DOCKER_FORWARD_ENV"] },
  { path: "terminal.docker_network", names: ["TERMINAL_DOCKER_NETWORK"] },
  {
    path: "terminal.docker_mount_cwd_to_workspace",
    names: ["TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE"],
  },
  { path: "terminal.singularity_image", names: ["TERMINAL_SINGULARITY_IMAGE"] },
  { path: "terminal.modal_image", names: ["TERMINAL_MODAL_IMAGE"] },
  { path: "terminal.daytona_image", names: ["TERMINAL_DAYTONA_IMAGE"] },
  { path: "terminal.ssh_host", names: ["TERMINAL_SSH_HOST"] },
  { path: "terminal.ssh_user", names: ["TERMINAL_SSH_USER"] },
  { path: "terminal.ssh_port", names: ["TERMINAL_SSH_PORT"] },
  { path: "terminal.ssh_key", names: ["TERMINAL_SSH_KEY"] },
];
