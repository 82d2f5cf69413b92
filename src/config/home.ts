/** Where hermes keeps its state: `HERMES_HOME`, by default `~/.hermes`, and the profiles in it. */
import { UsageError } from "../protocol/error.ts";
import { joinPath, resolvePath } from "../util/path.ts";

/** Variables by name, as `Deno.env.toObject()` gives them. */
export type EnvRecord = Readonly<Record<string, string | undefined>>;

export interface Home {
  /** The directory that holds the default profile and `profiles/`. */
  readonly root: string;
  /** `default`, or the name given with `-p`. */
  readonly profile: string;
  /** The active profile's own directory. */
  readonly dir: string;
  /** A path below `dir`. */
  path(...parts: string[]): string;
}

export interface ResolveHomeOptions {
  env: EnvRecord;
  profile?: string | undefined;
  /** Base for a relative `HERMES_HOME`. */
  cwd?: string;
}

const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * Finds the home without touching the disk.
 * @throws {UsageError} for a bad profile name or when no home can be named.
 */
export function resolveHome(options: ResolveHomeOptions): Home {
  const root = rootOf(options);
  const profile = options.profile ?? "default";
  if (!PROFILE_NAME.test(profile)) {
    throw new UsageError(`"${profile}" is no profile name`, {
      hint: "Use up to 64 of a-z, 0-9, - and _, beginning with a letter or digit.",
    });
  }
  const dir = profile === "default" ? root : joinPath(root, "profiles", profile);
  return { root, profile, dir, path: (...parts) => joinPath(dir, ...parts) };
}

/**
 * A named profile must exist: a mistyped `-p` must not start an empty one.
 * @throws {UsageError} when its directory is missing.
 */
export async function requireProfile(home: Home): Promise<void> {
  if (home.profile === "default") return;
  const info = await Deno.stat(home.dir).catch(() => undefined);
  if (info?.isDirectory) return;
  throw new UsageError(
    `there is no profile "${home.profile}" in ${joinPath(home.root, "profiles")}`,
    {
      hint: `Create it: mkdir -p ${home.dir}`,
    },
  );
}

function rootOf(options: ResolveHomeOptions): string {
  const { HERMES_HOME: configured, HOME: userHome } = options.env;
  if (configured !== undefined && configured.trim() !== "") {
    const expanded = configured.replace(/^~(?=$|\/)/, userHome ?? "~");
    return resolvePath(options.cwd ?? "/", expanded);
  }
  if (userHome === undefined || userHome === "") {
    throw new UsageError("neither HERMES_HOME nor HOME is set", {
      hint: "Set HERMES_HOME to a directory hermes may write to.",
    });
  }
  return joinPath(userHome, ".hermes");
}
