/**
 * The generated `hermes_tools` module, in JavaScript and in Python: one documented function per
 * callable tool, whose `full` gives `{content, details, isError}`, and three helpers. Pure text
 * from tool definitions.
 */
import type { ToolDefinition } from "../../protocol/provider.ts";
import { functionName, type Parameter, parametersOf, typeText } from "./signature.ts";

const SCRIPT_TOOL = `const \$tool = (name) =>
  Object.assign((args) => call(name, args), { full: (args) => call(name, args, true) });
`;

const SCRIPT_HELPERS = String.raw`
/** JSON.parse that tolerates a byte order mark and raw control characters in strings. */
export function jsonParse(text) {
  try {
    return JSON.parse(text);
  } catch {
    const escaped = (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");
    const strings = /"(?:[^"\\]|\\[^])*"/g;
    return JSON.parse(text.replace(/^\ufeff/, "").replace(strings, (s) => s.replace(/[\0-\x1f]/g, escaped)));
  }
}
/** One word that a POSIX shell reads back unchanged. */
export function shellQuote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + String(word).replaceAll("'", "'\\''") + "'";
}
/** Calls fn until it neither throws nor answers { error }; waits twice as long each time. */
export async function retry(fn, { attempts = 3, delayMs = 1000 } = {}) {
  for (let left = attempts - 1;; left--, delayMs *= 2) {
    try {
      const result = await fn();
      if (left <= 0 || !result?.error) return result;
    } catch (error) {
      if (left <= 0) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}
`;

const PYTHON_HELPERS = String.raw`
def json_parse(text):
    """json.loads that tolerates a byte order mark and raw control characters in strings."""
    import json
    return json.loads(text.lstrip("\ufeff"), strict=False)

def shell_quote(word):
    """One word that a POSIX shell reads back unchanged."""
    import shlex
    return shlex.quote(str(word))

def retry(fn, max_attempts=3, delay=1):
    """Calls fn until it neither raises nor answers {"error": ...}; waits twice as long each time."""
    import time
    for left in range(max_attempts - 1, -1, -1):
        try:
            result = fn()
            if left == 0 or not (isinstance(result, dict) and result.get("error")):
                return result
        except Exception:
            if left == 0:
                raise
        time.sleep(delay)
        delay *= 2

jsonParse, shellQuote = json_parse, shell_quote

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(_refusals.get(name) or f"Unknown tool: {name}. Available: {_available}")
`;

/** Names every stub exports beside the tools. */
export const HELPERS: readonly string[] = ["jsonParse", "shellQuote", "retry"];

/** First sentence of a description, safe inside a comment or docstring. */
function summary(tool: ToolDefinition): string {
  const [first] = tool.description.split(/(?<=\.)\s|\n/, 1);
  return first!.replaceAll("*/", "* /").replaceAll('"""', "'''").replaceAll("\\", "/");
}

/** The module a script imports. `Symbol.for("hermes.call")` is there only while it is evaluated. */
export function scriptStub(tools: readonly ToolDefinition[]): string {
  const functions = tools.map((tool) => {
    const fields = parametersOf(tool).map((one) =>
      ` * @param {${typeText(one.schema)}} args.${one.name}${one.required ? "" : " (optional)"}\n`
    );
    const doc = `/**\n * ${summary(tool)}\n${fields.join("").replaceAll("*/", "* /")} */`;
    const name = JSON.stringify(tool.name);
    return `${doc}\nexport const ${functionName(tool.name)} = $tool(${name});\n`;
  });
  return `const call = globalThis[Symbol.for("hermes.call")];\n${SCRIPT_TOOL}${
    functions.join("")
  }${SCRIPT_HELPERS}`;
}

/** The module a Python script imports. `_call` is set in its namespace beforehand. */
export function pythonStub(
  tools: readonly ToolDefinition[],
  refusals: Readonly<Record<string, string>>,
): string {
  const functions = tools.map((tool) => {
    const parameters = parametersOf(tool);
    const signature = parameters.map(pythonParameter).join(", ");
    const pairs = parameters.map((one) => `${JSON.stringify(one.name)}: ${functionName(one.name)}`);
    const name = functionName(tool.name);
    const call = `_invoke(${JSON.stringify(tool.name)}, {${pairs.join(", ")}}`;
    return `def ${name}(${signature}):\n    """${summary(tool)}"""\n    return ${call})\n` +
      `def _full(${signature}):\n    return ${call}, True)\n${name}.full = _full\n`;
  });
  const available = tools.map((tool) => functionName(tool.name)).join(", ") || "none";
  return [
    `_available = ${JSON.stringify(available)}`,
    `_refusals = ${JSON.stringify(refusals)}`,
    "def _invoke(name, arguments, full=False):",
    "    return _call(name, {k: v for k, v in arguments.items() if v is not None}, full)",
    ...functions,
    PYTHON_HELPERS,
  ].join("\n");
}

function pythonParameter(parameter: Parameter): string {
  return `${functionName(parameter.name)}${parameter.required ? "" : "=None"}`;
}
