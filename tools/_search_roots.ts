/**
 * Where a search looks: the real directories behind the given path, what must not show up below
 * them, and how a found file is called to the model. Searches nothing.
 */
import { ToolError } from "../src/protocol/error.ts";
import type { ApprovalAsk, ToolContext } from "../src/protocol/tool.ts";
import { isWithin } from "../src/util/path.ts";
import { KERNEL_FILES } from "../src/util/protected_paths_data.ts";
import { allNames, linkedSecrets, protectedPlaces } from "./_file_names.ts";
import { displayPath, guardRead, similarFiles } from "./_paths.ts";
import { isHidden } from "./_protected_paths.ts";
import { readingRefusal, wallsOf } from "./_walls.ts";

export interface SearchRoots {
  /** Absolute, links resolved. */
  real: string[];
  warning?: string;
  /** The yeses that searching there takes. */
  asks: ApprovalAsk[];
  /** True for a found file that must not show up. */
  exclude(path: string): boolean;
  /** Files that must not show up by any other name either. */
  excludeIds(): Promise<ReadonlySet<string>>;
  /** A found path as the model should write it. */
  show(path: string): string;
}

interface Root {
  path: string;
  real: string;
  /** The root under every name it has. */
  names: string[];
}

/** @throws ToolError when there is nothing at the path, or when it may not be searched. */
export async function findRoots(ctx: ToolContext, given: string): Promise<SearchRoots> {
  const { paths, warning } = await existingPaths(ctx, given);
  const places = await protectedPlaces(ctx);
  const roots: Root[] = [];
  const asks: ApprovalAsk[] = [];
  for (const path of paths) {
    const { real, asks: needed } = await searchable(ctx, path);
    asks.push(...needed);
    roots.push({ path, real, names: allNames(ctx, { path, real }, places) });
  }
  const directories = roots.map(({ real }) => real);
  const walls = await wallsOf(ctx);
  const isClosed = (name: string) =>
    isHidden(name, places) || (walls !== undefined && readingRefusal(walls, [name]) !== undefined);
  return {
    real: directories,
    ...(warning === undefined ? {} : { warning }),
    asks,
    exclude: (path) => namesBelow(path, roots).some(isClosed),
    excludeIds: () => linkedSecrets(ctx, places, [ctx.env.cwd(ctx.taskId), ...directories]),
    show: (path) => displayPath(ctx, asGiven(path, roots)),
  };
}

/** The real path. @throws ToolError for what has no end, may block its reader or is protected. */
async function searchable(
  ctx: ToolContext,
  path: string,
): Promise<{ real: string; asks: ApprovalAsk[] }> {
  const real = await ctx.env.realPath(path);
  if (KERNEL_FILES.test(real)) {
    throw new ToolError(
      `${path} is made up by the kernel and is not searched; read single files with read_file.`,
    );
  }
  const { asks } = await guardRead(ctx, { path, real }, { tool: "search_files" });
  const kind = (await ctx.env.stat(real))?.kind;
  if (kind === "file" || kind === "directory") return { real, asks };
  throw new ToolError(`${path} is neither a file nor a directory (pipe, socket or device).`);
}

/** The path, or, when it names nothing, the several existing ones it lists. */
async function existingPaths(
  ctx: ToolContext,
  given: string,
): Promise<{ paths: string[]; warning?: string }> {
  const root = ctx.env.resolve(given, ctx.taskId);
  if (await ctx.env.stat(root) !== undefined) return { paths: [root] };
  const parts = given.split(/[,\s]+/).filter(Boolean);
  if (parts.length > 1) {
    const paths = parts.map((part) => ctx.env.resolve(part, ctx.taskId));
    const known = await Promise.all(paths.map((path) => ctx.env.stat(path)));
    if (known.every((info) => info !== undefined)) {
      return { paths, warning: `Searched ${parts.length} paths.` };
    }
  }
  const similar = await similarFiles(ctx, root);
  throw new ToolError(`Path not found: ${root}`, similar.length > 0 ? { similar } : {});
}

function namesBelow(path: string, roots: readonly Root[]): string[] {
  const root = roots.find(({ real }) => isWithin(path, real));
  if (root === undefined) return [path];
  return [path, ...root.names.map((name) => name + path.slice(root.real.length))];
}

function asGiven(path: string, roots: readonly Root[]): string {
  const root = roots.find(({ real }) => isWithin(path, real));
  return root === undefined || root.path === root.real
    ? path
    : root.path + path.slice(root.real.length);
}
