/** What was allowed for this session, and what is stored: the grants that a gate looks at. */
import type { ApprovalContext } from "../protocol/approval.ts";
import type { Grant, GrantOffer } from "../protocol/grant.ts";
import type { GrantStore } from "./grant_store.ts";

/** The project that a command or action belongs to. */
export interface ProjectPlace {
  name: string;
  /** The name means the same next week: grants for it may be stored. */
  isLasting: boolean;
}

export interface GrantMemoryOptions {
  /** Absent: nothing outlives the session. */
  store?: GrantStore | undefined;
  /** Default: the directory of the call, which lasts on this machine. */
  projectOf?: ((context: ApprovalContext) => ProjectPlace) | undefined;
  now?: (() => Date) | undefined;
  /** Told of everything that was allowed for longer than once. */
  onKept?: ((grant: Grant) => void) | undefined;
}

export class GrantMemory {
  readonly #options: GrantMemoryOptions;
  readonly #session: Grant[] = [];

  constructor(options: GrantMemoryOptions) {
    this.#options = options;
  }

  projectOf(context: ApprovalContext): ProjectPlace {
    const { projectOf = directoryOf } = this.#options;
    return projectOf(context);
  }

  canStore({ isLasting }: ProjectPlace): boolean {
    return isLasting && this.#options.store !== undefined;
  }

  /** Everything that was allowed: asked again each time, so that what is taken back is gone. */
  async grants(): Promise<readonly Grant[]> {
    return [...this.#session, ...await this.#stored()];
  }

  /** Keeps what a yes covers; true when it was stored for good as the offer says. */
  async keep(offers: readonly GrantOffer[]): Promise<boolean> {
    const { store, now = () => new Date() } = this.#options;
    const createdAt = now().toISOString();
    const lasting = offers.filter(({ scope }) => scope === "project");
    let isStored = false;
    if (store !== undefined && lasting.length > 0) {
      try {
        await store.add(lasting.map((offer) => ({ ...offer, createdAt })));
        isStored = true;
      } catch {
        // The yes was given; that it could not be written down makes it last for the session.
      }
    }
    for (const offer of offers) {
      if (offer.scope === "once") continue;
      const stays = isStored && offer.scope === "project";
      const grant: Grant = { ...offer, ...stays ? {} : { scope: "session" }, createdAt };
      if (!stays) this.#session.push(grant);
      this.#options.onKept?.(grant);
    }
    return isStored;
  }

  async #stored(): Promise<readonly Grant[]> {
    try {
      return await this.#options.store?.read() ?? [];
    } catch {
      // What cannot be read allows nothing: the person is asked, and `approvals list` says why.
      return [];
    }
  }
}

function directoryOf({ environment, cwd, realCwd }: ApprovalContext): ProjectPlace {
  return environment === "local"
    ? { name: realCwd ?? cwd, isLasting: true }
    : { name: `${environment}:${cwd}`, isLasting: false };
}
