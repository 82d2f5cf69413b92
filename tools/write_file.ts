/** `write_file`: a whole file, checked first and written atomically. */
import { ToolError } from "../src/protocol/error.ts";
import type { InferSchema } from "../src/protocol/json_schema.ts";
import type { ToolContext, ToolResult } from "../src/protocol/tool.ts";
import { registry } from "../src/registry/registry.ts";
import { dirname } from "../src/util/path.ts";
import { displayPath, guardWrite, resolveTarget } from "./_paths.ts";
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
  summary: ({ path }) => `write ${path}`,
  handler: writeFile,
});

async function writeFile(
  args: InferSchema<typeof SCHEMA>,
  ctx: ToolContext,
): Promise<ToolResult> {
  const { content } = args;
  const target = await resolveTarget(ctx, args.path);
  await guardWrite(ctx, target, { tool: "write_file" });
  if (isReadOutput(content)) {
    throw new ToolError(
      "content is read_file output, not a file: send the text without line numbers.",
    );
  }
  const { files } = ctx.services;
  return await files.exclusive([target.real], async () => {
    const loaded = await loadForWrite(ctx, target, { replace: true });
    const stale = files.staleness(ctx.taskId, target.real, loaded.mtimeMs);
    await checkText({ ...loaded, text: undefined }, content);
    const parentExists = await ctx.env.stat(dirname(target.real)) !== undefined;
    const bytes = await commitText(ctx, { loaded, text: content });
    const lint = await lintWritten(ctx, { path: target.path, text: content, before: loaded.text });
    const warning = [target.warning, stale].filter(Boolean).join(" ");
    return {
      bytes_written: bytes,
      dirs_created: !parentExists,
      verified: true,
      files_modified: [displayPath(ctx, target.path)],
      resolved_path: target.real,
      ...(lint === undefined ? {} : { lint }),
      ...(warning === "" ? {} : { _warning: warning }),
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
