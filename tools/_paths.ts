/**
 * From the path a model wrote to the file meant: resolution, guards before reading or
 * writing, and what to suggest when nothing is there. Reads no content.
 */
import type { FileInfo, OpenedFile } from "../src/protocol/environment.ts";
import { ToolError } from "../src/protocol/error.ts";
import type { SandboxPolicy } from "../src/protocol/sandbox.ts";
import type { ApprovalAsk, ToolContext } from "../src/protocol/tool.ts";
import { errorResult } from "../src/protocol/tool_result.ts";
import { editDistance } from "../src/util/nearest.ts";
import { basename, dirname, isAbsolute, isWithin, relativePath } from "../src/util/path.ts";
import { allNames, linkedSecrets, protectedPlaces } from "./_file_names.ts";
import { isDevicePath, strictest, writeApproval, writeRefusal } from "./_protected_paths.ts";
import { outsideReason, readingRefusal, wallsOf, writingRefusal } from "./_walls.ts";

const MAX_SIMILAR = 5;
/** Names of a directory that are compared at all; a larger one would take too long. */
const MAX_COMPARED = 2_000;

/** A path as given and as it is. */
export interface Target {
  /** Absolute, symlinks kept. */
  path: string;
  /** Absolute, symlinks resolved: the name under which state is kept. */
  real: string;
  /** A relative path that leaves the working directory. */
  warning?: string;
}

/** The absolute file behind a path argument. */
export async function resolveTarget(ctx: ToolContext, given: string): Promise<Target> {
  if (given.trim() === "") throw new ToolError("path is empty; name a file.");
  if (given.includes("\0")) throw new ToolError("path contains a NUL character.");
  const path = ctx.env.resolve(given, ctx.taskId);
  const real = await ctx.env.realPath(path);
  const cwd = ctx.env.cwd(ctx.taskId);
  const leaves = !isAbsolute(given) && !given.startsWith("~") && !isWithin(path, cwd);
  if (!leaves) return { path, real };
  return { path, real, warning: `${given} is outside the working directory: ${path}` };
}

/** Judges an open file before it is read; see `ReadOptions.check`. */
export type OpenCheck = (opened: OpenedFile) => void;

/** What reading a file takes: the yeses it needs, and the check for opening what was judged. */
export interface ReadGuard {
  asks: ApprovalAsk[];
  check: OpenCheck;
}

/** What reading the file takes. @throws ToolError when it may not be shown to the model at all. */
export async function guardRead(
  ctx: ToolContext,
  target: Target,
  options: { tool: string },
): Promise<ReadGuard> {
  const places = await protectedPlaces(ctx);
  const names = allNames(ctx, target, places);
  const device = names.find(isDevicePath);
  if (device !== undefined) {
    throw new ToolError(`${device} is a device or process file that cannot be read.`);
  }
  const found = strictest(names, "read", places);
  if (found?.verdict.read === "refuse") throw credentialError(found.path);
  const walls = await wallsOf(ctx);
  const closed = walls && readingRefusal(walls, names);
  // Results too long for the context are kept in hermes' own home, for the model to read.
  if (closed !== undefined && !await ctx.services.spill.holds?.(target.real)) {
    throw new ToolError(closed);
  }
  const before = ctx.env.identify?.([target.real])[0];
  if (before !== undefined && before.links > 1 && before.kind === "file") {
    const nearby = [ctx.env.cwd(ctx.taskId), dirname(target.real)];
    const secrets = await linkedSecrets(ctx, places, nearby);
    if (secrets.has(before.id)) throw credentialError(target.path);
  }
  const asks = found === undefined ? [] : [fileAsk({
    tool: options.tool,
    refusal: "Read refused",
    path: found.path,
    request: {
      rule: found.verdict.rule,
      description: found.verdict.description,
      allowAlways: false,
      onceOnly: true,
    },
  })];
  return {
    asks,
    check(opened) {
      const swapped = opened.id !== before?.id && opened.links > 1;
      if (swapped || opened.path() !== target.real) {
        throw new ToolError(`${target.path} led to another file while it was opened; try again.`);
      }
    },
  };
}

function credentialError(path: string): ToolError {
  return new ToolError(
    `${path} holds credentials and is not readable; ask the user for the one fact you need.`,
  );
}

/** The yeses that writing the file takes. @throws ToolError when it may not be written at all. */
export async function guardWrite(
  ctx: ToolContext,
  target: Target,
  options: { tool: string },
): Promise<ApprovalAsk[]> {
  const places = await protectedPlaces(ctx);
  const names = allNames(ctx, target, places);
  const refusal = writeRefusal([target.path, target.real], { places, safeRoots: safeRoots(ctx) }) ??
    writeRefusal(names, { places, safeRoots: [] });
  if (refusal !== undefined) throw new ToolError(`Write refused: ${refusal}`);
  const walls = await wallsOf(ctx);
  const closed = walls && writingRefusal(walls, { real: target.real, names });
  if (closed !== undefined) throw new ToolError(`Write refused: ${closed}`);
  const asks = walls === undefined ? [] : outsideAsks(walls, { target, tool: options.tool });
  const needed = writeApproval(names, places);
  if (needed === undefined) return asks;
  const unguarded = ctx.config("security.protected_instruction_files") === false;
  if (unguarded && needed.rule === "instruction_file_write") return asks;
  const { path, ...request } = needed;
  return [...asks, fileAsk({ tool: options.tool, refusal: "Write refused", path, request })];
}

/** A yes to this very file, where the walls let commands change nothing. */
function outsideAsks(
  walls: SandboxPolicy,
  { target: { real }, tool }: { target: Target; tool: string },
): ApprovalAsk[] {
  const reason = outsideReason(walls, real);
  if (reason === undefined) return [];
  return [{
    grant: { kind: "path-write", value: real, reason: `${tool} ${real}` },
    denied: (outcome) => errorResult(`Write refused: ${reason} ${outcome.reason ?? ""}`.trimEnd()),
  }];
}

function fileAsk(
  { tool, refusal, path, request }: {
    tool: string;
    refusal: string;
    path: string;
    request: { rule: string; description: string; allowAlways: boolean; onceOnly?: boolean };
  },
): ApprovalAsk {
  return {
    action: { subject: `${tool} ${path}`, ...request },
    denied(outcome) {
      const reason = outcome.reason ?? `It ${request.description} and was not approved.`;
      return errorResult(`${refusal}: ${path}. ${reason}`);
    },
  };
}

/** When not empty, nothing outside these directories may be written. */
function safeRoots(ctx: ToolContext): string[] {
  const roots = ctx.config("security.write_safe_root");
  const list = Array.isArray(roots) ? roots : typeof roots === "string" ? roots.split(":") : [];
  return list.filter((root) => typeof root === "string" && root !== "")
    .map((root) => ctx.env.resolve(root, ctx.taskId));
}

/** A path as the model should write it: relative below the working directory. */
export function displayPath(ctx: ToolContext, path: string): string {
  const cwd = ctx.env.cwd(ctx.taskId);
  return isWithin(path, cwd) ? relativePath(cwd, path) : path;
}

/** Facts of an existing regular file. Throws with suggestions or the reason when it is none. */
export async function statFile(ctx: ToolContext, target: Target): Promise<FileInfo> {
  const info = await ctx.env.stat(target.real);
  if (info === undefined) throw await notFound(ctx, target.path);
  if (info.kind === "directory") {
    throw new ToolError(
      `${target.path} is a directory; list it with search_files (target "files").`,
    );
  }
  if (info.kind !== "file") {
    throw new ToolError(`${target.path} is not a regular file (pipe, socket or device).`, {
      success: false,
    });
  }
  return info;
}

/** `File not found` with the nearest names of its directory. */
export async function notFound(ctx: ToolContext, path: string): Promise<ToolError> {
  const similar = await similarFiles(ctx, path);
  return new ToolError(
    `File not found: ${path}`,
    similar.length > 0 ? { similar_files: similar } : {},
  );
}

/** Siblings whose names come closest, best first. */
export async function similarFiles(ctx: ToolContext, path: string): Promise<string[]> {
  const directory = dirname(path);
  const wanted = basename(path).toLowerCase();
  const furthest = Math.max(2, wanted.length / 3);
  return (await siblings(ctx, directory)).slice(0, MAX_COMPARED)
    .map((name) => ({ name, score: nameDistance(wanted, name.toLowerCase()) }))
    .filter(({ score }) => score <= furthest)
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SIMILAR)
    .map(({ name }) => displayPath(ctx, `${directory === "/" ? "" : directory}/${name}`));
}

/** The sibling whose name only looks different: composed accents, odd spaces, curly quotes. */
export async function lookAlike(ctx: ToolContext, path: string): Promise<string | undefined> {
  const directory = dirname(path);
  const wanted = foldName(basename(path));
  const found = (await siblings(ctx, directory)).filter((name) => foldName(name) === wanted);
  return found.length === 1 ? `${directory}/${found[0]}` : undefined;
}

async function siblings(ctx: ToolContext, directory: string): Promise<string[]> {
  const info = await ctx.env.stat(directory);
  if (info?.kind !== "directory") return [];
  return (await ctx.env.list(directory)).map((entry) => entry.name);
}

/** 0 for the same stem, 1 when one name contains the other, else the edits between them. */
function nameDistance(a: string, b: string): number {
  const [stemA, stemB] = [a, b].map((name) => name.replace(/(?<=.)\.[^.]*$/, ""));
  if (stemA === stemB) return 0;
  if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a))) return 1;
  return editDistance(a, b);
}

function foldName(name: string): string {
  return name.normalize("NFC").replace(/[\u00a0\u2000-\u200a\u202f]/g, " ")
    .replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"');
}
