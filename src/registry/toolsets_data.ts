/** Every static toolset of this build as data: named groups of tools, composites, presets of surfaces. */

export interface ToolsetSpec {
  description: string;
  tools: readonly string[];
  includes?: readonly string[];
  /** A whole way of working: disabling it removes only what the core list does not have. */
  posture?: boolean;
}

const FILE = ["read_file", "write_file", "patch", "search_files"];
const TERMINAL = ["terminal", "process"];

/** What every interactive surface offers, as far as each tool is available. */
export const CORE_TOOLS: readonly string[] = [
  ...TERMINAL,
  ...FILE,
  "todo",
  "clarify",
  "execute_code",
];

function single(tool: string, description: string): ToolsetSpec {
  return { description, tools: [tool] };
}

export const TOOLSETS: Readonly<Record<string, ToolsetSpec>> = {
  terminal: { description: "Run commands and background processes", tools: TERMINAL },
  file: { description: "Read, write, patch and search files", tools: FILE },
  "code_execution": single("execute_code", "Run scripts that call tools"),
  todo: single("todo", "Keep a task list"),
  clarify: single("clarify", "Ask the person a question"),

  debugging: { description: "Commands and files", tools: TERMINAL, includes: ["file"] },
  coding: { description: "Software work", tools: CORE_TOOLS, posture: true },

  "hermes-cli": { description: "Preset of the chat", tools: CORE_TOOLS },
  "hermes-run": {
    description: "Preset of headless runs: nobody to ask",
    tools: CORE_TOOLS.filter((tool) => tool !== "clarify"),
  },
};

/** Names of earlier releases, still accepted. */
export const LEGACY_TOOLSETS: Readonly<Record<string, readonly string[]>> = {
  "terminal_tools": ["terminal"],
  "file_tools": FILE,
};
