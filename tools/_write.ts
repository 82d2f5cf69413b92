/**
 * The one way a file tool changes a file: load what is there, decide, write whole and
 * atomically, read it back, remember it. Keeps encoding, byte order mark and line endings.
 */
import { ToolError } from "../src/protocol/error.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { extname } from "../src/util/path.ts";
import { OFFICE_EXTENSIONS } from "./_binary_data.ts";
import type { OpenCheck, Target } from "./_paths.ts";
import { dataSyntaxError, syntaxRefusal } from "./_syntax.ts";
import { decodeText, encodeText, PLAIN_TEXT, type TextFormat } from "./_text_format.ts";

const MAX_EDIT_BYTES = 50 << 20;

/** A file before it is changed. */
export interface Loaded {
  target: Target;
  /** Undefined when there is no such file yet. */
  text: string | undefined;
  format: TextFormat;
  bytes: Uint8Array | undefined;
  mtimeMs: number | undefined;
}

/** What is there now. Throws when it is not a text file that can be written back. */
export async function loadForWrite(
  ctx: ToolContext,
  target: Target,
  options: { replace: boolean; check?: OpenCheck },
): Promise<Loaded> {
  const ending = extname(target.path).slice(1).toLowerCase();
  const info = await ctx.env.stat(target.real);
  if (OFFICE_EXTENSIONS.has(ending) || (ending === "pdf" && info !== undefined)) {
    throw new ToolError(
      `${target.path} is a binary document; make it with a program in the terminal.`,
    );
  }
  if (info === undefined) {
    return { target, text: undefined, format: PLAIN_TEXT, bytes: undefined, mtimeMs: undefined };
  }
  if (info.kind !== "file") throw new ToolError(`${target.path} is a ${info.kind}, not a file.`);
  const whole = { target, format: PLAIN_TEXT, mtimeMs: info.mtimeMs };
  if (info.size > MAX_EDIT_BYTES) {
    if (options.replace) return { ...whole, text: "", bytes: undefined };
    throw new ToolError(`${target.path} is too large to edit (${info.size} bytes); use sed.`);
  }
  const { check } = options;
  const bytes = await ctx.env.readFile(target.real, {
    signal: ctx.signal,
    ...(check === undefined ? {} : { check }),
  });
  const decoded = decodeText(bytes);
  if (decoded === undefined) {
    if (options.replace) return { ...whole, text: "", bytes };
    throw new ToolError(`${target.path} is not UTF-8 text; edit it in the terminal.`);
  }
  return { ...whole, ...decoded, bytes };
}

/** Throws when the new text must not be written, before anything is touched. */
export async function checkText(loaded: Loaded, text: string): Promise<void> {
  const { path } = loaded.target;
  if (!text.isWellFormed()) {
    throw new ToolError("The text contains half of a surrogate pair; send valid Unicode.");
  }
  const problem = await dataSyntaxError(path, text);
  if (typeof problem !== "string") return;
  // An edit may repair a broken file step by step.
  if (loaded.text && typeof await dataSyntaxError(path, loaded.text) === "string") return;
  throw new ToolError(syntaxRefusal(path, problem));
}

/**
 * Writes where the path's symlinks lead, reads back, notes the write. Returns how many bytes the
 * file has now. A link that appears in the path meanwhile is not followed.
 * @throws ToolError when the file reads back different.
 */
export async function commitText(
  ctx: ToolContext,
  change: { loaded: Loaded; text: string },
): Promise<number> {
  const { target, format } = change.loaded;
  const bytes = encodeText(change.text, format);
  await ctx.env.writeFile(target.real, bytes, { exact: true, signal: ctx.signal });
  const back = await ctx.env.readFile(target.real, { signal: ctx.signal });
  if (!equalBytes(bytes, back)) {
    throw new ToolError(`${target.path} reads back different from what was written; check it.`);
  }
  const info = await ctx.env.stat(target.real);
  ctx.services.files.noteWrite(ctx.taskId, target.real, info?.mtimeMs ?? 0);
  return bytes.length;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
