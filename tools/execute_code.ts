/**
 * The `execute_code` tool: one script instead of many turns. Decides what a script may call and
 * what the model reads about it; the sandbox runs it, and its calls take the way of all calls.
 */
import { HermesError, ToolError } from "../src/protocol/error.ts";
import type { InferSchema, JsonSchema } from "../src/protocol/json_schema.ts";
import type { ToolDefinition } from "../src/protocol/provider.ts";
import type { CheckContext, SchemaContext, ToolContext, ToolFacts } from "../src/protocol/tool.ts";
import type { ScriptDetails } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import { registry } from "../src/registry/registry.ts";
import { callableTools } from "../src/sandbox/walls/allow_list.ts";
import type {
  Sandbox,
  SandboxAvailability,
  ScriptLimits,
  ScriptProgress,
  ScriptRequest,
  ScriptResult,
} from "../src/protocol/script.ts";
import { scriptSignature } from "../src/sandbox/script/signature.ts";
import { VERSION } from "../src/util/version.ts";
import { beginning, counted, firstLine, joined, outputPreview } from "./_preview.ts";

const LANGUAGES = ["typescript", "javascript", "python"] as const;
/** A line of progress at most this often. */
const PROGRESS_MS = 1000;

/** Far beyond what anybody writes; reading more would hold everything else up for seconds. */
const MAX_CODE_CHARS = 500_000;

const SCHEMA = {
  type: "object",
  properties: {
    code: { type: "string" },
    language: { type: "string", enum: LANGUAGES, description: "default typescript" },
    session: { type: "string", description: "name; its later scripts see the same variables" },
  },
  required: ["code"],
} as const satisfies JsonSchema;

/** What a script finds in a result, where the parameters do not tell. */
const RESULTS: Readonly<Record<string, string>> = {
  "read_file": "{ content: 'N|line' rows, total_lines }",
  "write_file": "{ bytes_written }",
  patch: "{ success, diff }",
  "search_files": "{ total_count, matches: { path, line, content }[] or files: string[] }",
  terminal: "{ output, exit_code }",
};

/** What the check of a build found: a dynamic schema may not look at the machine itself. */
const found = new WeakMap<CheckContext, SandboxAvailability>();

registry.register({
  name: "execute_code",
  toolset: "code_execution",
  description: "Run a script that calls tools; only what it prints comes back.",
  schema: SCHEMA,
  emoji: "🐍",
  timeoutMs: 0,
  check: checkSandbox,
  dynamicSchema: describe,
  summary: ({ code }) => `script of ${counted(code.split("\n").length, "line")}`,
  effects: ["execute"],
  // A script reaches nothing but tools, and each of its calls is approved like any other.
  approval: () => ({ asks: [], plan: undefined }),
  handler: runCode,
  view: {
    line: ({ details: { status, toolCalls, output, errors } }) =>
      joined(
        status === "success" ? undefined : status,
        counted(toolCalls, "call"),
        status === "success" ? output && firstLine(output) : lastLine(errors),
      ),
    expanded: ({ args, details: { output, errors } }) => [
      { kind: "output", text: beginning(args.code) },
      ...(output === "" ? [] : [{ kind: "output" as const, text: output }]),
      ...(errors === "" ? [] : [{ kind: "output" as const, text: errors, isError: true }]),
    ],
  },
});

/** Of a stack the message comes first, of a Python trace last: whatever says most. */
function lastLine(errors: string): string {
  const lines = errors.trim().split("\n");
  const told = lines.find((line) => /^(?:Uncaught )?\w*(?:Error|Exception)\b/.test(line));
  return told ?? lines.at(-1) ?? "";
}

async function checkSandbox(ctx: CheckContext): Promise<boolean | string> {
  const searchPath = ctx.env("PATH") ?? "";
  // Running a script looks again; the schema may live with what was true a moment ago.
  const support = await ctx.recall<SandboxAvailability>(
    "sandbox",
    `${VERSION} ${ctx.kernel} ${searchPath}`,
    async () => (await import("../src/sandbox/sandbox_probe.ts")).probeSandbox({ searchPath }),
  );
  found.set(ctx, support);
  return support.script.available || support.script.reason;
}

function describe(ctx: SchemaContext): Partial<ToolDefinition> {
  const support = found.get(ctx.checks);
  const python = support?.python.available === true;
  const names = callableTools(ctx.tools, grants(ctx));
  const signatures = names.map((name) => {
    const result = RESULTS[name];
    return `${scriptSignature(ctx.definitions.get(name)!)}${result ? ` → ${result}` : ""}`;
  });
  const { timeoutMs, maxToolCalls, maxStdoutBytes } = limits(ctx);
  const description = [
    "Run a script that calls tools: one turn instead of many. For 3 or more calls with logic " +
    "between them, loops, or large results to filter; only what it prints comes back.",
    `Import from "hermes_tools" (top-level await works${
      python ? "; Python: keyword arguments, no await" : ""
    }). Each takes one object and returns the parsed result, { error } when it failed:`,
    ...signatures,
    `Helpers: jsonParse(text), shellQuote(word), retry(fn). No files, network, processes or ` +
    `packages but through these. At most ${timeoutMs / 1000} s, ${maxToolCalls} calls, ` +
    `${Math.round(maxStdoutBytes / 1000)} KB printed.`,
  ].join("\n");
  return { description, parameters: python ? SCHEMA : withoutPython(support) };
}

function withoutPython(support: SandboxAvailability | undefined): JsonSchema {
  const { language } = SCHEMA.properties;
  const why = support === undefined ? "" : `; no python: ${support.python.reason}`;
  return {
    ...SCHEMA,
    properties: {
      ...SCHEMA.properties,
      language: {
        ...language,
        enum: LANGUAGES.filter((name) => name !== "python"),
        description: `${language.description}${why}`,
      },
    },
  };
}

async function runCode(
  args: InferSchema<typeof SCHEMA>,
  ctx: ToolContext,
): Promise<ToolResult<ScriptDetails>> {
  const { sandbox } = ctx.services;
  if (sandbox === undefined) throw new ToolError("Scripts cannot run here: there is no sandbox");
  if (args.code.trim() === "") throw new ToolError("code is empty: write the script to run");
  if (args.code.length > MAX_CODE_CHARS) {
    throw new ToolError(
      `code has ${args.code.length} characters, a script may have ${MAX_CODE_CHARS}: ` +
        "write data to files and read them in the script",
    );
  }
  const { language = "typescript", session } = args;
  const available = sandbox.availability();
  const needed = language === "python" ? available.python : available.script;
  if (!needed.available) throw new ToolError(`No ${language} here: ${needed.reason}`);
  const callable = callableTools(ctx.sessionTools, grants(ctx));
  const result = await runIn(sandbox, {
    code: args.code,
    language,
    ...(session ? { session } : {}),
    tools: callable.flatMap((name) => definitionOf(ctx.toolFacts(name))),
    otherTools: ctx.sessionTools.filter((name) => !callable.includes(name)),
    limits: limits(ctx),
    signal: ctx.signal,
    callTool: (name, callArgs, signal) => ctx.callTool(name, callArgs, { sandbox: true, signal }),
    onProgress: progressReporter(ctx),
  });
  return {
    content: {
      status: result.status,
      output: result.output,
      errors: result.errors,
      tool_calls_made: result.callsMade,
      duration_seconds: Math.round(result.durationMs / 10) / 100,
    },
    details: {
      kind: "script",
      status: result.status,
      output: outputPreview(result.output, ctx),
      errors: outputPreview(result.errors, ctx),
      toolCalls: result.callsMade,
    },
    isError: result.status !== "success",
  };
}

/** A sandbox that fails to start is told to the model in one line. */
async function runIn(sandbox: Sandbox, request: ScriptRequest): Promise<ScriptResult> {
  try {
    return await sandbox.run(request);
  } catch (error) {
    if (error instanceof HermesError) throw new ToolError(error.message);
    throw error;
  }
}

/** Nothing for a tool whose provider has gone. */
function definitionOf(facts: ToolFacts | undefined): ToolDefinition[] {
  if (facts === undefined) return [];
  const { name, description, schema } = facts;
  return [{ name, description, parameters: schema }];
}

interface Configured {
  config(path: string): unknown;
}

function grants(ctx: Configured): string[] {
  const granted = ctx.config("code_execution.mcp_tools");
  return Array.isArray(granted) ? granted.map(String) : [];
}

function limits(ctx: Configured): ScriptLimits {
  const number = (key: string, fallback: number) => {
    const value = Number(ctx.config(`code_execution.${key}`));
    return value > 0 ? value : fallback;
  };
  return {
    timeoutMs: number("timeout", 300) * 1000,
    maxToolCalls: number("max_tool_calls", 50),
    maxStdoutBytes: number("max_stdout_bytes", 50_000),
    maxStderrBytes: number("max_stderr_bytes", 10_000),
    memoryMb: number("memory_mb", 512),
  };
}

/** `3/7 calls, 12 s`, when something changed and not too often. */
function progressReporter(ctx: ToolContext): (progress: ScriptProgress) => void {
  let shownAtMs = -Infinity;
  return ({ callsFinished, callsStarted, elapsedMs }) => {
    if (elapsedMs - shownAtMs < PROGRESS_MS) return;
    shownAtMs = elapsedMs;
    ctx.progress(`${callsFinished}/${callsStarted} calls, ${Math.round(elapsedMs / 1000)} s`);
  };
}
