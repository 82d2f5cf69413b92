/**
 * The table of tools. Every file in `tools/` registers in the process-wide one at import. A session
 * sees it through a `fork()` of its own: what MCP servers and plugins register there is seen by
 * that session alone. Owns names, collisions, lazy imports and the generation counter; knows
 * nothing of availability or of running a tool.
 */
import type { JsonSchema } from "../protocol/json_schema.ts";
import type { ManifestEntry, ToolFacts, ToolSpec } from "../protocol/tool.ts";
import type { ToolDetails } from "../protocol/tool_details.ts";

interface Slot {
  facts: ToolFacts;
  /** Absent until the module of a manifest entry has been imported. */
  spec?: ToolSpec;
  manifest?: ManifestEntry;
  loading?: Promise<void>;
  /** Why the module could not be imported. */
  failure?: string;
  /** What an override has taken the place of. */
  previous?: Slot | undefined;
}

const MAX_PROBLEMS = 100;

export class ToolRegistry {
  #slots = new Map<string, Slot>();
  #aliases = new Map<string, string>();
  #problems: string[] = [];
  #generation = 0;
  #onProblem: ((line: string) => void) | undefined;
  /** What is seen where this table has nothing of its own. Never changed from here. */
  readonly #base: ToolRegistry | undefined;

  constructor(base?: ToolRegistry) {
    this.#base = base;
  }

  /** A table that shows everything of this one and keeps its own changes to itself. */
  fork(): ToolRegistry {
    return new ToolRegistry(this);
  }

  /** Bumped by every change a definition could show; caches key on it. */
  get generation(): number {
    return this.#generation + (this.#base?.generation ?? 0);
  }

  /** Rejected registrations and modules that failed to import, oldest first. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Sends every problem, those already known included, to a log. */
  reportProblems(log: (line: string) => void): void {
    this.#onProblem = log;
    this.#problems.forEach((line) => log(line));
  }

  /**
   * Adds or replaces a tool; false, with a reported reason, when the name belongs to another
   * toolset, or when it has effects and does not say what they need.
   */
  register<const S extends JsonSchema, P, D extends ToolDetails>(
    spec: ToolSpec<S, P, D>,
  ): boolean {
    if (spec.effects?.length && spec.approval === undefined) {
      this.#report(
        `Tool "${spec.name}" is rejected: it declares effects (${
          spec.effects.join(", ")
        }) and no ` +
          "approval. Say in `approval` what a call needs, if only that it needs nothing.",
      );
      return false;
    }
    const owner = this.facts(spec.name)?.toolset;
    if (owner !== undefined && owner !== spec.toolset && !spec.override) {
      this.#report(
        `Tool "${spec.name}" of toolset "${spec.toolset}" is rejected: the name belongs to toolset ` +
          `"${owner}". Register it with override, or under another name.`,
      );
      return false;
    }
    const slot = this.#slots.get(spec.name);
    const live = spec as unknown as ToolSpec;
    if (slot?.manifest && !slot.spec && slot.facts.toolset === spec.toolset) {
      // The announced module arrived: what the model sees is unchanged, so caches stay good.
      slot.spec = live;
      slot.facts = live;
      return true;
    }
    const previous = slot?.facts.toolset === spec.toolset ? slot.previous : slot;
    this.#slots.set(spec.name, { facts: live, spec: live, previous });
    this.#generation++;
    return true;
  }

  /**
   * Takes back exactly this registration and brings back what it had replaced; false when it is
   * not there (any more), whoever has the name now.
   */
  withdraw(spec: ToolSpec): boolean {
    let above: Slot | undefined;
    let slot = this.#slots.get(spec.name);
    while (slot && slot.spec !== spec) [above, slot] = [slot, slot.previous];
    if (!slot) return false;
    if (above) above.previous = slot.previous;
    else if (slot.previous) this.#slots.set(spec.name, slot.previous);
    else return this.unregister(spec.name);
    this.#generation++;
    return true;
  }

  /** Announces tools by their manifest entries; live registrations of the same name win. */
  addManifest(entries: readonly ManifestEntry[]): void {
    for (const entry of entries) {
      if (this.facts(entry.name) !== undefined) continue;
      this.#slots.set(entry.name, { facts: entry, manifest: entry });
      this.#generation++;
    }
  }

  /** Removes a tool of this table; the last one of a toolset takes the toolset's aliases with it. */
  unregister(name: string): boolean {
    const slot = this.#slots.get(name);
    if (!slot) return false;
    this.#slots.delete(name);
    this.#generation++;
    const toolset = slot.facts.toolset;
    if (this.inToolset(toolset).length === 0) {
      for (const [alias, target] of this.#aliases) {
        if (target === toolset) this.#aliases.delete(alias);
      }
    }
    return true;
  }

  /** Another name for a toolset: MCP servers answer to `<server>` beside `mcp-<server>`. */
  alias(alias: string, toolset: string): void {
    const previous = this.aliases.get(alias);
    if (previous !== undefined && previous !== toolset) {
      this.#report(`Toolset alias "${alias}" now means "${toolset}" instead of "${previous}".`);
    }
    this.#aliases.set(alias, toolset);
    this.#generation++;
  }

  get aliases(): ReadonlyMap<string, string> {
    return this.#base === undefined
      ? this.#aliases
      : new Map([...this.#base.aliases, ...this.#aliases]);
  }

  /** The tool with its code; undefined when unknown or not imported yet (see `load`). */
  get(name: string): ToolSpec | undefined {
    return this.#slot(name)?.spec;
  }

  /** What is known without importing anything. */
  facts(name: string): ToolFacts | undefined {
    return this.#slot(name)?.facts;
  }

  /** The manifest entry of a tool whose module has not been imported yet. */
  pending(name: string): ManifestEntry | undefined {
    const slot = this.#slot(name);
    return slot?.spec ? undefined : slot?.manifest;
  }

  /** Why the module of a tool could not be imported, once it was tried. */
  loadFailure(name: string): string | undefined {
    return this.#slot(name)?.failure;
  }

  /** Every known tool, sorted by name. */
  list(): ToolFacts[] {
    return [...this.#all().values()].map((slot) => slot.facts)
      .sort((a, b) => a.name < b.name ? -1 : 1);
  }

  #all(): ReadonlyMap<string, Slot> {
    return this.#base === undefined ? this.#slots : new Map([...this.#base.#all(), ...this.#slots]);
  }

  #slot(name: string): Slot | undefined {
    const own = this.#slots.get(name);
    return own ?? (this.#base === undefined ? undefined : this.#base.#slot(name));
  }

  /** Names of the tools registered for a toolset, sorted. */
  inToolset(toolset: string): string[] {
    return this.list().filter((facts) => facts.toolset === toolset).map((facts) => facts.name);
  }

  /** The tool with its code, importing its module first if need be. Never rejects. */
  async load(name: string): Promise<ToolSpec | undefined> {
    const slot = this.#slots.get(name);
    // The module registers in the table that announced it.
    if (!slot) return await this.#base?.load(name);
    if (slot.spec || !slot.manifest || slot.failure) return slot.spec;
    slot.loading ??= this.#import(slot, slot.manifest);
    await slot.loading;
    return this.#slots.get(name)?.spec;
  }

  async #import(slot: Slot, entry: ManifestEntry): Promise<void> {
    try {
      await entry.load();
      if (!slot.spec && this.#slots.get(entry.name) === slot) {
        throw new Error("its module did not register it");
      }
    } catch (error) {
      slot.failure = error instanceof Error ? error.message : String(error);
      this.#generation++;
      this.#report(`Tool "${entry.name}" is unavailable: ${slot.failure}`);
    }
  }

  #report(line: string): void {
    if (this.#problems.length >= MAX_PROBLEMS) this.#problems.shift();
    this.#problems.push(line);
    this.#onProblem?.(line);
  }
}

/** The process-wide registry that tool modules register into. */
export const registry: ToolRegistry = new ToolRegistry();
