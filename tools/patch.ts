/** `patch`: one passage replaced, found even when quoted inexactly, or a V4A patch over several files. */
import { ToolError } from "../src/protocol/error.ts";
import type { InferSchema } from "../src/protocol/json_schema.ts";
import type {
  ApprovalAsk,
  ApprovalPlan,
  Approved,
  PathUse,
  ToolContext,
} from "../src/protocol/tool.ts";
import type { EditDetails, EditedFile } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import { registry } from "../src/registry/registry.ts";
import { replacePassage } from "../src/text/fuzzy_replace.ts";
import { nearestPassages } from "../src/text/nearest_passage.ts";
import { unifiedDiff } from "../src/text/unified_diff.ts";
import { parsePatch, type PatchOperation, patchPaths } from "../src/text/v4a_patch.ts";
import { applyChanges, type FileChange, type GuardedTarget, planPatch } from "./_patch_files.ts";
import { EDIT_VIEW, lintProblems } from "./_edit_view.ts";
import {
  displayPath,
  guardRead,
  guardWrite,
  notFound,
  type OpenCheck,
  resolveTarget,
  statFile,
  type Target,
} from "./_paths.ts";
import { diffCounts } from "./_preview.ts";
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
  summary: (args) => patchUses(args).map(({ path }) => path).join(", "),
  // A checker looks at what was written.
  effects: ["write", "execute"],
  approval: (args, ctx) =>
    args.mode === "patch" ? approvePatch(args, ctx) : approveReplacement(args, ctx),
  handler: (_, ctx, { plan }: Approved<EditPlan>) =>
    plan.kind === "files" ? patchFiles(plan, ctx) : replaceInFile(plan, ctx),
  view: EDIT_VIEW,
});

/** One passage of one file. */
interface Replacement {
  kind: "passage";
  path: string;
  oldText: string;
  newText: string;
  replaceAll: boolean;
  target: Target;
  check: OpenCheck;
}

/** A patch, and every path in it as it was judged. */
interface FilesPatch {
  kind: "files";
  operations: readonly PatchOperation[];
  guarded: ReadonlyMap<string, GuardedTarget>;
}

type EditPlan = Replacement | FilesPatch;

function patchUses(args: PatchArgs): PathUse[] {
  const paths = args.mode === "patch" ? patchPaths(args.patch ?? "") : [args.path ?? ""];
  return paths.filter((path) => path !== "").map((path) => ({ path, write: true }));
}

async function approveReplacement(
  args: PatchArgs,
  ctx: ToolContext,
): Promise<ApprovalPlan<EditPlan>> {
  const { path, old_string: oldText, new_string: newText } = args;
  if (typeof path !== "string" || typeof oldText !== "string" || typeof newText !== "string") {
    throw new ToolError("mode replace needs path, old_string and new_string.");
  }
  const target = await resolveTarget(ctx, path);
  const write = await guardWrite(ctx, target, { tool: "patch" });
  // The answer shows lines of the file, also when nothing fits.
  const { asks, check } = await guardRead(ctx, target, { tool: "patch" });
  const replaceAll = args.replace_all === true;
  return {
    asks: [...write, ...asks],
    plan: { kind: "passage", path, oldText, newText, replaceAll, target, check },
  };
}

async function replaceInFile(
  { path, oldText, newText, replaceAll, target, check }: Replacement,
  ctx: ToolContext,
): Promise<ToolResult<EditDetails>> {
  await statFile(ctx, target);
  const { files } = ctx.services;
  return await files.exclusive([target.real], async () => {
    const loaded = await loadForWrite(ctx, target, { replace: false, check });
    const before = loaded.text;
    // The file was there a moment ago.
    if (before === undefined) throw await notFound(ctx, target.path);
    const edit = {
      oldText: sameLineEnds(oldText, loaded.format.eol),
      newText: sameLineEnds(newText, loaded.format.eol),
      replaceAll,
    };
    const outcome = replacePassage(before, edit);
    if (outcome.kind === "refused") throw failure(ctx, target.real, outcome.reason);
    if (outcome.kind === "not_found") {
      throw failure(ctx, target.real, notFoundText(path, before, edit.oldText));
    }
    if (outcome.kind === "unchanged") {
      return unchanged("The file already has the new text; nothing was changed.");
    }
    const stale = files.staleness(ctx.taskId, target.real, loaded.mtimeMs, "edit");
    await checkText(loaded, outcome.text);
    await commitText(ctx, { loaded, text: outcome.text });
    files.noteEdit(ctx.taskId, target.real, true);
    const lint = await lintWritten(ctx, { path: target.path, text: outcome.text, before });
    const name = displayPath(ctx, target.path);
    const warning = [target.warning, stale].filter(Boolean).join(" ");
    const whole = unifiedDiff(before, outcome.text, { from: `a/${name}`, to: `b/${name}` });
    const diff = shortDiff(whole);
    return {
      content: {
        success: true,
        diff,
        files_modified: [name],
        resolved_path: target.real,
        ...(outcome.strategy === "exact" ? {} : { matched_by: outcome.strategy }),
        ...(lint === undefined ? {} : { lint }),
        ...(warning === "" ? {} : { _warning: warning }),
      },
      details: {
        kind: "edit",
        files: [{ path: name, change: "modified", ...diffCounts(whole) }],
        diff,
        problems: lintProblems(lint),
      },
    };
  });
}

function unchanged(note: string): ToolResult<EditDetails> {
  return {
    content: { success: true, no_change: true, note },
    details: { kind: "edit", files: [], diff: "", problems: [] },
  };
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

async function approvePatch(args: PatchArgs, ctx: ToolContext): Promise<ApprovalPlan<EditPlan>> {
  const operations = parsed(args.patch);
  const { guarded, asks } = await guardOperations(ctx, operations);
  return { asks, plan: { kind: "files", operations, guarded } };
}

async function patchFiles(
  { operations, guarded }: FilesPatch,
  ctx: ToolContext,
): Promise<ToolResult<EditDetails>> {
  const targets = [...guarded.values()].map(({ target }) => target);
  const { files } = ctx.services;
  return await files.exclusive(targets.map(({ real }) => real), async () => {
    const changes = await planPatch(ctx, operations, guarded);
    if (changes.length === 0) return unchanged("The files already have these changes.");
    const stale = changes.map(({ source, loaded }) =>
      files.staleness(ctx.taskId, source.real, loaded?.mtimeMs, "edit")
    );
    await applyChanges(ctx, changes);
    const warning = [...targets.map((target) => target.warning), ...stale].filter(Boolean);
    const { content, details } = await report(ctx, changes);
    return {
      content: {
        success: true,
        ...content,
        ...(warning.length === 0 ? {} : { _warning: warning.join(" ") }),
      },
      details,
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
): Promise<{ guarded: Map<string, GuardedTarget>; asks: ApprovalAsk[] }> {
  const guarded = new Map<string, GuardedTarget>();
  const asks: ApprovalAsk[] = [];
  for (const operation of operations) {
    const moveTo = "moveTo" in operation ? operation.moveTo : undefined;
    for (const path of [operation.path, ...(moveTo === undefined ? [] : [moveTo])]) {
      if (guarded.has(path)) continue;
      const target = await resolveTarget(ctx, path);
      asks.push(...await guardWrite(ctx, target, { tool: "patch" }));
      guarded.set(path, { target });
    }
    if (operation.kind !== "update" && operation.kind !== "move") continue;
    const { target } = guarded.get(operation.path)!;
    const read = await guardRead(ctx, target, { tool: "patch" });
    asks.push(...read.asks);
    guarded.set(operation.path, { target, check: read.check });
  }
  return { guarded, asks };
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
): Promise<{ content: Record<string, unknown>; details: EditDetails }> {
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
  const diffs = changes.map((change) => changeDiff(ctx, change));
  const diff = shortDiff(diffs.join(""));
  const files = changes.map(({ kind, target }, i): EditedFile => ({
    path: displayPath(ctx, target.path),
    change: kind,
    ...diffCounts(diffs[i]!),
  }));
  const problems = Object.values(lints).flatMap(lintProblems);
  return {
    content: {
      diff,
      files_modified: names(["modified", "moved"]),
      files_created: names(["created"]),
      files_deleted: names(["deleted"]),
      ...(Object.keys(lints).length === 0 ? {} : { lint: only ? Object.values(lints)[0] : lints }),
      ...(only === undefined ? {} : { resolved_path: only.target.real }),
    },
    details: { kind: "edit", files, diff, problems },
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
