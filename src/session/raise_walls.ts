/**
 * From a session's policy to walls that stand, and to what is said when a command behind them
 * ends. Loaded when the first command starts; who decides when walls change is `session_walls.ts`.
 */
import { EnvironmentError } from "../protocol/error.ts";
import type { RaisedWalls, SandboxPolicy } from "../protocol/sandbox.ts";
import { HostDisk } from "../sandbox/command/disk.ts";
import type { ForwardProxy } from "../sandbox/command/forward_proxy.ts";
import { KeptFiles } from "../sandbox/command/kept_files.ts";
import { describeForModel, describeForPerson } from "../sandbox/command/kept_report.ts";
import { type KernelWalls, raiseKernelWalls } from "../sandbox/command/kernel_walls.ts";
import { makeOwnPlaces } from "../sandbox/command/own_places.ts";
import { refusalNotes } from "../sandbox/command/refusal_notes.ts";
import { missingWalls } from "../sandbox/command/standing.ts";
import { joinPath } from "../util/path.ts";
import { privatePlaces } from "../util/private_places.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { protectedPlaces } from "./protected_places.ts";
import { sessionPolicy, type WallFacts } from "./walls.ts";

export interface WallsOptions {
  /** The facts of the policy as they are now, with directories of this session's own. */
  policy: (facts: Pick<WallFacts, "own">) => Promise<WallFacts>;
  /** Refuses to run commands where walls cannot be raised. */
  required: boolean;
  /**
   * Where versions of files lie that commands changed and that were put back. Absent for a session
   * that leaves nothing: they and the caches of commands go with it.
   */
  keptDir?: string;
  /** A background process of the session runs. */
  isBusy: () => boolean;
  /** Told to the person: which walls are missing here, what was put back. */
  notice: (line: string) => void;
  /** Who reads what is said at a command's end; a person hears of what was put back by `notice`. */
  reader?: "model" | "person";
  /** False for a command that stays on the person's terminal. */
  ownSession?: boolean;
  /** Leaves namespaces out, for the tests that prove the other walls. */
  withoutNamespaces?: boolean;
}

/** Raised walls, and everything that is closed with them. */
export interface SessionWallSet extends RaisedWalls {
  readonly policy: SandboxPolicy;
  readonly places: ProtectedPlaces;
  /** The session's private directory. */
  readonly directory: string;
  readonly kernel: KernelWalls;
  close(): Promise<void>;
}

/**
 * Undefined where the mode is `off` or nothing can be raised.
 * @throws EnvironmentError where walls are required and not all of them stand.
 */
export async function raiseWalls(
  directory: string,
  options: WallsOptions & { kept: () => KeptFiles | undefined },
): Promise<SessionWallSet | undefined> {
  const { temporary, state, given } = privatePlaces(directory);
  const own = { writable: [temporary, state], readable: [given], hidden: [directory] };
  const facts = await options.policy({ own });
  const { settings: { home }, userHome, env } = facts;
  const places = facts.places ?? protectedPlaces({ home, userHome, env });
  const caches = options.keptDir === undefined ? { XDG_CACHE_HOME: temporary } : {};
  const policy = sessionPolicy({ ...facts, places, env: { ...env, ...caches } });
  if (policy === undefined) return undefined;
  const empty = { directory: joinPath(directory, "empty"), file: joinPath(directory, "none") };
  for (const path of [temporary, state, given, empty.directory]) {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  }
  // Where a cache cannot be made, commands run without it.
  makeOwnPlaces(policy);
  await Deno.writeTextFile(empty.file, "", { mode: 0o600 });
  const proxy = await startProxy(policy);
  const kernel = await raiseKernelWalls({
    policy,
    disk: new HostDisk(),
    empty,
    kept: keptDirectories(policy),
    proxyPort: proxy?.port,
    ownSession: options.ownSession,
    withoutNamespaces: options.withoutNamespaces,
  }).catch(async (error) => {
    await proxy?.close();
    throw new EnvironmentError(`The sandbox cannot be raised: ${(error as Error).message}`);
  });
  const close = async () => {
    await proxy?.close();
    await kernel?.close();
  };
  const gap = missingWalls(kernel?.standing, policy.network);
  if (gap !== undefined && options.required) {
    await close();
    throw new EnvironmentError(
      `The sandbox is required (terminal.sandbox_required) and cannot be raised: ${gap}`,
    );
  }
  if (gap !== undefined) options.notice(`sandbox: ${gap}`);
  if (kernel === undefined) {
    await close();
    return undefined;
  }
  return {
    policy,
    places,
    directory,
    kernel,
    launcher: kernel.launcher,
    terminals: kernel.terminals,
    env: { ...policy.env, TMPDIR: temporary, ...await proxyVariables(proxy) },
    begin: () => options.kept()?.beforeCommand(),
    end(end) {
      const changes = options.kept()?.check() ?? [];
      const { standing } = kernel;
      const hosts = proxy?.takeRefusals().refusals ?? [];
      return [
        ...changes.length === 0 || options.reader === "person" ? [] : [describeForModel(changes)],
        ...refusalNotes({ policy, standing, hosts, ...end }),
      ];
    },
    close,
  };
}

/** Keeps the protected files of the work as they were, whatever commands do. */
export function keepFiles(
  { policy, places, directory }: Pick<SessionWallSet, "policy" | "places" | "directory">,
  options: WallsOptions,
): KeptFiles {
  return new KeptFiles({
    roots: policy.workspace,
    places,
    storeDir: options.keptDir ?? joinPath(directory, "kept"),
    onPutBack: (changes) => options.notice(describeForPerson(changes)),
    isBusy: options.isBusy,
  });
}

/** Directories of which everything runs or steers something, and which no command of git's changes. */
function keptDirectories({ workspace }: SandboxPolicy): string[] {
  return workspace.flatMap((root) =>
    // A root that is a git directory is the repository of a worktree.
    /(?:^|\/)\.git(?:\/|$)/.test(root)
      ? [joinPath(root, "hooks")]
      : [joinPath(root, ".git", "hooks"), joinPath(root, ".hermes")]
  );
}

async function startProxy({ network }: SandboxPolicy): Promise<ForwardProxy | undefined> {
  if (typeof network !== "object") return undefined;
  const { startForwardProxy } = await import("../sandbox/command/forward_proxy.ts");
  const { parseHostRule } = await import("../sandbox/command/host_list.ts");
  return startForwardProxy({ rules: network.hosts.map(parseHostRule) });
}

async function proxyVariables(proxy: ForwardProxy | undefined): Promise<Record<string, string>> {
  if (proxy === undefined) return {};
  return (await import("../sandbox/command/proxy_env.ts")).proxyVariables(proxy);
}
