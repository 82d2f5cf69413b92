/** A home, a project and plugins in them, opened the way a session does and called through dispatch. */
import { resolveHome } from "../../src/config/home.ts";
import { loadSettings, type Settings } from "../../src/config/load.ts";
import type { PluginOrigin } from "../../src/plugins/source.ts";
import type { PluginHost } from "../../src/plugins/plugin_host.ts";
import { openPlugins, type OpenPluginsOptions } from "../../src/plugins/open.ts";
import { pinAgreed } from "../../src/plugins/pins.ts";
import { readSource, statOf } from "../../src/plugins/source.ts";
import { NO_PERMISSIONS } from "../../src/protocol/plugin.ts";
import { dirname } from "../../src/util/path.ts";
import { TOOL_MANIFEST } from "../../tools/manifest.ts";
import { Bench, parsed } from "../registry/support.ts";

export type Files = Readonly<Record<string, string>>;

export interface OpenOptions extends
  Partial<
    Pick<
      OpenPluginsOptions,
      | "extra"
      | "mode"
      | "without"
      | "registerTimeoutMs"
      | "confirm"
      | "confirmChange"
      | "acceptUnpinned"
      | "ownCommands"
    >
  > {
  enabled?: readonly string[];
  /** Leaves enabled plugins of the home as they are agreed to; default agrees to all of them. */
  keepPins?: boolean;
  disabled?: readonly string[];
  /** `plugins.entries`. */
  entries?: Record<string, unknown>;
  env?: Record<string, string>;
}

/** Where programs are looked for. */
export const BENCH_PATH = "/usr/local/bin:/usr/bin:/bin";

export class PluginBench implements AsyncDisposable {
  /** The person's home; hermes' own is `.hermes` in it. */
  readonly root: string;
  readonly reports: string[] = [];
  readonly logs: string[] = [];
  bench = new Bench();
  #hosts: PluginHost[] = [];

  constructor(root: string) {
    this.root = root;
  }

  static async create(): Promise<PluginBench> {
    const root = await Deno.makeTempDir({ prefix: "hermes-plugins-" });
    await Deno.mkdir(`${root}/project`);
    return new PluginBench(await Deno.realPath(root));
  }

  get hermes(): string {
    return `${this.root}/.hermes`;
  }

  get project(): string {
    return `${this.root}/project`;
  }

  /** Writes files below the person's home. */
  async write(folder: string, files: Files): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      const target = `${this.root}/${folder}/${path}`;
      await Deno.mkdir(dirname(target), { recursive: true });
      await Deno.writeTextFile(target, text);
    }
    return `${this.root}/${folder}`;
  }

  /** A plugin in the home: a module body, or all its files. */
  async user(id: string, source: string | Files): Promise<void> {
    await this.write(`.hermes/plugins/${id}`, pluginFiles(id, source));
  }

  async settings(options: OpenOptions = {}): Promise<Settings> {
    const { enabled = [], disabled = [], entries = {} } = options;
    const env = { HOME: this.root, PATH: BENCH_PATH, ...options.env };
    return await loadSettings({
      home: resolveHome({ env }),
      env,
      overrides: {
        "plugins.enabled": enabled,
        "plugins.disabled": disabled,
        "plugins.entries": entries,
      },
    });
  }

  /** Agrees to a plugin as it is now, as `enable` and `trust` do; to none that is not there. */
  async agree(id: string, origin: PluginOrigin = "user"): Promise<void> {
    const folder = origin === "user" ? `${this.hermes}/plugins` : `${this.project}/.hermes/plugins`;
    const path = `${folder}/${id}`;
    const place = [path, `${path}.ts`].find((one) => statOf(one) !== undefined);
    if (place === undefined) return;
    const source = sourceAt(place);
    if (source === undefined) return;
    const { home } = await this.settings();
    const manifest = {
      name: id,
      version: "1.0.0",
      description: "",
      provides: [],
      requiresEnv: [],
      permissions: NO_PERMISSIONS,
      config: {},
    };
    await pinAgreed(home, { key: origin === "user" ? id : path, origin, source, manifest });
  }

  /** Opens plugins into a registry that knows the built-in tools. */
  async open(options: OpenOptions = {}): Promise<PluginHost> {
    const { enabled = [], disabled: _1, entries: _2, env: _3, keepPins, ...rest } = options;
    if (!keepPins) { for (const id of enabled) await this.agree(id); }
    this.bench.registry.addManifest(TOOL_MANIFEST);
    const host = await openPlugins({
      ...rest,
      settings: await this.settings(options),
      cwd: this.project,
      userHome: this.root,
      report: (line) => this.reports.push(line),
      log: (line) => this.logs.push(line),
    });
    this.#hosts.push(host);
    host.registerTools(this.bench.registry);
    host.attachHooks(this.bench.hooks);
    this.bench.tools.splice(0, Infinity, ...this.bench.registry.list().map((facts) => facts.name));
    return host;
  }

  /** The shortest way: one plugin in the home, opened. */
  async load(source: string | Files, options: OpenOptions = {}): Promise<PluginHost> {
    await this.user("demo", source);
    return await this.open({ enabled: ["demo"], ...options });
  }

  /** What the model would read. */
  async call(tool: string, args: unknown = {}): Promise<Record<string, unknown>> {
    return parsed(await this.bench.dispatcher().run(tool, args));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const host of this.#hosts) await host.close();
    await Deno.remove(this.root, { recursive: true });
  }
}

/** What is there to agree to; undefined when it is no plugin. */
function sourceAt(place: string) {
  try {
    return readSource(place);
  } catch {
    // What is wrong with it is what the test wants to know.
    return undefined;
  }
}

/** The files of a plugin: a manifest is added where there is none. */
export function pluginFiles(id: string, source: string | Files): Files {
  const files = typeof source === "string" ? { "mod.ts": source } : source;
  return {
    "plugin.yaml": `name: ${id}\nversion: 1.0.0\ndescription: A plugin for tests\n`,
    ...files,
  };
}

/** A manifest that asks for permissions. */
export function manifest(id: string, permissions: Record<string, readonly string[]>): string {
  return `name: ${id}\nversion: 1.0.0\ndescription: A plugin for tests\npermissions: ${
    JSON.stringify(permissions)
  }\n`;
}

/** A module that registers one tool whose handler has this body, with `args` and `call` in scope. */
export function toolModule(name: string, body: string, more = ""): string {
  return `import { ToolError, type PluginContext } from "hermes/plugin";
export function register(ctx: PluginContext) {
  ctx.registerTool({
    name: ${JSON.stringify(name)},
    description: "A tool for tests",
    schema: { type: "object", properties: {} },
    ${more}
    async handler(args: any, call: any) { void ToolError; ${body} },
  });
}
`;
}
