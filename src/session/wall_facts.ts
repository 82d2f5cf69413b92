/**
 * The facts that the walls of a session are made of, as they are now: settings, and the grants of a
 * person for the session or for the project. File tools and commands get their policy from the same facts.
 */
import type { Settings } from "../config/load.ts";
import type { Grant } from "../protocol/grant.ts";
import type { SandboxGrant, SandboxPolicy } from "../protocol/sandbox.ts";
import type { WallChoice } from "./wall_choice.ts";
import type { WallFacts } from "./walls.ts";

export interface WallFactsOptions {
  settings: Settings;
  cwd: string;
  processEnv: Readonly<Record<string, string>>;
  /** The choice that holds instead of the settings, as it is now. */
  wallChoice: () => WallChoice;
}

/** Kinds that change what the walls let through; one that runs a command outside does not. */
const OPENING: ReadonlySet<string> = new Set(["path-write", "path-read", "host"]);

export class WallFactsOf {
  readonly #options: WallFactsOptions;
  readonly #userHome: string;
  readonly #session: SandboxGrant[] = [];
  #policy: Promise<SandboxPolicy | undefined> | undefined;

  constructor(options: WallFactsOptions, userHome: string) {
    this.#options = options;
    this.#userHome = userHome;
  }

  /** A yes was given; true when it opens something in the walls. */
  grant(grant: Grant): boolean {
    if (!OPENING.has(grant.kind)) return false;
    // A grant for the project is in the file, which is read anew.
    if (grant.scope === "session") this.#session.push(grant as SandboxGrant);
    this.#policy = undefined;
    return true;
  }

  /** The mode or the network was changed. */
  changed(): void {
    this.#policy = undefined;
  }

  async now(): Promise<WallFacts> {
    const { settings, cwd, processEnv: env } = this.#options;
    const stored = await this.#read();
    return {
      settings,
      cwd,
      userHome: this.#userHome,
      env,
      chosen: this.#options.wallChoice(),
      grants: [...this.#session, ...stored],
    };
  }

  /** The policy that file tools keep to; undefined where no walls stand. */
  policy(): Promise<SandboxPolicy | undefined> {
    return this.#policy ??= this.#makePolicy();
  }

  async #makePolicy(): Promise<SandboxPolicy | undefined> {
    const { sessionPolicy } = await import("./walls.ts");
    return sessionPolicy(await this.now());
  }

  /**
   * Grants of this project that are stored now: one that a person has taken back is gone with the
   * next walls. A file that cannot be read grants nothing.
   */
  async #read(): Promise<SandboxGrant[]> {
    const { settings, cwd } = this.#options;
    const [{ GrantFile, GRANTS_FILE }, { projectRoot }] = await Promise.all([
      import("../approval/grant_store.ts"),
      import("../util/project_root.ts"),
    ]);
    try {
      const grants = await new GrantFile(settings.home.path(GRANTS_FILE)).read();
      if (grants.length === 0) return [];
      // The gate knows the project by the name of the call's directory, with or without its links.
      const homes = [this.#userHome, await realPath(this.#userHome)];
      const projects = [cwd, await realPath(cwd)].map((path) => projectRoot(path, { homes }));
      return grants.filter((grant): grant is SandboxGrant & typeof grant =>
        OPENING.has(grant.kind) && projects.includes(grant.project)
      );
    } catch {
      return []; // `hermes approvals list` says what is wrong with the file.
    }
  }
}

async function realPath(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    return path; // Gone, or not to be seen: its name is all there is.
  }
}
