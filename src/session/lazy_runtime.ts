/**
 * The tool runtime, imported and built when the first tool call needs it, and hooks, which
 * exist only where somebody configured one. Neither costs anything before the first request.
 */
import type { HookRunner } from "../protocol/hook.ts";
import type { ToolRuntime, ToolRuntimeOptions } from "./tool_runtime.ts";

export type LazyRuntimeOptions = Omit<ToolRuntimeOptions, "hooks"> & { acceptHooks: boolean };

export class LazyRuntime {
  #options: LazyRuntimeOptions;
  #building: Promise<ToolRuntime> | undefined;
  #built: ToolRuntime | undefined;
  #hooks: Promise<HookRunner | undefined> | undefined;

  constructor(options: LazyRuntimeOptions) {
    this.#options = options;
  }

  /** The runtime, built at the first call. */
  get(): Promise<ToolRuntime> {
    this.#building ??= this.#build();
    return this.#building;
  }

  /** The runtime if a tool was ever called. */
  peek(): ToolRuntime | undefined {
    return this.#built;
  }

  /** Undefined when nothing listens. */
  hooks(): Promise<HookRunner | undefined> {
    this.#hooks ??= this.#loadHooks();
    return this.#hooks;
  }

  async #build(): Promise<ToolRuntime> {
    const { createToolRuntime } = await import("./tool_runtime.ts");
    const hooks = await this.hooks();
    this.#built = await createToolRuntime({ ...this.#options, ...(hooks ? { hooks } : {}) });
    return this.#built;
  }

  async #loadHooks(): Promise<HookRunner | undefined> {
    const { settings } = this.#options;
    if (Object.keys(settings.config.hooks ?? {}).length === 0) return undefined;
    const { openHooks } = await import("./hooks.ts");
    return await openHooks(this.#options);
  }
}
