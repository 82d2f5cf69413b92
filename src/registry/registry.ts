/**
 * The central table of tools. Every file in `tools/` registers here once at import; MCP
 * servers and plugins use the same call. Owns names, collisions and the generation counter;
 * knows nothing of running a tool.
 */
import type { JsonSchema } from "../protocol/json_schema.ts";
import type { ToolSpec } from "../protocol/tool.ts";

export class ToolRegistry {
  #tools = new Map<string, ToolSpec>();
  #generation = 0;

  /** Bumped by every change; caches key on it. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds or replaces a tool; false when the name belongs to another toolset. */
  register<const S extends JsonSchema>(spec: ToolSpec<S>): boolean {
    const existing = this.#tools.get(spec.name);
    if (existing && existing.toolset !== spec.toolset && !spec.override) return false;
    this.#tools.set(spec.name, spec as unknown as ToolSpec);
    this.#generation++;
    return true;
  }

  get(name: string): ToolSpec | undefined {
    return this.#tools.get(name);
  }
}

/** The process-wide registry that tool modules register into. */
export const registry: ToolRegistry = new ToolRegistry();
