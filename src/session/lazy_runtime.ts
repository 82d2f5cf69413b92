/**
 * The tool runtime, imported and built when the first tool call needs it, and hooks, which
 * exist only where the settings name one. Neither costs anything before the first request.
 */
import type { ApprovalPolicy } from "../protocol/approval.ts";
import type { HookRunner } from "../protocol/hook.ts";
import type { SessionPlugins } from "../protocol/plugin.ts";
import { sandboxOf } from "../approval/policy.ts";
import type { SandboxMode } from "../protocol/sandbox.ts";
import { changeNote } from "./approval_policy.ts";
import { sandboxMode, type WallChoice } from "./wall_choice.ts";
import type { ToolRuntime, ToolRuntimeOptions } from "./tool_runtime.ts";

export type LazyRuntimeOptions = Omit<ToolRuntimeOptions, "hooks" | "wallChoice"> & {
  acceptHooks: boolean;
  plugins?: SessionPlugins;
  /** What the person should know before anything runs. */
  notice: (line: string) => void;
};

/** Long enough for the first request to be on its way, short compared with any model's answer. */
const WARM_AFTER_MS = 30;

export class LazyRuntime {
  #options: LazyRuntimeOptions;
  #building: Promise<ToolRuntime> | undefined;
  #built: ToolRuntime | undefined;
  #hooks: Promise<HookRunner | undefined> | undefined;
  readonly #notes: string[] = [];
  /** The walls that a person chose instead of the settings'. */
  #walls: WallChoice = {};
  #closed = false;

  constructor(options: LazyRuntimeOptions) {
    this.#options = options;
  }

  /** The runtime, built at the first call; after a failure the next call tries again. */
  get(): Promise<ToolRuntime> {
    return this.#building ??= this.#build().catch((error) => {
      this.#building = undefined;
      throw error;
    });
  }

  /** The policy for actions that need a yes. */
  get policy(): ApprovalPolicy {
    return this.#options.approve;
  }

  /** Changes the policy from now on; the model is told where that changes what it can do. */
  set policy(policy: ApprovalPolicy) {
    const note = changeNote(this.#options.approve, policy);
    if (note !== undefined) this.#notes.push(note);
    this.#options = { ...this.#options, approve: policy };
    if (this.#built !== undefined) this.#built.gate.policy = policy;
    if (note !== undefined) void this.#built?.changeWalls();
  }

  /** The walls around commands; `off` where commands run elsewhere. */
  get sandbox(): SandboxMode {
    return sandboxMode(this.#options.settings, this.#wallChoice());
  }

  /** The mode, or the environment that is itself the wall; `off` where no walls can be raised. */
  get wallName(): string {
    const { backend } = this.#options.settings.config.terminal;
    if (backend !== "local") return backend;
    return Deno.build.os === "linux" ? this.sandbox : "off";
  }

  /** The network of commands, in the words of `--network`; empty is the mode's default. */
  get network(): string {
    return this.#walls.network ?? this.#options.settings.config.terminal.network;
  }

  /** Changes the walls from the next command on; the model is told. */
  async changeWalls(choice: WallChoice): Promise<void> {
    this.#walls = { ...this.#walls, ...choice };
    const network = this.network === "" ? "" : `, network ${this.network}`;
    this.#notes.push(`The sandbox around commands is now ${this.sandbox}${network}.`);
    await this.#built?.changeWalls();
  }

  #wallChoice(): WallChoice {
    const sandbox = sandboxOf(this.policy) ?? this.#walls.sandbox;
    return { ...this.#walls, sandbox };
  }

  /** Notes that the model has to read before its next call. */
  notices(): string[] {
    return [...this.#notes.splice(0), ...this.#built?.notices() ?? []];
  }

  /** The runtime if a tool was ever called. */
  peek(): ToolRuntime | undefined {
    return this.#built;
  }

  /**
   * Loads what tool calls need while the model thinks. Only where that starts nothing: a remote
   * environment waits for the first call. Not `setTimeout`, whose first use costs 6 ms.
   */
  warmSoon(): void {
    if (this.#options.environment !== "local" || this.#options.tools.length === 0) return;
    AbortSignal.timeout(WARM_AFTER_MS).addEventListener("abort", () => {
      // What fails now fails again, and is told, when a call needs it.
      if (!this.#closed) this.#warm().catch(() => {});
    }, { once: true });
  }

  /** Ends what was built; nothing is built afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#building)?.close();
  }

  /** Undefined when nothing listens. */
  hooks(): Promise<HookRunner | undefined> {
    this.#hooks ??= this.#loadHooks();
    return this.#hooks;
  }

  async #warm(): Promise<void> {
    // Walls are not raised yet: a job that runs no command would hold their memory for nothing.
    await Promise.all([
      this.get(),
      ...this.#options.tools.map((name) => this.#options.registry.load(name)),
    ]);
  }

  async #build(): Promise<ToolRuntime> {
    const { createToolRuntime } = await import("./tool_runtime.ts");
    const hooks = await this.hooks();
    const built = await createToolRuntime({
      ...this.#options,
      wallChoice: () => this.#wallChoice(),
      ...(hooks ? { hooks } : {}),
    });
    // The policy may have changed meanwhile.
    built.gate.policy = this.policy;
    return this.#built = built;
  }

  async #loadHooks(): Promise<HookRunner | undefined> {
    const { settings, plugins } = this.#options;
    const configured = Object.keys(settings.config.hooks ?? {}).length > 0;
    if (!configured && !plugins?.hasHooks) return undefined;
    const { openHooks } = await import("./hooks.ts");
    return await openHooks(this.#options);
  }
}
