/**
 * A V4A patch over files, all or nothing: everything is read and tried on paper first, then
 * written, and undone again when a write fails.
 */
import type { FileInfo } from "../src/protocol/environment.ts";
import { ToolError } from "../src/protocol/error.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { randomId } from "../src/util/id.ts";
import { dirname } from "../src/util/path.ts";
import { sleep } from "../src/util/sleep.ts";
import { applyHunk, type PatchHunk, type PatchOperation } from "../src/text/v4a_patch.ts";
import { notFound, type OpenCheck, type Target } from "./_paths.ts";
import { checkText, commitText, equalBytes, type Loaded, loadForWrite } from "./_write.ts";

/** Hunks that may fail before the rest is left alone: looking for each in vain takes long. */
const MAX_FAILED_HUNKS = 20;

/** A path of the patch that was judged, and the check for reading it. */
export interface GuardedTarget {
  target: Target;
  /** Absent for a file whose content is not needed. */
  check?: OpenCheck;
}

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
  targets: ReadonlyMap<string, GuardedTarget>,
): Promise<FileChange[]> {
  const plan = new Plan(ctx, targets);
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
  #targets: ReadonlyMap<string, GuardedTarget>;
  /** By real path of where the file will be. */
  #files = new Map<string, FileChange>();
  #deleted = new Map<string, FileChange>();
  #failedHunks = 0;

  constructor(ctx: ToolContext, targets: ReadonlyMap<string, GuardedTarget>) {
    this.#ctx = ctx;
    this.#targets = targets;
  }

  changes(): FileChange[] {
    const kept = [...this.#files.values()].filter(({ kind, text, loaded }) =>
      kind !== "modified" || text !== loaded?.text
    );
    return [...kept, ...this.#deleted.values()];
  }

  async add(operation: PatchOperation): Promise<void> {
    const { target, check } = this.#targets.get(operation.path)!;
    if (operation.kind === "add") {
      await this.#mustBeFree(target);
      const loaded = await loadForWrite(this.#ctx, target, { replace: true });
      return this.#set({
        kind: "created",
        source: target,
        target,
        // Whatever is there now will be gone by then.
        loaded: { ...loaded, text: undefined, bytes: undefined, mtimeMs: undefined },
        text: operation.content,
      });
    }
    await this.#mustExist(target);
    if (operation.kind === "delete") return this.#delete(target);
    if (operation.kind === "update") await this.#update(target, operation.hunks, check);
    if (operation.moveTo !== undefined) await this.#move(target, operation.moveTo);
  }

  #delete(target: Target): void {
    const known = this.#files.get(target.real);
    this.#files.delete(target.real);
    if (known?.kind === "created") return;
    const source = known?.source ?? target;
    this.#deleted.set(source.real, { kind: "deleted", source, target: source });
  }

  async #update(
    target: Target,
    hunks: readonly PatchHunk[],
    check: OpenCheck | undefined,
  ): Promise<void> {
    const known = this.#files.get(target.real);
    // A file that was moved here by this patch is still where it was, under its own check.
    const source = known?.source ?? target;
    const own = source.real === target.real ? check : this.#checkOf(source);
    const loaded = known?.loaded ?? await loadForWrite(this.#ctx, source, {
      replace: false,
      ...(own === undefined ? {} : { check: own }),
    });
    let text = known?.text ?? loaded.text;
    // The file was there a moment ago.
    if (text === undefined) throw await notFound(this.#ctx, target.path);
    const failures: string[] = [];
    for (const [i, hunk] of hunks.entries()) {
      if (this.#failedHunks >= MAX_FAILED_HUNKS) {
        failures.push(`hunk ${i + 1} and those behind it were not tried`);
        break;
      }
      // One hunk may take a while, and a patch has as many as it likes: an abort is heard between.
      await sleep(0, this.#ctx.signal);
      const outcome = applyHunk(text, hunk);
      if (outcome.kind === "applied") text = outcome.text;
      else if (outcome.kind === "failed") {
        this.#failedHunks++;
        failures.push(`hunk ${i + 1}: ${outcome.reason}`);
      }
    }
    if (failures.length > 0) throw new ToolError(failures.join("\n"));
    this.#set({ kind: "modified", source: target, target, ...known, loaded, text });
  }

  async #move(from: Target, to: string): Promise<void> {
    const { target } = this.#targets.get(to)!;
    await this.#mustBeFree(target);
    const known = this.#files.get(from.real);
    this.#files.delete(from.real);
    if (known?.kind === "created") return this.#set({ ...known, source: target, target });
    this.#set({ source: from, ...known, kind: "moved", target });
  }

  #checkOf(source: Target): OpenCheck | undefined {
    return this.#targets.values().find(({ target }) => target.real === source.real)?.check;
  }

  #set(change: FileChange): void {
    this.#files.set(change.target.real, change);
  }

  async #mustExist(target: Target): Promise<void> {
    const info = await this.#state(target);
    if (info === undefined) throw await notFound(this.#ctx, target.path);
    if (info !== "file") throw new ToolError(`it is a ${info}, not a file`);
  }

  async #mustBeFree(target: Target): Promise<void> {
    if (await this.#state(target) !== undefined) {
      throw new ToolError(`${target.path} already exists`);
    }
  }

  /** What will be at the path after the operations so far. */
  async #state(target: Target): Promise<FileInfo["kind"] | undefined> {
    if (this.#files.has(target.real)) return "file";
    const taken = this.#deleted.has(target.real) ||
      this.#files.values().some(({ kind, source }) =>
        kind === "moved" && source.real === target.real
      );
    return taken ? undefined : (await this.#ctx.env.stat(target.real))?.kind;
  }
}

/** Makes the changes; when one fails, those before it are undone. @throws ToolError */
export async function applyChanges(
  ctx: ToolContext,
  changes: readonly FileChange[],
): Promise<void> {
  const { env } = ctx;
  const undo: (() => Promise<void>)[] = [];
  async function rename(from: string, to: string): Promise<void> {
    // Both were real paths when they were judged; a link in one since then leads elsewhere.
    for (const path of [from, dirname(to)]) {
      if (await env.realPath(path) !== path) throw new ToolError(`${path} leads elsewhere now`);
    }
    await env.rename(from, to, { exact: true });
    undo.push(() => env.rename(to, from, { exact: true }));
  }
  const trash: string[] = [];
  try {
    // Everything that leaves its place first steps aside, so that names can be swapped and reused.
    const aside = new Map<FileChange, string>();
    for (const change of changes) {
      if (change.kind !== "moved" && change.kind !== "deleted") continue;
      const place = `${change.source.real}.${randomId(8)}.aside`;
      await rename(change.source.real, place);
      if (change.kind === "moved") aside.set(change, place);
      else trash.push(place);
    }
    for (const [{ target }, place] of aside) {
      await makeParent(ctx, target.real);
      await rename(place, target.real);
    }
    for (const change of changes) await writeChange(ctx, change, undo);
  } catch (error) {
    throw new ToolError(await undone(undo, error));
  }
  for (const path of trash) await env.remove(path, { exact: true });
}

/** Takes the steps back, last first, and says how that went. */
async function undone(undo: (() => Promise<void>)[], error: unknown): Promise<string> {
  const reason = error instanceof Error ? error.message : String(error);
  const stuck: string[] = [];
  for (const step of undo.reverse()) {
    await step().catch((failure) => stuck.push(String(failure)));
  }
  return stuck.length === 0
    ? `Patch failed and was undone, no file is changed: ${reason}`
    : `Patch failed (${reason}) and could not be undone: ${stuck.join("; ")}`;
}

async function writeChange(
  ctx: ToolContext,
  { target, loaded, text }: FileChange,
  undo: (() => Promise<void>)[],
): Promise<void> {
  if (loaded === undefined || text === undefined || text === loaded.text) return;
  const { env } = ctx;
  const before = loaded.bytes;
  undo.push(async () => {
    const exists = await env.stat(target.real) !== undefined;
    if (before === undefined) {
      return exists ? await env.remove(target.real, { exact: true }) : undefined;
    }
    // A write that failed has left the file as it was.
    if (exists && equalBytes(await env.readFile(target.real), before)) return;
    await env.writeFile(target.real, before, { exact: true });
  });
  await commitText(ctx, { loaded: { ...loaded, target }, text });
}

/** A rename does not make directories; writing a file does. */
async function makeParent(ctx: ToolContext, path: string): Promise<void> {
  if (await ctx.env.stat(dirname(path)) !== undefined) return;
  const probe = `${dirname(path)}/.${randomId(8)}.tmp`;
  await ctx.env.writeFile(probe, new Uint8Array(), { exact: true });
  await ctx.env.remove(probe, { exact: true });
}
