/**
 * The settings of `config.yaml`: one description that gives the TypeScript type, the checks,
 * the published JSON Schema and the table in the docs. Keys keep the reference's names.
 * Defaults live in `defaults_data.ts`; a merged configuration is what is checked.
 */
import { z } from "../deps/zod.ts";
import { APPROVAL_POLICIES } from "../protocol/approval.ts";
import {
  API_MODES,
  APPROVAL_MODES,
  REASONING_EFFORTS,
  SSH_UNKNOWN_HOSTS,
  TERMINAL_BACKENDS,
} from "./choices_data.ts";
import { CACHE_MODES, SANDBOX_MODES } from "../protocol/sandbox.ts";

function text(help: string) {
  return z.string().describe(help);
}

function flag(help: string) {
  return z.boolean().describe(help);
}

function count(help: string) {
  return z.int().min(0).describe(help);
}

function seconds(help: string) {
  return z.number().min(0).describe(`${help}, seconds`);
}

function words(help: string) {
  return z.array(z.string()).describe(help);
}

const model = z.object({
  default: text("Model id; empty chooses by the keys present"),
  provider: text("Provider name, or auto"),
  base_url: text("Endpoint of an OpenAI-compatible server"),
  api_key: text("Key for base_url; better kept in .env"),
  api_mode: z.enum(API_MODES).describe("Wire format; empty follows the provider"),
  context_length: count("Context window in tokens, when the catalog is wrong").optional(),
  max_tokens: count("Output tokens asked for at most").optional(),
});

const provider = z.object({
  base_url: text("Endpoint"),
  api_key: text("Key for this endpoint").optional(),
  key_env: text("Variable that holds the key").optional(),
  api_mode: z.enum(API_MODES).describe("Wire format").optional(),
  models: z.array(z.string()).describe("Model ids it serves").optional(),
  extra_headers: z.record(z.string(), z.string()).describe("Headers to add").optional(),
  enabled: flag("False hides it").optional(),
});

const fallback = z.object({
  provider: text("Provider name"),
  model: text("Model id"),
  base_url: text("Endpoint").optional(),
  key_env: text("Variable that holds the key").optional(),
  api_mode: z.enum(API_MODES).describe("Wire format").optional(),
});

const auxiliary = z.object({
  provider: text("Provider name, or auto").optional(),
  model: text("Model id").optional(),
  base_url: text("Endpoint").optional(),
  api_key: text("Key for the endpoint").optional(),
});

const agent = z.object({
  max_turns: count("Model calls per request at most; 0 is no limit"),
  run_budget_seconds: seconds("Wall-clock limit of a run (0: none)"),
  api_max_retries: count("Attempts of a failing model call"),
  reasoning_effort: z.enum(REASONING_EFFORTS).describe("How hard the model thinks"),
  system_prompt: text("Added to the system prompt"),
  environment_hint: text("What the model should know about this machine"),
  disabled_toolsets: words("Toolsets and tools never offered"),
  stall_guards: flag("Notice identical calls and results"),
  clarify_timeout: seconds("Wait for the answer to a question"),
});

const timeouts = z.object({
  stream_read: seconds("Wait for the first byte of an answer; a local model gets 900 unless set"),
  stream_stale: seconds("Silence inside an answer; a local model gets 300 unless set"),
});

const terminal = z.object({
  backend: z.enum(TERMINAL_BACKENDS).describe("Where commands run"),
  cwd: text("Working directory; . is where hermes was started"),
  timeout: seconds("Default limit of one command"),
  lifetime_seconds: seconds("Idle time before an environment is closed"),
  persistent_shell: flag("Directory and exports survive between commands"),
  daemon_term_grace_seconds: seconds("Wait between SIGTERM and SIGKILL"),
  env_passthrough: words("Variables handed to commands by name"),
  shell_init_files: words("Files sourced before the first command"),
  sandbox: z.enum(SANDBOX_MODES).describe("Walls around commands on this machine"),
  network: text("What commands reach: on, off, loopback or hosts; empty is on, in read-only off"),
  sandbox_required: flag("Run no command where the walls cannot be raised"),
  sandbox_writable: words("More places that commands may change"),
  sandbox_hidden: words("More places that commands may not read"),
  sandbox_memory: count("Memory of one process behind the walls, MB; 0 is no limit"),
  sandbox_caches: z.enum(CACHE_MODES).describe("Package caches: the project's own, yours, none"),
  sandbox_dir: text("Where backends keep files; empty is sandboxes in the home"),
  container_cpu: z.number().min(0).describe("CPUs of a container; 0 is no limit"),
  container_memory: count("Memory of a container, MB; 0 is no limit"),
  container_disk: count("Disk of a container, MB; 0 is no limit"),
  container_persistent: flag("Keep a container's files between sessions"),
  docker_binary: text("Program for containers; empty looks for docker, then podman"),
  docker_image: text("Image for docker"),
  docker_user: text("User in the container; empty is one that is not root"),
  docker_read_only: flag("Make the container's root read-only"),
  docker_volumes: words("Volumes as source:target[:ro]"),
  docker_env: z.record(z.string(), z.string()).describe("Variables set in the container"),
  docker_forward_env: words("Variables forwarded by name"),
  docker_extra_args: words("More arguments of docker run"),
  docker_shm_size: text("Size of /dev/shm"),
  docker_network: flag("Network inside the container"),
  docker_mount_cwd_to_workspace: flag("Mount the working directory at /workspace"),
  docker_run_as_host_user: flag("Use the host's user id"),
  docker_persist_across_processes: flag("Reuse the container of an earlier run"),
  docker_orphan_reaper: flag("Remove containers a crash left behind"),
  docker_allow_host_access: flag("Allow settings that give a container the whole host"),
  ssh_host: text("Host for ssh"),
  ssh_user: text("User for ssh"),
  ssh_port: z.int().min(1).max(65_535).describe("Port for ssh"),
  ssh_key: text("Identity file for ssh"),
  ssh_jump: text("Hosts to go through, as for ssh -J"),
  ssh_config: text("Configuration file for ssh; empty is the user's own"),
  ssh_unknown_hosts: z.enum(SSH_UNKNOWN_HOSTS).describe("Hosts whose key is not known"),
  ssh_sync: words("Directories kept equal on the host, as local:remote"),
  singularity_image: text("Image for singularity or apptainer"),
  modal_image: text("Image for modal"),
  modal_mode: z.enum(["auto", "direct", "managed"]).describe("How modal is reached"),
  daytona_image: text("Image for daytona"),
});

const toolOutput = z.object({
  max_bytes: count("Command output kept, head and tail"),
  max_lines: count("Lines of a file shown at once"),
  max_line_length: count("Characters of a line shown"),
});

const toolBudget = z.object({
  result_size_chars: count("Result kept in context before it is spilled to a file"),
  turn_size_chars: count("All results of one turn"),
  preview_chars: count("Preview of a spilled result"),
});

const loopCounts = z.object({
  exact_failure: count("Same call failing"),
  same_tool_failure: count("Same tool failing"),
  idempotent_no_progress: count("Same call, same result"),
});

const guardrails = z.object({
  warnings_enabled: flag("Warn the model"),
  hard_stop_enabled: flag("Block the call"),
  warn_after: loopCounts,
  hard_stop_after: loopCounts,
  loop_caps: z.object({
    max_web_searches: count(
      "Searches of the web per turn, by whatever brings that tool; 0 is no limit",
    ),
    max_subagents: count(
      "Tasks handed to others per turn, by whatever brings that tool; 0 is no limit",
    ),
  }),
});

const codeExecution = z.object({
  timeout: seconds("Limit of one script"),
  max_tool_calls: count("Tool calls of one script"),
  max_stdout_bytes: count("Output kept"),
  max_stderr_bytes: count("Error output kept"),
  memory_mb: z.int().min(64).describe("Memory of a script, MB"),
});

const approvals = z.object({
  mode: z.enum(APPROVAL_MODES).describe(
    "manual asks, smart judges, off allows, ask-all asks always, plan only plans",
  ),
  headless: z.enum(APPROVAL_POLICIES).describe("The default of hermes run --approve"),
  timeout: seconds("Wait for an answer"),
  deny: words("Commands never run, as globs; no mode overrides them"),
  smart_policy: text("Your rules for the judging model"),
  denial_breaker_threshold: count("Refusals in a row before the model is told to stop"),
});

const hook = z.object({
  command: text("Program and arguments, run without a shell"),
  matcher: text("Regular expression on the tool's name").optional(),
  timeout: z.number().min(0).max(300).describe("Limit, seconds; default 60").optional(),
  fail_closed: flag("A failing pre_tool_call hook blocks the call").optional(),
});

const display = z.object({
  show_reasoning: flag("Show the model's reasoning in the chat"),
});

const anyEntry = z.record(z.string(), z.unknown());

export const ConfigSchema = z.object({
  model,
  providers: z.record(z.string(), provider).describe("Your own endpoints, by name"),
  fallback_providers: z.array(fallback).describe("Tried in order when the model fails"),
  auxiliary: z.record(z.string(), auxiliary).describe("Models for side tasks: approval"),
  agent,
  timeouts,
  toolsets: words("Toolsets offered to the model"),
  platform_toolsets: z.record(z.string(), z.array(z.string())).describe(
    "Toolsets by surface: run, chat",
  ),
  terminal,
  file_read_max_chars: count("Characters one read_file returns"),
  context_file_max_chars: count("Characters of a project file in the prompt; null adapts")
    .nullable(),
  tool_output: toolOutput,
  tool_budget: toolBudget,
  tool_loop_guardrails: guardrails,
  code_execution: codeExecution,
  approvals,
  command_allowlist: words("Rules and commands approved for good"),
  hooks: z.record(z.string(), z.array(hook)).describe("Shell hooks, by event"),
  hooks_auto_accept: flag("Run new hooks without asking"),
  plugins: z.object({
    enabled: words("Plugins to load"),
    disabled: words("Plugins never loaded"),
    entries: z.record(z.string(), anyEntry).describe("Settings by plugin"),
    http_port: z.int().min(0).max(65_535)
      .describe("Port of this machine at which plugins get HTTP requests; 0 is none"),
    http_hosts: words("Names under which a proxy or tunnel of yours passes such requests on"),
  }),
  security: z.object({
    redact_secrets: flag("Hide secrets in results, logs and events"),
    write_safe_root: text("File tools write only below these directories, split by colons"),
    protected_instruction_files: flag("Ask before files that instruct agents are changed"),
  }),
  display,
});

/** The whole configuration, defaults applied. */
export type Config = z.output<typeof ConfigSchema>;
