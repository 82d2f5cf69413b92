/** `patch`: one passage replaced, found even when quoted inexactly, or a V4A patch over several files. */
import { ToolError } from "../src/protocol/error.ts";
import type { InferSchema } from "../src/protocol/json_schema.ts";
import type { PathUse, ToolContext, ToolResult } from "../src/protocol/tool.ts";
import { registry } from "../src/registry/registry.ts";
import { replacePassage } from "../src/util/fuzzy_replace.ts";
import { nearestPassages } from "../src/util/nearest_passage.ts";
import { unifiedDiff } from "../src/util/unified_diff.ts";
import { parsePatch, type PatchOperation, patchPaths } from "../src/util/v4a_patch.ts";
import { applyChanges, type FileChange, type GuardedTarget, planPatch } from "./_patch_files.ts";
import { displayPath, guardRead, guardWrite, notFound, resolveTarget, statFile } from "./_paths.ts";
import { type Lint, lintWritten } from "./_syntax.ts";
import { checkText, commitText, loadForWrite } from "./_write.ts";

const MAX_DIFF_CHARS = 12_000;

const SCHEMA = {
  type: "object",
  properties: {
    mode: { type: "string", enum: ["replace", "patch"], default: "replace" },
    path: { type: "string" },
    old_string: { type: "string", description: "unique passage, with lines around it if needed" },
    new_string: { type: "string", description: "empty deletes" },
    replace_all: { type: "boolean" },
    patch: {
      type: "string",
      description: "*** Update File: p\n@@ near @@\n context\n-old\n+new\n" +
        "also *** Add File: p, *** Delete File: p, *** Move File: a -> b",
    },
  },
} as const;

type PatchArgs = InferSchema<typeof SCHEMA>;

registry.register({
  name: "patch",
  toolset: "file",
  description: "Edit files. mode replace: put new_string for old_string in path; small slips in " +
    "spacing are forgiven. mode patch: a V4A patch over several files, all or nothing. Use this, " +
    "not sed. Returns a diff.",
  schema: SCHEMA,
  // A diff shows lines without the rest of their file, so a key is known by its look alone.
  redaction: () => "code",
  emoji: "🔧",
  parallel: "paths",
  paths: patchUses,
  summary: (args) => `patch ${patchUses(args).map(({ path }) => path).join(", ")}`,
  handler: patch,
});

function patchUses(args: PatchArgs): PathUse[] {
  const paths = args.mode === "patch" ? patchPaths(args.patch ?? "") : [args.path ?? ""];
  return paths.filter((path) => path !== "").map((path) => ({ path, write: true }));
}

function patch(args: PatchArgs, ctx: ToolContext): Promise<ToolResult> {
  return args.mode === "patch" ? patchFiles(args, ctx) : replaceInFile(args, ctx);
}

async function replaceInFile(args: PatchArgs, ctx: ToolContext): Promise<ToolResult> {
  const { path, old_string: oldText, new_string: newText } = args;
  if (typeof path !== "string" || typeof oldText !== "string" || typeof newText !== "string") {
    throw new ToolError("mode replace needs path, old_string and new_string.");
  }
  const target = await resolveTarget(ctx, path);
  await guardWrite(ctx, target, { tool: "patch" });
  // The answer shows lines of the file, also when nothing fits.
  const check = await guardRead(ctx, target, { tool: "patch" });
  await statFile(ctx, target);
  const { files } = ctx.services;
  return await files.exclusive([target.real], async () => {
    const loaded = await loadForWrite(ctx, target, { replace: false, check });
    const before = loaded.text;
    // It was there a moment ago.
    if (before === undefined) throw await notFound(ctx, target.path);
    const edit = {
      oldText: sameLineEnds(oldText, loaded.format.eol),
      newText: sameLineEnds(newText, loaded.format.eol),
      replaceAll: args.replace_all === true,
    };
    const outcome = replacePassage(before, edit);
    if (outcome.kind === "refused") throw failure(ctx, target.real, outcome.reason);
    if (outcome.kind === "not_found") {
      throw failure(ctx, target.real, notFoundText(path, before, edit.oldText));
    }
    if (outcome.kind === "unchanged") {
      const note = "The file already has the new text; nothing was changed.";
      return { success: true, no_change: true, note };
    }
    const stale = files.staleness(ctx.taskId, target.real, loaded.mtimeMs, "edit");
    await checkText(loaded, outcome.text);
    await commitText(ctx, { loaded, text: outcome.text });
    files.noteEdit(ctx.taskId, target.real, true);
    const lint = await lintWritten(ctx, { path: target.path, text: outcome.text, before });
    const name = displayPath(ctx, target.path);
    const warning = [target.warning, stale].filter(Boolean).join(" ");
    return {
      success: true,
      diff: shortDiff(unifiedDiff(before, outcome.text, { from: `a/${name}`, to: `b/${name}` })),
      files_modified: [name],
      resolved_path: target.real,
      ...(outcome.strategy === "exact" ? {} : { matched_by: outcome.strategy }),
      ...(lint === undefined ? {} : { lint }),
      ...(warning === "" ? {} : { _warning: warning }),
    };
  });
}

/** Files with one kind of line end are edited with plain newlines. */
function sameLineEnds(text: string, eol: string): string {
  return eol === "mixed" ? text : text.replaceAll("\r\n", "\n");
}

function notFoundText(path: string, text: string, passage: string): string {
  const near = nearestPassages(text, passage);
  const shown = near === "" ? "" : ` Did you mean (· space, → tab):\n${near}`;
  return `Could not find old_string in ${path}.${shown}`;
}

/** The error with advice that grows with the failures in a row. */
function failure(ctx: ToolContext, real: string, message: string): ToolError {
  const failures = ctx.services.files.noteEdit(ctx.taskId, real, false);
  const hint = failures < 3
    ? "Read the place with read_file and copy the text exactly."
    : `${failures} edits of this file failed in a row: read it again, then replace a larger ` +
      "passage or write the whole file with write_file.";
  return new ToolError(message, { _hint: hint });
}

async function patchFiles(args: PatchArgs, ctx: ToolContext): Promise<ToolResult> {
  const operations = parsed(args.patch);
  const guarded = await guardOperations(ctx, operations);
  const targets = [...guarded.values()].map(({ target }) => target);
  const { files } = ctx.services;
  return await files.exclusive(targets.map(({ real }) => real), async () => {
    const changes = await planPatch(ctx, operations, guarded);
    if (changes.length === 0) {
      return { success: true, no_change: true, note: "The files already have these changes." };
    }
    const stale = changes.map(({ source, loaded }) =>
      files.staleness(ctx.taskId, source.real, loaded?.mtimeMs, "edit")
    );
    await applyChanges(ctx, changes);
    const warning = [...targets.map((target) => target.warning), ...stale].filter(Boolean);
    return {
      success: true,
      ...await report(ctx, changes),
      ...(warning.length === 0 ? {} : { _warning: warning.join(" ") }),
    };
  });
}

/**
 * Every path of the operations, judged once and by the name that is used later. Moving a file
 * that may not be read would give it a name under which it may.
 */
async function guardOperations(
  ctx: ToolContext,
  operations: readonly PatchOperation[],
): Promise<Map<string, GuardedTarget>> {
  const guarded = new Map<string, GuardedTarget>();
  for (const operation of operations) {
    const moveTo = "moveTo" in operation ? operation.moveTo : undefined;
    for (const path of [operation.path, ...(moveTo === undefined ? [] : [moveTo])]) {
      if (guarded.has(path)) continue;
      const target = await resolveTarget(ctx, path);
      await guardWrite(ctx, target, { tool: "patch" });
      guarded.set(path, { target });
    }
    if (operation.kind !== "update" && operation.kind !== "move") continue;
    const { target } = guarded.get(operation.path)!;
    const check = await guardRead(ctx, target, { tool: "patch" });
    guarded.set(operation.path, { target, check });
  }
  return guarded;
}

function parsed(patch: string | undefined): PatchOperation[] {
  if (typeof patch !== "string" || patch.trim() === "") {
    throw new ToolError("mode patch needs the patch text.");
  }
  try {
    const operations = parsePatch(patch);
    if (operations.length > 0) return operations;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ToolError(`Patch not applied, it cannot be read: ${error.message}.`);
  }
  throw new ToolError("The patch contains no changes: it needs lines like *** Update File: path.");
}

async function report(
  ctx: ToolContext,
  changes: readonly FileChange[],
): Promise<Record<string, unknown>> {
  const names = (kinds: readonly string[]) =>
    changes.filter(({ kind }) => kinds.includes(kind)).map(({ target }) =>
      displayPath(ctx, target.path)
    );
  const lints: Record<string, Lint> = {};
  for (const { target, loaded, text } of changes) {
    if (text === undefined) continue;
    const before = loaded?.text;
    const lint = await lintWritten(ctx, { path: target.path, text, before });
    if (lint !== undefined) lints[displayPath(ctx, target.path)] = lint;
  }
  const only = changes.length === 1 ? changes[0] : undefined;
  return {
    diff: shortDiff(changes.map((change) => changeDiff(ctx, change)).join("")),
    files_modified: names(["modified", "moved"]),
    files_created: names(["created"]),
    files_deleted: names(["deleted"]),
    ...(Object.keys(lints).length === 0 ? {} : { lint: only ? Object.values(lints)[0] : lints }),
    ...(only === undefined ? {} : { resolved_path: only.target.real }),
  };
}

function changeDiff(ctx: ToolContext, change: FileChange): string {
  const from = displayPath(ctx, change.source.path);
  const to = displayPath(ctx, change.target.path);
  if (change.kind === "deleted") return `deleted ${from}\n`;
  const moved = change.kind === "moved" ? `renamed ${from} -> ${to}\n` : "";
  if (change.text === undefined) return moved;
  const created = change.kind === "created";
  return moved + unifiedDiff(created ? "" : change.loaded?.text ?? "", change.text, {
    from: created ? "/dev/null" : `a/${from}`,
    to: `b/${to}`,
  });
}

function shortDiff(diff: string): string {
  if (diff.length <= MAX_DIFF_CHARS) return diff;
  const cut = diff.slice(0, diff.lastIndexOf("\n", MAX_DIFF_CHARS) + 1);
  return `${cut}[diff cut: ${diff.length - cut.length} more characters]`;
}
