/** A home with a project, and this machine's commands behind the walls of a session in it. */
import {
  createLocalEnvironment,
  type LocalOptions,
} from "../../environments/local/local_environment.ts";
import { resolveHome } from "../../src/config/home.ts";
import { loadSettings, type Settings } from "../../src/config/load.ts";
import { SYSTEM_PATH } from "../../src/process/child_environment.ts";
import type { Environment } from "../../src/protocol/environment.ts";
import type { Grant } from "../../src/protocol/grant.ts";
import type { WallsOptions } from "../../src/session/raise_walls.ts";
import { SessionWalls } from "../../src/session/session_walls.ts";
import type { WallChoice } from "../../src/session/wall_choice.ts";
import { WallFactsOf } from "../../src/session/wall_facts.ts";

export interface WalledHome {
  /** Real path of the directory that holds everything. */
  root: string;
  home: string;
  project: string;
  /** Where private directories of environments are made. */
  temporary: string;
  settings: Settings;
  env: Record<string, string>;
  /** What the person chose; changed by tests. */
  choice: WallChoice;
  facts: WallFactsOf;
  /** What the person was told. */
  told: string[];
  walls(options?: Partial<WallsOptions>): SessionWalls;
  /** A local environment behind these walls; the caller closes it. */
  environment(walls: SessionWalls, options?: Partial<LocalOptions>): Environment;
  grant(grant: Partial<Grant> & Pick<Grant, "kind" | "value">): boolean;
}

/** The variables commands are given; the search path has nothing of anybody's home. */
const PATH = SYSTEM_PATH.join(":");

/** Gives `body` a home, and removes it. */
export async function withWalledHome(body: (at: WalledHome) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "walled-" }));
  const [home, temporary] = [`${root}/home`, `${root}/temporary`];
  const project = `${home}/project`;
  try {
    for (const path of [`${project}/.git/hooks`, `${home}/.ssh`, `${home}/notes`, temporary]) {
      await Deno.mkdir(path, { recursive: true });
    }
    await Deno.writeTextFile(`${home}/.ssh/id`, "zq-secret");
    await Deno.writeTextFile(`${project}/AGENTS.md`, "rules\n");
    const env = { HOME: home, PATH, TMPDIR: temporary, HERMES_HOME: `${home}/.hermes` };
    const settings = await loadSettings({ home: resolveHome({ env }), env, overrides: {} });
    const choice: WallChoice = {};
    const told: string[] = [];
    const facts = new WallFactsOf(
      { settings, cwd: project, processEnv: env, wallChoice: () => choice },
      home,
    );
    await body({
      root,
      home,
      project,
      temporary,
      settings,
      env,
      choice,
      facts,
      told,
      walls: (options) =>
        new SessionWalls({
          policy: async (own) => ({ ...await facts.now(), ...own }),
          required: false,
          keptDir: `${root}/kept`,
          isBusy: () => false,
          notice: (line) => told.push(line),
          ...options,
        }),
      environment: (walls, options) =>
        createLocalEnvironment({
          cwd: project,
          env,
          home,
          tempDir: temporary,
          walls,
          killGraceMs: 200,
          ...options,
        }),
      grant: (grant) =>
        facts.grant({
          scope: "session",
          project,
          createdAt: "2026-01-01T00:00:00.000Z",
          ...grant,
        } as Grant),
    });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
