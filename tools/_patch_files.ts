/**
 * A V4A patch over files, all or nothing: everything is read and tried on paper first, then
 * written, and undone again when a write fails.
 */
import { ToolError } from "../src/protocol/error.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { randomId } from "../src/util/id.ts";
import { dirname } from "../src/util/path.ts";
import { applyHunk, type PatchOperation } from "../src/util/v4a_patch.ts";
import { notFound, resolveTarget, type Target } from "./_paths.ts";
import { checkText, commitText, type Loaded, loadForWrite } from "./_write.ts";

/** One file as the patch will leave it. */
export interface FileChange {
  kind: "created" | "modified" | "deleted" | "moved";
  /** Where the file is now, if it is. */
  source: Target;
  /** Where it will be; the same as `source` unless moved. */
  target: Target;
  /** Undefined for a file whose content is not looked at (deleted, only moved). */
  loaded?: Loaded;
  text?: string;
}

/** The changes an operation list amounts to. @throws ToolError listing every reason it cannot be done. */
export async function planPatch(
  ctx: ToolContext,
  operations: readonly PatchOperation[],
): Promise<FileChange[]> {
  const plan = new Plan(ctx);
  const problems: string[] = [];
  for (const operation of operations) {
    try {
      await plan.add(operation);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      problems.push(`${operation.path}: ${error.message}`);
    }
  }
  if (problems.length > 0) {
    throw new ToolError(`Patch not applied, no file was changed.\n${problems.join("\n")}`);
  }
  const changes = plan.changes();
  for (const { loaded, text } of changes) {
    if (loaded !== undefined && text !== undefined) await checkText(loaded, text);
  }
  return changes;
}

class Plan {
  #ctx: ToolContext;
  /** By real path of where the file will be. */
  #files = new Map<string, FileChange>();

  constructor(ctx: ToolContext) {
    this.#ctx = ctx;
  }

  changes(): FileChange[] {
    return [...this.#files.values()].filter(({ kind, text, loaded }) =>
      kind !== "modified" || text !== loaded?.text
    );
  }

  async add(operation: PatchOperation): Promise<void> {
    const target = await resolveTarget(this.#ctx, operation.path);
    switch (operation.kind) {
      case "add":
        await this.#mustBeFree(target);
        return this.#set({
          kind: "created",
          source: target,
          target,
          loaded: await loadForWrite(this.#ctx, target, { replace: true }),
          text: operation.content,
        });
      case "delete": {
        const known = this.#files.get(target.real);
        if (known?.kind === "created") return void this.#files.delete(target.real);
        await this.#mustExist(target);
        return this.#set({ kind: "deleted", source: known?.source ?? target, target });
      }
      case "move":
        return await this.#move(target, operation.moveTo);
      case "update":
        await this.#update(target, operation.hunks);
        if (operation.moveTo !== undefined) await this.#move(target, operation.moveTo);
    }
  }

  async #update(
    target: Target,
    hunks: (PatchOperation & { kind: "update" })["hunks"],
  ): Promise<void> {
    await this.#mustExist(target);
    const known = this.#files.get(target.real);
    const loaded = known?.loaded ??
      await loadForWrite(this.#ctx, known?.source ?? target, { replace: false });
    let text = known?.text ?? loaded.text!;
    const failures: string[] = [];
    for (const [i, hunk] of hunks.entries()) {
      const outcome = applyHunk(text, hunk);
      if (outcome.kind === "applied") text = outcome.text;
      else if (outcome.kind === "failed") failures.push(`hunk ${i + 1}: ${outcome.reason}`);
    }
    if (failures.length > 0) throw new ToolError(failures.join("\n"));
    this.#set({ kind: "modified", source: target, target, ...known, loaded, text });
  }

  async #move(source: Target, to: string): Promise<void> {
    await this.#mustExist(source);
    const target = await resolveTarget(this.#ctx, to);
    await this.#mustBeFree(target);
    const known = this.#files.get(source.real);
    this.#files.delete(source.real);
    if (known?.kind === "created") return this.#set({ ...known, source: target, target });
    this.#set({ source, ...known, kind: "moved", target });
  }

  #set(change: FileChange): void {
    this.#files.set(change.target.real, change);
  }

  async #mustExist(target: Target): Promise<void> {
    const known = this.#files.get(target.real);
    if (known !== undefined && known.kind !== "deleted") return;
    const movedAway = [...this.#files.values()].some(({ kind, source }) =>
      kind === "moved" && source.real === target.real
    );
    const info = known !== undefined || movedAway
      ? undefined
      : await this.#ctx.env.stat(target.path);
    if (info === undefined) throw await notFound(this.#ctx, target.path);
    if (info.kind !== "file") throw new ToolError("it is not a file");
  }

  async #mustBeFree(target: Target): Promise<void> {
    const known = this.#files.get(target.real);
    const there = known === undefined ? await this.#ctx.env.stat(target.path) : undefined;
    const taken = known === undefined ? there !== undefined : known.kind !== "deleted";
    if (taken) throw new ToolError(`${target.path} already exists`);
  }
}

/** Makes the changes; when one fails, those before it are undone. @throws ToolError */
export async function applyChanges(
  ctx: ToolContext,
  changes: readonly FileChange[],
): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  const trash: string[] = [];
  try {
    for (const change of changes) await applyChange(ctx, change, { undo, trash });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const stuck: string[] = [];
    for (const step of undo.reverse()) {
      await step().catch((failure) => stuck.push(String(failure)));
    }
    if (stuck.length === 0) {
      throw new ToolError(`Patch failed and was undone, no file is changed: ${reason}`);
    }
    throw new ToolError(`Patch failed (${reason}) and could not be undone: ${stuck.join("; ")}`);
  }
  for (const path of trash) await ctx.env.remove(path);
}

async function applyChange(
  ctx: ToolContext,
  change: FileChange,
  ledger: { undo: (() => Promise<void>)[]; trash: string[] },
): Promise<void> {
  const { env } = ctx;
  const { kind, source, target, loaded, text } = change;
  if (kind === "deleted") {
    // Kept under another name until everything else has worked.
    const aside = `${source.real}.${randomId(8)}.deleted`;
    await env.rename(source.real, aside);
    ledger.undo.push(() => env.rename(aside, source.real));
    ledger.trash.push(aside);
    return;
  }
  if (kind === "moved") {
    await makeParent(ctx, target.real);
    await env.rename(source.real, target.real);
    ledger.undo.push(() => env.rename(target.real, source.real));
  }
  if (loaded === undefined || text === undefined) return;
  const before = loaded.bytes;
  ledger.undo.push(async () => {
    if (before !== undefined) await env.writeFile(target.real, before);
    else if (await env.stat(target.real) !== undefined) await env.remove(target.real);
  });
  await commitText(ctx, { loaded: { ...loaded, target }, text });
}

/** A rename does not make directories; writing a file does. */
async function makeParent(ctx: ToolContext, path: string): Promise<void> {
  if (await ctx.env.stat(dirname(path)) !== undefined) return;
  const probe = `${dirname(path)}/.${randomId(8)}.tmp`;
  await ctx.env.writeFile(probe, new Uint8Array());
  await ctx.env.remove(probe);
}
