/** `write_file`: a whole file, checked first and written atomically. */
import { ToolError } from "../src/protocol/error.ts";
import type { InferSchema } from "../src/protocol/json_schema.ts";
import type { ApprovalPlan, Approved, ToolContext } from "../src/protocol/tool.ts";
import type { EditDetails } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import { registry } from "../src/registry/registry.ts";
import { dirname } from "../src/util/path.ts";
import { lintProblems } from "./_edit_view.ts";
import { displayPath, guardWrite, resolveTarget, type Target } from "./_paths.ts";
import { beginning, counted, joined } from "./_preview.ts";
import { lintWritten } from "./_syntax.ts";
import { splitLines } from "./_text_format.ts";
import { checkText, commitText, loadForWrite } from "./_write.ts";

const SCHEMA = {
  type: "object",
  properties: {
    path: { type: "string" },
    content: { type: "string" },
  },
  required: ["path", "content"],
} as const;

type WriteArgs = InferSchema<typeof SCHEMA>;

registry.register({
  name: "write_file",
  toolset: "file",
  description:
    "Create or overwrite a whole text file; missing directories are made. Use this, not " +
    "echo or heredocs; to change part of a file use patch. Invalid JSON, YAML or TOML is refused.",
  schema: SCHEMA,
  emoji: "✍️",
  parallel: "paths",
  paths: ({ path }) => [{ path, write: true }],
  summary: ({ path }) => path,
  // A checker looks at what was written.
  effects: ["write", "execute"],
  approval: approveWrite,
  handler: writeFile,
  view: {
    line: ({ details: { files: [file], problems } }) =>
      joined(file?.change, counted(file?.added ?? 0, "line"), problems[0] && "does not parse"),
    expanded: ({ args, details: { problems } }) => [
      { kind: "output", text: beginning(args.content) },
      ...problems.map((text) => ({ kind: "output" as const, text, isError: true })),
    ],
  },
});

async function approveWrite(args: WriteArgs, ctx: ToolContext): Promise<ApprovalPlan<Target>> {
  const target = await resolveTarget(ctx, args.path);
  const asks = await guardWrite(ctx, target, { tool: "write_file" });
  if (isReadOutput(args.content)) {
    throw new ToolError(
      "content is read_file output, not a file: send the text without line numbers.",
    );
  }
  return { asks, plan: target };
}

async function writeFile(
  { content }: WriteArgs,
  ctx: ToolContext,
  { plan: target }: Approved<Target>,
): Promise<ToolResult<EditDetails>> {
  const { files } = ctx.services;
  return await files.exclusive([target.real], async () => {
    const loaded = await loadForWrite(ctx, target, { replace: true });
    const stale = files.staleness(ctx.taskId, target.real, loaded.mtimeMs);
    await checkText({ ...loaded, text: undefined }, content);
    const parentExists = await ctx.env.stat(dirname(target.real)) !== undefined;
    const bytes = await commitText(ctx, { loaded, text: content });
    const lint = await lintWritten(ctx, { path: target.path, text: content, before: loaded.text });
    const warning = [target.warning, stale].filter(Boolean).join(" ");
    const name = displayPath(ctx, target.path);
    return {
      content: {
        bytes_written: bytes,
        dirs_created: !parentExists,
        verified: true,
        files_modified: [name],
        resolved_path: target.real,
        ...(lint === undefined ? {} : { lint }),
        ...(warning === "" ? {} : { _warning: warning }),
      },
      details: {
        kind: "edit",
        files: [{
          path: name,
          change: loaded.mtimeMs === undefined ? "created" : "modified",
          added: splitLines(content).length,
          removed: loaded.text === undefined ? 0 : splitLines(loaded.text).length,
        }],
        diff: "",
        problems: lintProblems(lint),
      },
    };
  });
}

/** Text copied from a read_file result: its notice, or consecutive `N|` rows for most lines. */
function isReadOutput(content: string): boolean {
  if (/^\s*Unchanged since the earlier read_file result/.test(content)) return true;
  const lines = splitLines(content);
  const numbers = lines.map((line) => /^(\d+)\|/.exec(line)?.[1]).filter((n) => n !== undefined)
    .map(Number);
  if (numbers.length < 2 || numbers.length < lines.length * 0.6) return false;
  return numbers.every((n, i) => i === 0 || n === numbers[i - 1]! + 1);
}
