/** How hermes' own command line is used: which forms only look, and which words are its alone. */

/** Files and programs that are hermes by their name. */
export const HERMES_NAME = /^hermes(?:[-_.@](?:agent|cli|portable|bin|v?\d|linux|darwin)[\w.-]*)?$/;

/** Its entry point, from source and unpacked. */
export const HERMES_MAIN = /(?:^|\/)main\.[jt]s$/;

/**
 * Forms that only look, as `command subcommand`; `*` stands for any subcommand, an empty one for
 * none. Everything else changes what hermes trusts, or runs something.
 */
export const READ_ONLY: ReadonlySet<string> = new Set(
  [
    "",
    "help *",
    "version *",
    "doctor *",
    "schema *",
    "completion *",
    "sessions ",
    "sessions list",
    "sessions show",
    "sessions search",
    "sessions stats",
    "config ",
    "config list",
    "config get",
    "config path",
    "config check",
    "model ",
    "tools ",
    "tools list",
    "tools info",
    "approvals ",
    "approvals check",
    "approvals rules",
    "approvals list",
    "env ",
    "env list",
    "hooks ",
    "hooks list",
    "plugins ",
    "plugins list",
    "plugins info",
    "plugins audit",
    "gateway status",
    "gateway list",
    "gateway logs",
  ],
);

/** Commands that start an agent: they look only as long as no flag makes it freer. */
export const AGENTS: ReadonlySet<string> = new Set(["run", "chat"]);

/**
 * Flags of an agent that leave the rules, the settings, the model's address and every file as they
 * are. Whatever is not here loads code, writes a file, or makes the agent freer.
 */
export const AGENT_SWITCHES: ReadonlySet<string> = new Set(
  "continue json no-color no-session quiet verbose".split(" "),
);

/** Flags of the agent that take a value; `approve` is judged by its value. */
export const AGENT_VALUES: ReadonlySet<string> = new Set(
  ("cwd disable-toolsets image max-cost max-tokens max-turns model output-schema prompt-file " +
    "provider resume timeout toolsets").split(" "),
);

/** Their letters that take a value. */
export const AGENT_LETTERS = "Cfmrt";

/** Variables that decide which home, address or certificates an agent goes by. */
export const GOVERNING =
  /^(?:HOME|_?HERMES_\w+|(?:DENO|NODE|LD|DYLD|SSL|XDG)_\w+|\w*(?:BASE_URL|API_BASE|API_URL|ENDPOINT|_HOST|_API_KEY)|(?:https?|all|no)_proxy)$/i;

/** Variables before an agent's name that change nothing but how text looks. */
export const TAME_VARIABLE =
  /^(?:NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|TERM|COLORTERM|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ|CI)$/;

/** Programs that start another one which their arguments name. */
export const LAUNCHERS =
  /^(?:deno|node|nodejs|bun|tsx|npx|bunx|npm|pnpm|yarn|python[\d.]*|uv|uvx|pipx|make|just|task|sh|bash|dash|zsh|ksh|fish|ld\.so|ld-.*|qemu-.*|wine|open|xdg-open|go|cargo)$/;

/** Pairs of words that no other program takes: `config set approvals.mode`. */
export const OWN_SETTING =
  /^(?:(?:approvals|hooks|plugins|security|auxiliary|delegation|terminal|agent|model|providers|fallback_providers|platform_toolsets|mcp_servers|code_execution|tool_output|tool_budget|tool_loop_guardrails|timeouts|display)(?:\.|$)|command_allowlist|hooks_auto_accept|toolsets|HERMES_\w+|\w+_API_KEY$|SUDO_PASSWORD$)/;

export const OWN_FORMS: ReadonlySet<string> = new Set(
  [
    "hooks approve",
    "hooks revoke",
    "hooks test",
    "plugins install",
    "plugins update",
    "plugins enable",
    "plugins disable",
    "plugins remove",
    "plugins trust",
    "plugins dev",
    "plugin install",
    "plugin enable",
    "plugin trust",
    "tools enable",
    "tools disable",
    "approvals forget",
    "sessions delete",
    "sessions prune",
    "sessions import",
    "profile create",
    "profile use",
    "profile set",
  ],
);

/** Programs with forms of the same words that are none of hermes' business. */
export const OTHERS: ReadonlySet<string> = new Set(
  ("git pip pip3 poetry gcloud kubectl brew conda helm docker podman vagrant aws az heroku fly wp cap " +
    "composer bundle gem cargo go rustup flutter dart ionic expo ng nx vue gatsby strapi eslint jenkins code codium cursor claude " +
    "elasticsearch-plugin rabbitmq-plugins logstash-plugin kibana-plugin grafana-cli grafana asdf mise fisher omf zsh tmux vim " +
    "echo printf grep rg sed awk cat man less tee ls test [ : true false read export declare local mkdir touch")
    .split(" "),
);
