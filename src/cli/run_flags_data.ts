/** Flags of `hermes run`, and the ones `hermes chat` shares with it. */
import { SANDBOX_MODES } from "../protocol/sandbox.ts";
import type { FlagSpec } from "./command.ts";

const CWD_FLAG: FlagSpec = {
  name: "cwd",
  short: "C",
  type: "string",
  value: "DIR",
  help: "Work in this directory",
};

const WALL_FLAGS: readonly FlagSpec[] = [
  {
    name: "sandbox",
    type: "string",
    value: "MODE",
    choices: SANDBOX_MODES,
    help: "What commands and file tools may change here: nothing, the work, or all",
  },
  {
    name: "network",
    type: "string",
    value: "WHAT",
    help: "What commands reach: on, off, loopback, or HOST,…",
  },
];

/** Flags for the directory and the walls, which `hermes sandbox` takes. */
export const SANDBOX_FLAGS: readonly FlagSpec[] = [CWD_FLAG, ...WALL_FLAGS];

/** Which model, which tools, where, what is allowed. */
export const SESSION_FLAGS: readonly FlagSpec[] = [
  { name: "model", short: "m", type: "string", value: "MODEL", help: "Model, or PROVIDER/MODEL" },
  { name: "provider", type: "string", value: "NAME", help: "Provider of the model" },
  { name: "base-url", type: "string", value: "URL", help: "Any OpenAI-compatible endpoint" },
  {
    name: "toolsets",
    short: "t",
    type: "list",
    value: "A,B",
    help: "Offer only these toolsets or tools",
  },
  {
    name: "disable-toolsets",
    type: "list",
    value: "A,B",
    help: "Take these toolsets or tools away",
  },
  CWD_FLAG,
  {
    name: "env",
    type: "string",
    value: "NAME",
    help: "Where commands run: local, docker[:IMAGE], ssh[:USER@HOST], …",
  },
  ...WALL_FLAGS,
  { name: "max-turns", type: "number", value: "N", help: "Model calls per request at most" },
  {
    name: "max-tokens",
    type: "number",
    value: "N",
    help: "Tokens in all at most (input and output)",
  },
  {
    name: "max-cost",
    type: "number",
    value: "USD",
    help: "Dollars at most, where the price is known",
  },
  {
    name: "approve",
    type: "string",
    value: "POLICY",
    choices: ["never", "ask", "smart", "always", "ask-all", "plan"],
    help: "Actions that need a yes: refuse, ask, let a model judge, allow; ask-all asks about " +
      "every command and write, plan changes nothing",
  },
  {
    name: "approve-once",
    type: "list",
    value: "ID",
    help: "Allow the action of this id, one time: exit code 3 names it",
  },
  { name: "yolo", type: "boolean", help: "Same as --approve always; hard limits still hold" },
  {
    name: "plugin",
    type: "list",
    value: "PATH|URL",
    help: "Use this plugin in this run; headless, pin a URL: URL#sha256=…",
  },
  { name: "accept-plugins", type: "boolean", help: "Use plugins from unpinned URLs" },
  { name: "accept-hooks", type: "boolean", help: "Run configured shell hooks without asking" },
  {
    name: "resume",
    short: "r",
    type: "string",
    value: "ID",
    help: "Go on with a session: id or latest",
  },
  {
    name: "continue",
    short: "c",
    type: "boolean",
    help: "Go on with the latest session of this directory",
  },
  {
    name: "system",
    type: "string",
    value: "TEXT",
    help: "More instructions for the system prompt",
  },
  { name: "no-session", type: "boolean", help: "Keep nothing on disk" },
];

export const RUN_FLAGS: readonly FlagSpec[] = [
  {
    name: "prompt-file",
    short: "f",
    type: "string",
    value: "FILE",
    help: "Read the prompt from a file",
  },
  ...SESSION_FLAGS,
  { name: "timeout", type: "string", value: "TIME", help: "Stop after this long: 90, 90s, 5m, 1h" },
  {
    name: "json",
    type: "boolean",
    help: "Print every event as one JSON line (see: hermes schema events)",
  },
  {
    name: "output-schema",
    type: "string",
    value: "FILE",
    help: "The answer must be JSON that fits this schema",
  },
  {
    name: "output-last-message",
    short: "o",
    type: "string",
    value: "FILE",
    help: "Write the answer to a file as well",
  },
  { name: "image", type: "list", value: "FILE", help: "Show the model an image" },
  {
    name: "record",
    type: "string",
    value: "FILE",
    help: "Write what the model was asked and answered",
  },
  {
    name: "replay",
    type: "string",
    value: "FILE",
    help: "Play such a recording back instead of asking a model",
  },
  { name: "quiet", short: "q", type: "boolean", help: "No progress on standard error" },
];
