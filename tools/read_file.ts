/** `read_file`: a page of a text file with line numbers; says what else a file is and how to go on. */
import { ToolError } from "../src/protocol/error.ts";
import type { FileInfo } from "../src/protocol/environment.ts";
import type { ApprovalPlan, Approved, ToolContext } from "../src/protocol/tool.ts";
import type { ReadDetails } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import { registry } from "../src/registry/registry.ts";
import { shellQuote } from "../src/util/shell_quote.ts";
import { extractDocument } from "./_documents.ts";
import {
  type ByteSource,
  bytesSource,
  type LineWindow,
  readWindow,
  textSource,
} from "./_line_window.ts";
import { OWN_COMMAND } from "./_own_command.ts";
import {
  guardRead,
  lookAlike,
  type OpenCheck,
  resolveTarget,
  statFile,
  type Target,
} from "./_paths.ts";
import { beginning, counted } from "./_preview.ts";
import { binaryKind, SNIFF_BYTES, sniffText, splitLines } from "./_text_format.ts";

const DEFAULT_LIMIT = 2000;
const MAX_UTF16_BYTES = 10 << 20;
const LARGE_BYTES = 512_000;
const MAX_UNSIZED_BYTES = 1 << 20;
const PREVIEW_CHARS = 2000;

registry.register({
  name: "read_file",
  toolset: "file",
  description: "Read a text file as `LINE|TEXT` rows. Use this, not cat/head/tail. Large files " +
    "come in pages: follow next_offset, or find the place with search_files first.",
  schema: {
    type: "object",
    properties: {
      path: { type: "string" },
      offset: { type: "integer", description: "first line, from 1", default: 1 },
      limit: { type: "integer", description: "lines, at most 2000", default: 2000 },
    },
    required: ["path"],
  },
  emoji: "📖",
  parallel: "paths",
  paths: ({ path }) => [{ path, write: false }],
  idempotent: true,
  // Pages are limited here; a page spilled to a file would have to be read back.
  maxResultChars: 1_000_000,
  summary: ({ path }) => path,
  // Other programs count the lines of large files and read documents.
  effects: ["execute"],
  approval: approveRead,
  handler: readFile,
  view: {
    line: ({ details: { lines, totalLines, unchanged } }) =>
      unchanged
        ? "unchanged"
        : totalLines === undefined || totalLines === lines
        ? counted(lines, "line")
        : `${lines} of ${counted(totalLines, "line")}`,
    expanded: ({ details: { preview } }) =>
      preview === "" ? [] : [{ kind: "output", text: preview }],
  },
});

interface Request {
  offset: number;
  limit: number;
}

interface ReadArgs {
  path: string;
  offset?: number;
  limit?: number;
}

/** The file that was judged. */
interface ReadPlan {
  target: Target;
  check: OpenCheck;
  notes: string[];
}

async function approveRead(args: ReadArgs, ctx: ToolContext): Promise<ApprovalPlan<ReadPlan>> {
  const target = await resolveTarget(ctx, args.path);
  const { asks, check } = await guardRead(ctx, target, { tool: "read_file" });
  const notes: string[] = target.warning === undefined ? [] : [target.warning];
  const plan = { target, check, notes };
  if (await ctx.env.stat(target.real) !== undefined) return { asks, plan };
  const other = await lookAlike(ctx, target.path);
  if (other === undefined) return { asks, plan };
  const meant = await resolveTarget(ctx, other);
  const guard = await guardRead(ctx, meant, { tool: "read_file" });
  notes.push(`Read ${other}: its name differs only in look-alike characters.`);
  return {
    asks: [...asks, ...guard.asks],
    plan: { target: meant, check: guard.check, notes },
  };
}

async function readFile(
  args: ReadArgs,
  ctx: ToolContext,
  { plan: { target, check, notes } }: Approved<ReadPlan>,
): Promise<ToolResult<ReadDetails>> {
  const maxLines = setting(ctx, "tool_output.max_lines", DEFAULT_LIMIT);
  const request: Request = {
    offset: Math.max(1, Math.trunc(args.offset ?? 1)),
    limit: Math.min(maxLines, Math.max(1, Math.trunc(args.limit ?? maxLines))),
  };
  const info = await statFile(ctx, target);
  const unchanged = unchangedReply(ctx, { target, info }, request);
  if (unchanged !== undefined) return unchanged;
  const result = await readContent(ctx, { target, info, check }, request);
  const partial = result.truncated === true || request.offset > 1;
  ctx.services.files.noteRead(ctx.taskId, target.real, info.mtimeMs, partial);
  return {
    content: notes.length === 0 ? result : { ...result, _warning: notes.join(" ") },
    details: {
      kind: "read",
      path: target.path,
      firstLine: request.offset,
      lines: splitLines(result.content).length,
      ...(result.total_lines === undefined ? {} : { totalLines: result.total_lines }),
      bytes: info.size,
      preview: beginning(result.content, PREVIEW_CHARS),
    },
  };
}

/** The short answer to a read whose content the model was given before; undefined the first time. */
function unchangedReply(
  ctx: ToolContext,
  file: { target: Target; info: FileInfo },
  request: Request,
): ToolResult<ReadDetails> | undefined {
  const { target, info } = file;
  // A script's reads never entered the context, and without a time there is no telling.
  if (ctx.sandbox || info.mtimeMs === 0) return undefined;
  const shown = ctx.services.files.noteShown(ctx.taskId, target.real, {
    key: `${request.offset}:${request.limit}`,
    version: `${info.mtimeMs}:${info.size}`,
  });
  if (shown === 0) return undefined;
  if (shown > 1) {
    throw new ToolError(
      `${target.path} has not changed since it was read; its content is in an earlier result.`,
      { already_read: shown },
    );
  }
  const message = "Unchanged since the earlier read_file result; use that one.";
  const { path } = target;
  return {
    content: { status: "unchanged", message, path, dedup: true, content_returned: false },
    details: {
      kind: "read",
      path,
      firstLine: request.offset,
      lines: 0,
      bytes: info.size,
      preview: "",
      unchanged: true,
    },
  };
}

/** A page as the model reads it; the keys that are looked at here are typed. */
interface Page {
  content: string;
  truncated: boolean;
  "total_lines"?: number;
  hint?: string;
  [key: string]: unknown;
}

/** A file that may be read, as it was when it was judged. */
interface Readable {
  target: Target;
  info: FileInfo;
  check: OpenCheck;
}

async function readContent(
  ctx: ToolContext,
  file: Readable,
  request: Request,
): Promise<Page> {
  const { path, real } = file.target;
  const { size } = file.info;
  const document = await extractDocument(ctx, { path: real, size, check: file.check });
  if (document !== undefined) {
    const page = await readPage(ctx, path, { source: textSource(document), request });
    return { ...page, file_size: size, extracted_document: true };
  }
  const kind = binaryKind(path);
  if (kind === "image") return imageReply(ctx, size);
  if (kind !== undefined) throw binaryError(path, kind, size);
  const source = await fileSource(ctx, file);
  const sniffed = sniffText(await source.read(0, SNIFF_BYTES));
  if (sniffed.kind === "binary") {
    if (sniffed.type.endsWith("image")) return imageReply(ctx, size);
    throw binaryError(path, sniffed.type, size);
  }
  if (sniffed.encoding === "utf-8") {
    return await readPage(ctx, path, { source, request, skipBytes: sniffed.bomBytes });
  }
  if (size > MAX_UTF16_BYTES) throw binaryError(path, sniffed.encoding.toUpperCase(), size);
  const bytes = (await source.read(0, size)).subarray(sniffed.bomBytes);
  const text = new TextDecoder(sniffed.encoding).decode(bytes);
  const page = await readPage(ctx, path, { source: textSource(text), request });
  const hint = [page.hint, `Stored as ${sniffed.encoding.toUpperCase()}.`].filter(Boolean);
  return { ...page, file_size: size, hint: hint.join(" ") };
}

/** The file by ranges. Files of the kernel say size 0 and still have content: those are read at once. */
async function fileSource(ctx: ToolContext, file: Readable): Promise<ByteSource> {
  const { env, signal } = ctx;
  const { target: { real }, info: { size }, check } = file;
  if (size > 0) {
    return { size, read: (start, length) => env.readFile(real, { start, length, check, signal }) };
  }
  return bytesSource(await env.readFile(real, { length: MAX_UNSIZED_BYTES, check, signal }));
}

async function readPage(
  ctx: ToolContext,
  path: string,
  options: { source: ByteSource; request: Request; skipBytes?: number },
): Promise<Page> {
  const { source, request, skipBytes = 0 } = options;
  const maxLineChars = setting(ctx, "tool_output.max_line_length", 2000);
  const window = await readWindow(source, {
    ...request,
    maxLineChars,
    maxChars: setting(ctx, "file_read_max_chars", 100_000),
    skipBytes,
    redact: ctx.redact,
  });
  const truncated = window.nextOffset !== undefined;
  const totalLines = window.totalLines ?? await countLines(ctx, path);
  const hint = pageHint(path, window, { totalLines, maxLineChars, offset: request.offset });
  const large = truncated && source.size > LARGE_BYTES && request.limit > 200;
  return {
    content: window.content,
    ...(totalLines === undefined ? {} : { total_lines: totalLines }),
    file_size: source.size,
    truncated,
    is_binary: false,
    is_image: false,
    ...(truncated ? { next_offset: window.nextOffset, truncated_by: window.truncatedBy } : {}),
    ...(hint === "" ? {} : { hint }),
    ...(large ? { _hint: "Large file: search_files finds the place to read." } : {}),
  };
}

function pageHint(
  path: string,
  window: LineWindow,
  options: { totalLines: number | undefined; maxLineChars: number; offset: number },
): string {
  const { totalLines, maxLineChars, offset } = options;
  const hints: string[] = [];
  if (totalLines === 0) hints.push("The file is empty.");
  else if (window.content === "" && window.nextOffset === undefined) {
    hints.push(`Line ${offset} is past the end: the file has ${totalLines ?? "fewer"} lines.`);
  }
  if (window.nextOffset !== undefined) {
    const of = totalLines === undefined ? "" : ` of ${totalLines} lines`;
    hints.push(`More${of}: go on with offset=${window.nextOffset}.`);
  }
  const cut = window.cutLines[0];
  if (cut !== undefined) {
    const rest = `sed -n ${cut}p ${shellQuote(path)} | cut -c${maxLineChars + 1}-`;
    hints.push(`Lines over ${maxLineChars} characters are cut; the rest of one: ${rest}`);
  }
  return hints.join(" ");
}

/** Lines of a file too large to count here; undefined where `wc` cannot tell. */
async function countLines(ctx: ToolContext, path: string): Promise<number | undefined> {
  const command = `wc -l < ${shellQuote(path)}`;
  const result = await ctx.env.exec(command, {
    ...OWN_COMMAND,
    timeoutMs: 10_000,
    signal: ctx.signal,
  });
  const lines = Number.parseInt(result.output, 10);
  return result.exitCode === 0 && Number.isInteger(lines) ? lines : undefined;
}

function imageReply(ctx: ToolContext, size: number): Page {
  const hint = ctx.sessionTools.includes("vision_analyze")
    ? "An image: look at it with vision_analyze."
    : "An image: there is no text to read.";
  return {
    content: "",
    total_lines: 0,
    file_size: size,
    truncated: false,
    is_binary: true,
    is_image: true,
    hint,
  };
}

function binaryError(path: string, type: string, size: number): ToolError {
  const ways: Record<string, string> = {
    "not UTF-8": "convert it in the terminal (iconv -f LATIN1 -t UTF-8)",
    document: "convert it in the terminal (pdftotext, pandoc, soffice --convert-to txt)",
  };
  const way = ways[type] ?? "inspect it in the terminal (file, xxd, strings)";
  return new ToolError(`${path} is not readable as text (${type}, ${size} bytes); ${way}.`, {
    is_binary: true,
    file_size: size,
  });
}

function setting(ctx: ToolContext, path: string, fallback: number): number {
  const value = ctx.config(path);
  return typeof value === "number" && value > 0 ? Math.trunc(value) : fallback;
}
