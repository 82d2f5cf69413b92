/** Every command of `hermes`, as data. Help, completion and parsing are made from this table. */
import type { CommandSpec, FlagSpec } from "./command.ts";
import { RUN_FLAGS, SANDBOX_FLAGS, SESSION_FLAGS } from "./run_flags_data.ts";

/** Accepted by every command, in any position before `--`. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  {
    name: "profile",
    short: "p",
    type: "string",
    value: "NAME",
    help: "Use the home of another profile",
  },
  { name: "verbose", type: "boolean", help: "Show diagnostics and stack traces" },
  { name: "no-color", type: "boolean", help: "Never colour the output" },
  { name: "help", short: "h", type: "boolean", help: "Show help" },
  { name: "version", short: "V", type: "boolean", help: "Print the version" },
];

const JSON_FLAG: FlagSpec = { name: "json", type: "boolean", help: "Print JSON" };

/** What `hermes` without a command runs on a terminal. */
export const DEFAULT_COMMAND = "chat";

const CONFIG_LIST_FLAGS: readonly FlagSpec[] = [
  { name: "all", type: "boolean", help: "Print the defaults too" },
  JSON_FLAG,
];

const SESSION_LIMIT_FLAG: FlagSpec = {
  name: "limit",
  short: "n",
  type: "number",
  value: "N",
  help: "Print at most N (20)",
};
const SESSION_SOURCE_FLAG: FlagSpec = {
  name: "source",
  type: "string",
  value: "NAME",
  help: "Only sessions begun by this surface: run, chat",
};
const SESSION_LIST_FLAGS: readonly FlagSpec[] = [
  SESSION_LIMIT_FLAG,
  SESSION_SOURCE_FLAG,
  { name: "here", type: "boolean", help: "Only sessions of the current directory" },
  JSON_FLAG,
];
const YES_FLAG: FlagSpec = {
  name: "yes",
  short: "y",
  type: "boolean",
  help: "Do not ask for confirmation",
};

function loadSchema() {
  return import("./commands/schema.ts");
}

function loadApprovals() {
  return import("./commands/approvals/approvals.ts");
}

function loadCompletion() {
  return import("./commands/completion.ts");
}

function loadSessions() {
  return import("./commands/sessions/sessions.ts");
}

function loadConfig() {
  return import("./commands/config/config.ts");
}

function loadConfigChange() {
  return import("./commands/config/change.ts");
}

function loadTools() {
  return import("./commands/tools/tools.ts");
}

function loadEnv() {
  return import("./commands/env/env.ts");
}

function loadSandbox() {
  return import("./commands/sandbox/sandbox.ts");
}

function loadHooks() {
  return import("./commands/hooks.ts");
}

function loadPlugins() {
  return import("./commands/plugins/plugins.ts");
}

function loadPluginsInstall() {
  return import("./commands/plugins/install.ts");
}

function loadPluginsDev() {
  return import("./commands/plugins/dev.ts");
}

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    summary: "Do one job without a terminal and print the answer",
    args: "[PROMPT|-]",
    flags: RUN_FLAGS,
    examples: [
      'hermes run "Fix the failing test"',
      'git diff | hermes run "Review this"',
      "hermes run -f task.md --json --max-turns 20",
      'hermes run --resume latest "and now the docs"',
    ],
    load: () => import("./commands/run/run.ts"),
  },
  {
    name: "chat",
    summary: "Talk to the agent in this terminal",
    flags: SESSION_FLAGS,
    load: () => import("./commands/chat.ts"),
  },
  {
    name: "sessions",
    summary: "List, show, search and manage saved sessions",
    flags: SESSION_LIST_FLAGS,
    load: loadSessions,
    subcommands: [
      {
        name: "list",
        summary: "Print sessions, the one used last first",
        flags: SESSION_LIST_FLAGS,
        load: loadSessions,
      },
      {
        name: "show",
        summary: "Print a whole session",
        args: "SESSION",
        flags: [JSON_FLAG],
        examples: ["hermes sessions show latest"],
        load: loadSessions,
      },
      {
        name: "search",
        summary: "Find messages, the newest first",
        args: "QUERY...",
        flags: [
          SESSION_LIMIT_FLAG,
          {
            name: "role",
            type: "string",
            value: "ROLE",
            choices: ["user", "assistant", "tool"],
            help: "Only messages of this role",
          },
          { name: "session", type: "string", value: "SESSION", help: "Only in this session" },
          JSON_FLAG,
        ],
        examples: [
          `hermes sessions search 'docker "exit code" OR signal -test'`,
          "hermes sessions search --role user 機械学習",
        ],
        load: loadSessions,
      },
      {
        name: "export",
        summary: "Write sessions as JSON lines; all of them when none is named",
        args: "[SESSION...]",
        flags: [{
          name: "output",
          short: "o",
          type: "string",
          value: "FILE",
          help: "Write to FILE instead of standard output",
        }],
        examples: ["hermes sessions export latest > session.jsonl"],
        load: loadSessions,
      },
      {
        name: "import",
        summary: "Add exported sessions; what is already there stays as it is",
        args: "FILE|-",
        load: loadSessions,
      },
      {
        name: "rename",
        summary: "Give a session a title",
        args: "SESSION TITLE...",
        load: loadSessions,
      },
      {
        name: "delete",
        summary: "Delete sessions for good",
        args: "SESSION...",
        flags: [YES_FLAG],
        load: loadSessions,
      },
      {
        name: "prune",
        summary: "Delete sessions not used for a long time, and images nobody refers to",
        flags: [
          {
            name: "older-than",
            type: "number",
            value: "DAYS",
            help: "Last used more than DAYS ago (90)",
          },
          SESSION_SOURCE_FLAG,
          { name: "dry-run", type: "boolean", help: "Only print what would be deleted" },
          YES_FLAG,
        ],
        load: loadSessions,
      },
      {
        name: "stats",
        summary: "Count sessions, messages, tokens and bytes",
        flags: [JSON_FLAG],
        load: loadSessions,
      },
    ],
  },
  {
    name: "config",
    summary: "Show and change the configuration",
    flags: CONFIG_LIST_FLAGS,
    load: loadConfig,
    subcommands: [
      {
        name: "list",
        summary: "Print the settings that differ from their defaults",
        flags: CONFIG_LIST_FLAGS,
        load: loadConfig,
      },
      {
        name: "get",
        summary: "Print one setting; secrets stay hidden",
        args: "KEY",
        flags: [JSON_FLAG],
        load: loadConfig,
      },
      {
        name: "set",
        summary: "Change one setting, or a variable in .env; - reads standard input",
        args: "KEY VALUE",
        load: loadConfigChange,
      },
      {
        name: "unset",
        summary: "Go back to the default",
        args: "KEY",
        load: loadConfigChange,
      },
      {
        name: "path",
        summary: "Print where config.yaml is",
        flags: [{ name: "env", type: "boolean", help: "Print where .env is" }],
        load: loadConfig,
      },
      {
        name: "edit",
        summary: "Open config.yaml in your editor and check it",
        load: loadConfigChange,
      },
      {
        name: "check",
        summary: "Say what is wrong in config.yaml, or named there and missing",
        load: loadConfigChange,
      },
    ],
    examples: [
      "hermes config set model.default anthropic/claude-sonnet-4.5",
      "hermes config set OPENROUTER_API_KEY -",
      "hermes config get terminal.backend",
    ],
  },
  {
    name: "model",
    summary: "Show which model answers and why, or choose another",
    args: "[NAME]",
    flags: [
      { name: "provider", type: "string", value: "NAME", help: "Provider of the model, or auto" },
      JSON_FLAG,
    ],
    examples: ["hermes model", "hermes model gpt-5.1 --provider openai"],
    load: () => import("./commands/model/model.ts"),
  },
  {
    name: "doctor",
    summary: "Check this installation and say what to fix",
    flags: [JSON_FLAG],
    load: () => import("./commands/doctor/doctor.ts"),
  },
  {
    name: "schema",
    summary: "Print a published JSON Schema",
    subcommands: [
      { name: "events", summary: "The lines of hermes run --json", load: loadSchema },
      { name: "config", summary: "The keys of config.yaml", load: loadSchema },
    ],
  },
  {
    name: "tools",
    summary: "Show and choose the tools the model may use",
    flags: [JSON_FLAG],
    load: loadTools,
    subcommands: [
      {
        name: "list",
        summary: "Print every tool: offered, or why not, and its share of the prompt",
        flags: [JSON_FLAG],
        load: loadTools,
      },
      {
        name: "info",
        summary: "Print what the model reads about a tool, or what a toolset holds",
        args: "NAME",
        flags: [JSON_FLAG],
        load: loadTools,
      },
      {
        name: "enable",
        summary: "Offer toolsets or tools from now on",
        args: "NAME...",
        load: loadTools,
      },
      {
        name: "disable",
        summary: "Never offer toolsets or tools from now on",
        args: "NAME...",
        load: loadTools,
      },
    ],
    examples: ["hermes tools info terminal", "hermes tools disable web"],
  },
  {
    name: "approvals",
    summary: "Ask how a command would be judged, and keep the allowlist",
    subcommands: [
      {
        name: "check",
        summary: "Print the decision on a command as JSON; - reads one command a line",
        args: "CMD|-",
        load: loadApprovals,
      },
      {
        name: "rules",
        summary: "Print every rule",
        flags: [JSON_FLAG, {
          name: "verify",
          type: "boolean",
          help: "Check every rule against its own examples",
        }],
        load: loadApprovals,
      },
      {
        name: "list",
        summary: "Print what is allowed for good, where and since when",
        flags: [JSON_FLAG],
        load: loadApprovals,
      },
      {
        name: "allow",
        summary: "Allow a command, or all that a rule is about, for good",
        args: "CMD|RULE",
        load: loadApprovals,
      },
      {
        name: "forget",
        summary: "Take back what is allowed for good",
        args: "ID|CMD|RULE",
        load: loadApprovals,
      },
    ],
    examples: [
      'hermes approvals check "rm -rf build"',
      "hermes approvals check - < commands.txt",
      'hermes approvals allow "rm -rf node_modules"',
      "hermes approvals list",
      'hermes approvals forget "recursive delete"',
    ],
  },
  {
    name: "env",
    summary: "Show where commands can run, open a shell there, tidy up",
    flags: [JSON_FLAG],
    load: loadEnv,
    subcommands: [
      {
        name: "list",
        summary: "Print every environment and why it cannot be used",
        flags: [JSON_FLAG],
        load: loadEnv,
      },
      {
        name: "check",
        summary: "Open an environment, run a command in it and close it",
        args: "NAME",
        load: loadEnv,
      },
      {
        name: "shell",
        summary: "Open a shell in an environment",
        args: "NAME",
        load: loadEnv,
      },
      {
        name: "clean",
        summary: "Remove containers, processes and files that nobody uses any more",
        args: "[NAME]",
        load: loadEnv,
      },
    ],
    examples: ["hermes env check docker", "hermes env shell docker", "hermes env clean"],
  },
  {
    name: "sandbox",
    summary: "Show what commands may do behind the walls, run one there",
    subcommands: [
      {
        name: "run",
        summary: "Run a command behind the walls, on this terminal",
        args: "CMD [ARG...]",
        takesProgram: true,
        flags: SANDBOX_FLAGS,
        load: loadSandbox,
      },
      {
        name: "explain",
        summary: "Print what commands may read, change and reach in this directory",
        flags: [
          ...SANDBOX_FLAGS,
          JSON_FLAG,
          {
            name: "macos-profile",
            type: "boolean",
            help:
              "Print the policy as a profile for sandbox-exec of macOS, which hermes does not apply",
          },
        ],
        load: loadSandbox,
      },
    ],
    examples: [
      "hermes sandbox explain",
      "hermes sandbox explain --sandbox read-only --json",
      "hermes sandbox run -- make test",
      "hermes sandbox run --network off -- npm test",
    ],
  },
  {
    name: "hooks",
    summary: "List, test and approve the configured shell hooks",
    flags: [JSON_FLAG],
    load: loadHooks,
    subcommands: [
      {
        name: "list",
        summary: "Print every configured hook and whether it may run",
        flags: [JSON_FLAG],
        load: loadHooks,
      },
      {
        name: "test",
        summary: "Run the hooks of an event with a sample payload",
        args: "EVENT",
        flags: [
          { name: "for-tool", type: "string", value: "NAME", help: "Pretend this tool is called" },
          { name: "payload-file", type: "string", value: "FILE", help: "JSON to send instead" },
          JSON_FLAG,
        ],
        load: loadHooks,
      },
      {
        name: "approve",
        summary: "Let hooks run: these commands, or all that are configured",
        args: "[COMMAND...]",
        load: loadHooks,
      },
      {
        name: "revoke",
        summary: "Take the consent back",
        args: "COMMAND...",
        load: loadHooks,
      },
    ],
    examples: [
      "hermes hooks test pre_tool_call --for-tool terminal",
      "hermes hooks approve",
    ],
  },
  {
    name: "plugins",
    aliases: ["plugin"],
    summary: "Find, install, check and write plugins",
    flags: [JSON_FLAG],
    load: loadPlugins,
    subcommands: [
      {
        name: "list",
        summary: "Print every plugin there is and whether it is enabled",
        flags: [JSON_FLAG],
        load: loadPlugins,
      },
      {
        name: "info",
        summary: "Print what a plugin may do and what it brings",
        args: "NAME",
        flags: [JSON_FLAG],
        load: loadPlugins,
      },
      {
        name: "install",
        summary: "Fetch a plugin from an address, show it, and pin it after a yes",
        args: "URL",
        flags: [YES_FLAG, {
          name: "enable",
          type: "boolean",
          help: "Enable it as well; --no-enable only installs it",
        }],
        load: loadPluginsInstall,
      },
      {
        name: "update",
        summary: "Show what has changed at the address, and pin that after a yes",
        args: "[NAME...]",
        flags: [YES_FLAG],
        load: loadPluginsInstall,
      },
      {
        name: "enable",
        summary: "Load plugins from now on",
        args: "NAME...",
        flags: [{
          name: "allow-tool-override",
          type: "boolean",
          help: "Let them replace tools of others",
        }, {
          name: "from",
          type: "string",
          value: "PLACE",
          help: "Which one, where several have the name: user, bundled or url",
        }],
        load: loadPlugins,
      },
      {
        name: "disable",
        summary: "Do not load plugins any more",
        args: "NAME...",
        load: loadPlugins,
      },
      {
        name: "remove",
        aliases: ["uninstall"],
        summary: "Delete plugins and what they have stored",
        args: "NAME...",
        flags: [YES_FLAG],
        load: loadPlugins,
      },
      {
        name: "audit",
        summary: "Check that every plugin is what somebody said yes to; say what each may do",
        flags: [JSON_FLAG],
        load: loadPlugins,
      },
      {
        name: "trust",
        summary: "Trust the plugins of this project as they are now",
        args: "[NAME...]",
        flags: [YES_FLAG, { name: "revoke", type: "boolean", help: "Take the trust back" }],
        load: loadPlugins,
      },
      {
        name: "create",
        summary: "Write a new plugin with a test into a folder of that name",
        args: "NAME",
        load: loadPluginsDev,
      },
      {
        name: "dev",
        summary: "Load a plugin and load it again whenever its files change",
        args: "PATH",
        load: loadPluginsDev,
      },
      {
        name: "test",
        summary: "Run the tests of a plugin",
        args: "PATH",
        load: loadPluginsDev,
      },
    ],
    examples: [
      "hermes plugins create weather",
      "hermes plugins install https://example.com/weather/mod.ts",
      "hermes plugins enable calculator",
    ],
  },
  {
    name: "completion",
    summary: "Print a completion script for your shell",
    subcommands: [
      { name: "bash", summary: "source <(hermes completion bash)", load: loadCompletion },
      { name: "zsh", summary: "source <(hermes completion zsh)", load: loadCompletion },
      { name: "fish", summary: "hermes completion fish | source", load: loadCompletion },
    ],
  },
  {
    name: "update",
    summary: "Replace this executable by the newest release",
    flags: [
      { name: "check", type: "boolean", help: "Only say whether there is a newer one" },
      { name: "to", type: "string", value: "VERSION", help: "Take this version, older ones too" },
      { name: "rollback", type: "boolean", help: "Go back to the version of before" },
      { name: "from", type: "string", value: "URL", help: "Where releases are published" },
      JSON_FLAG,
    ],
    examples: ["hermes update --check", "hermes update", "hermes update --rollback"],
    load: () => import("./commands/update/update.ts"),
  },
  {
    name: "help",
    summary: "Show help for a command",
    args: "[COMMAND...]",
    load: () => import("./commands/help.ts"),
  },
  {
    name: "version",
    summary: "Print the version",
    flags: [JSON_FLAG],
    load: () => import("./commands/version.ts"),
  },
];
