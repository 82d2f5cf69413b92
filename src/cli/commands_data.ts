/** Every command of `hermes`, as data. Help, completion and parsing are made from this table. */
import type { CommandSpec, FlagSpec } from "./command.ts";

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

export const COMMANDS: readonly CommandSpec[] = [
  { name: "run", summary: "Do one job without a terminal and print the answer" },
  { name: "chat", summary: "Talk to the agent in this terminal" },
  { name: "sessions", summary: "List, show, search and manage saved sessions" },
  {
    name: "config",
    summary: "Show and change the configuration",
  },
  { name: "model", summary: "Show or choose the model" },
  { name: "doctor", summary: "Check this installation and say what to fix" },
  { name: "schema", summary: "Print a published JSON Schema" },
  { name: "tools", summary: "Show and choose the tools the model may use" },
  { name: "approvals", summary: "Ask how a command would be judged" },
  { name: "hooks", summary: "List and test the configured shell hooks" },
  { name: "completion", summary: "Print a completion script for your shell" },
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
