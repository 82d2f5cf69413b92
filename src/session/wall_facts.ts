/**
 * What the walls of a session are made of, as it is now: settings, and what a person granted for
 * the session or for the project. File tools and commands get their policy from the same facts.
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
  /** What holds instead of the settings, as it is now. */
  wallChoice: () => WallChoice;
}

/** Kinds that change what the walls let through; one that runs a command outside does not. */
const OPENING: ReadonlySet<string> = new Set(["path-write", "path-read", "host"]);

export class WallFactsOf {
  readonly #options: WallFactsOptions;
  readonly #userHome: string;
  readonly #session: SandboxGrant[] = [];
  #stored: Promise<SandboxGrant[]> | undefined;
  #policy: Promise<SandboxPolicy | undefined> | undefined;

  constructor(options: WallFactsOptions, userHome: string) {
    this.#options = options;
    this.#userHome = userHome;
  }

  /** A yes was given; true when it opens something in the walls. */
  grant(grant: Grant): boolean {
    if (!OPENING.has(grant.kind)) return false;
    this.#session.push(grant as SandboxGrant);
    this.#policy = undefined;
    return true;
  }

  /** The mode or the network was changed. */
  changed(): void {
    this.#policy = undefined;
  }

  async now(): Promise<WallFacts> {
    const { settings, cwd, processEnv: env } = this.#options;
    const stored = await (this.#stored ??= this.#read());
    return {
      settings,
      cwd,
      userHome: this.#userHome,
      env,
      chosen: this.#options.wallChoice(),
      grants: [...this.#session, ...stored],
    };
  }

  /** What file tools keep to; undefined where no walls stand. */
  policy(): Promise<SandboxPolicy | undefined> {
    return this.#policy ??= this.#makePolicy();
  }

  async #makePolicy(): Promise<SandboxPolicy | undefined> {
    const { sessionPolicy } = await import("./walls.ts");
    return sessionPolicy(await this.now());
  }

  /** What was granted in this project for good. What cannot be read grants nothing. */
  async #read(): Promise<SandboxGrant[]> {
    const { settings, cwd } = this.#options;
    const [{ GrantFile, GRANTS_FILE }, { projectRoot }] = await Promise.all([
      import("../approval/grant_store.ts"),
      import("../util/project_root.ts"),
    ]);
    try {
      const project = projectRoot(cwd, { homes: [this.#userHome] });
      const grants = await new GrantFile(settings.home.path(GRANTS_FILE)).read();
      return grants.filter((grant): grant is SandboxGrant & typeof grant =>
        OPENING.has(grant.kind) && grant.project === project
      );
    } catch {
      return []; // `hermes approvals list` says what is wrong with the file.
    }
  }
}
