/**
 * Reads the real module graph (`deno info --json`) and fails when an import goes up or
 * sideways, when imports form a cycle, when a fenced-in package is imported elsewhere, or
 * when the static path to the first request loads something slow. Ranks: AGENTS.md.
 */
import { finish, isTest, ROOT, runDeno, typescriptFiles } from "./_tree.ts";

/** One import of the graph; both ends relative to the root or a bare specifier (`node:fs`, `npm:x`). */
export interface Edge {
  from: string;
  to: string;
  typeOnly: boolean;
  dynamic: boolean;
}

const RANKS: Readonly<Record<string, number>> = {
  "src/util": 0,
  "src/deps": 0,
  "src/text": 0.25,
  "src/process": 0.5,
  "src/protocol": 1,
  "src/plugin_api.ts": 1.25,
  "plugins": 1.5,
  "src/config": 2,
  "src/store": 2,
  "src/providers": 2,
  "environments": 2,
  "src/agent": 4,
  "tools": 4,
  "src/plugins": 5,
  "src/session": 5,
  "src/host": 6,
  // The surfaces. Those that are still to come have their rank already.
  "src/cli": 7,
  "src/tui": 7,
  "src/gateway": 7,
  "src/cron": 7,
  "src/acp": 7,
  "src/server": 7,
  "src/batch": 7,
  "main.ts": 8,
};
const SURFACE_RANK = 7;
/** What only the host may use: whoever has these opens or runs a session without it. */
const HOST_ONLY = /^src\/(agent\/|session\/(open|tool_runtime|lazy_runtime|records|turn_\w+)\.ts$)/;

/** What plugins import as `hermes/plugin`; it is copied to their authors. */
const PLUGIN_API = "src/plugin_api.ts";

/** A folder of `src` that the table does not name is a single mechanism. */
const MECHANISM_RANK = 3;

/** Modules whose static imports are the way to the first request. */
const HOT_ROOTS = ["main.ts", "src/cli/commands/run/run.ts"];
const SLOW =
  /^(npm:|node:(path|process|util|crypto|child_process|os|module|stream|events|buffer)\b)/;

/** `src/agent/loop.ts` → `src/agent`, `tools/x.ts` → `tools`; undefined outside the layers. */
export function layerOf(path: string): string | undefined {
  if (path === "main.ts" || path === PLUGIN_API) return path;
  return /^(src\/[^/]+|tools|environments|plugins)(?=\/)/.exec(path)?.[0];
}

function rankOf(layer: string): number {
  return RANKS[layer] ?? MECHANISM_RANK;
}

/** Why an import between two layers is not allowed, or undefined. */
export function layerProblem(edge: Edge): string | undefined {
  const from = layerOf(edge.from);
  const to = layerOf(edge.to);
  if (from === undefined || to === undefined || from === to) return undefined;
  const [own, other] = [rankOf(from), rankOf(to)];
  if (other > own) return "imports go down only";
  if (other === own) return "siblings of one rank do not import each other";
  if (other <= 1) return undefined;
  if (own === 3) return edge.typeOnly ? undefined : "rank 3 may use rank 2 as types only";
  if (from === "src/agent") {
    return other === 3 && edge.typeOnly ? undefined : "the loop receives its parts as arguments";
  }
  if (from === "tools") return other === 3 ? undefined : "tools reach the world through ctx";
  if (own === SURFACE_RANK && !edge.typeOnly && HOST_ONLY.test(edge.to)) {
    return "surfaces reach sessions through the host";
  }
  if (from === "main.ts") {
    return other === SURFACE_RANK || to === "src/sandbox"
      ? undefined
      : "main.ts starts surfaces only";
  }
  return undefined;
}

/** Why plugins and what they import may not import something, or undefined. */
export function pluginProblem({ from, to, typeOnly }: Edge): string | undefined {
  const [source, target] = [layerOf(from), layerOf(to)];
  if (source === PLUGIN_API) {
    return target === "src/protocol" && typeOnly
      ? undefined
      : "hermes/plugin hands on types of src/protocol and needs nothing else";
  }
  if (source === "plugins") {
    const own = from.slice(0, from.indexOf("/", "plugins/".length) + 1);
    return to === PLUGIN_API || (own !== "" && to.startsWith(own))
      ? undefined
      : "a bundled plugin imports hermes/plugin and its own folder only";
  }
  if (target === "plugins") {
    return source === "src/plugins" && to === "plugins/manifest.ts"
      ? undefined
      : "bundled plugins are reached as data, through src/plugins";
  }
  if (target === PLUGIN_API && source !== "src/plugins" && !typeOnly) {
    return "only the guest side of src/plugins implements hermes/plugin";
  }
  return undefined;
}

/** The folders of `environments`, one for each kind of place, and what they may import of each other. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  local: [],
  remote: [],
  docker: ["remote"],
  ssh: ["remote"],
  singularity: ["remote"],
  cloud: ["remote"],
};
/** The files that name all places. */
const TABLES = /^environments\/(manifest|admin|options)\.ts$/;

/** Why one part of `environments` may not import another, or undefined. */
export function placeProblem({ from, to, dynamic }: Edge): string | undefined {
  if (from.includes("/testdata/")) return undefined;
  const own = placeOf(from);
  const other = placeOf(to);
  if (TABLES.test(to) && own !== undefined && to !== "environments/options.ts") {
    return "a place does not know the table of places";
  }
  if (other === undefined || own === other || layerOf(from) !== "environments") return undefined;
  if (own === undefined) {
    return TABLES.test(from) || dynamic ? undefined : "what places share knows none of them";
  }
  return PLACES[own]?.includes(other) ? undefined : "one place does not import another";
}

/** `environments/docker/admin.ts` → `docker`; undefined for what is shared. */
function placeOf(path: string): string | undefined {
  return /^environments\/([^/]+)\//.exec(path)?.[1];
}

/** Why a package may not be imported from this file, or undefined. */
export function fenceProblem(edge: Edge): string | undefined {
  const layer = layerOf(edge.from);
  if (layer === undefined || edge.typeOnly) return undefined;
  if (edge.to === "node:sqlite" && layer !== "src/store") return "only src/store opens SQLite";
  if (edge.to === "node:child_process") return "programs are started by src/process/spawn.ts";
  if (edge.to.startsWith("npm:") && layer !== "src/deps") {
    return "npm packages are loaded through src/deps";
  }
  return undefined;
}

/** Folder-private modules (`_name.ts`) stay in their folder; tools share code only through them. */
export function privacyProblem(edge: Edge): string | undefined {
  const [folder, file] = split(edge.to);
  if (layerOf(edge.to) === undefined) return undefined;
  if (file.startsWith("_")) {
    return split(edge.from)[0] === folder ? undefined : `_*.ts is private to ${folder}`;
  }
  const betweenTools = folder === "tools" && layerOf(edge.from) === "tools";
  return betweenTools && !edge.from.endsWith("/manifest.ts")
    ? "a tool does not import another"
    : undefined;
}

function split(path: string): [folder: string, file: string] {
  const cut = path.lastIndexOf("/");
  return [path.slice(0, Math.max(cut, 0)), path.slice(cut + 1)];
}

/** Imports by importer, dynamic ones left out: they run after both sides have loaded. */
function staticGraph(edges: readonly Edge[]): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const edge of edges) {
    if (edge.dynamic) continue;
    graph.set(edge.from, [...graph.get(edge.from) ?? [], edge.to]);
  }
  return graph;
}

/** Each cycle of static imports, those of types among them, as `a → b → a`. */
export function findCycles(edges: readonly Edge[]): string[] {
  const graph = staticGraph(edges);
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(node: string, trail: string[]): void {
    const start = trail.indexOf(node);
    if (start >= 0) cycles.push([...trail.slice(start), node].join(" → "));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  }
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}

/** Slow modules that loading a hot root pulls in, each with the way to it. */
export function hotPathProblems(edges: readonly Edge[]): string[] {
  const graph = staticGraph(edges.filter((edge) => !edge.typeOnly));
  const problems: string[] = [];
  const seen = new Set<string>();
  function visit(node: string, trail: string[]): void {
    if (seen.has(node)) return;
    seen.add(node);
    const way = [...trail, node];
    if (SLOW.test(node)) problems.push(`hot path: ${way.join(" → ")}: import it lazily`);
    else for (const next of graph.get(node) ?? []) visit(next, way);
  }
  for (const root of HOT_ROOTS) visit(root, []);
  return problems;
}

/** The whole graph below every module that is not a test. */
async function readGraph(): Promise<Edge[]> {
  const files = (await typescriptFiles()).filter((path) =>
    !isTest(path) && layerOf(path) !== undefined
  );
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const imports = files.map((path) => `import ${JSON.stringify(`file://${ROOT}/${path}`)};`);
    await Deno.writeTextFile(entry, imports.join("\n"));
    const info = await runDeno(["info", "--json", "--config", `${ROOT}/deno.json`, entry]);
    if (info.code !== 0) throw new Error(`deno info failed: ${info.stderr}`);
    return edgesOf(JSON.parse(info.stdout) as ModuleGraph);
  } finally {
    await Deno.remove(entry);
  }
}

interface ModuleGraph {
  modules: {
    specifier: string;
    dependencies?: {
      specifier: string;
      code?: { specifier?: string };
      type?: { specifier?: string };
      isDynamic?: boolean;
    }[];
  }[];
}

function edgesOf(graph: ModuleGraph): Edge[] {
  const edges: Edge[] = [];
  for (const module of graph.modules) {
    const from = relative(module.specifier);
    if (layerOf(from) === undefined) continue;
    for (const dependency of module.dependencies ?? []) {
      const target = dependency.code?.specifier ?? dependency.type?.specifier;
      edges.push({
        from,
        to: relative(target ?? dependency.specifier),
        typeOnly: dependency.code === undefined,
        dynamic: dependency.isDynamic ?? false,
      });
    }
  }
  return edges;
}

function relative(specifier: string): string {
  const prefix = `file://${ROOT}/`;
  return specifier.startsWith(prefix) ? specifier.slice(prefix.length) : specifier;
}

if (import.meta.main) {
  const edges = await readGraph();
  const problems = edges.flatMap((edge) => {
    const why = layerProblem(edge) ?? pluginProblem(edge) ?? placeProblem(edge) ??
      fenceProblem(edge) ??
      privacyProblem(edge);
    return why === undefined ? [] : [`${edge.from} → ${edge.to}: ${why}`];
  });
  problems.push(...findCycles(edges).map((cycle) => `import cycle: ${cycle}`));
  problems.push(...hotPathProblems(edges));
  finish(problems);
}
