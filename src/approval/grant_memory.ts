/** The grants that a gate looks at: those of this session and the stored grants. */
import type { ApprovalContext } from "../protocol/approval.ts";
import type { Grant, GrantOffer } from "../protocol/grant.ts";
import type { GrantStore } from "./grant_store.ts";

/** The project that a command or action belongs to. */
export interface ProjectPlace {
  name: string;
  /** True when the name means the same project next week: grants for it may be stored. */
  isLasting: boolean;
}

export interface GrantMemoryOptions {
  /** Absent: nothing outlives the session. */
  store?: GrantStore | undefined;
  /** Default: the directory of the call, which lasts on this machine. */
  projectOf?: ((context: ApprovalContext) => ProjectPlace) | undefined;
  now?: (() => Date) | undefined;
  /** Called with every grant that lasts longer than once. */
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

  /** All grants, read again each time, so that a revoked grant is gone. */
  async grants(): Promise<readonly Grant[]> {
    return [...this.#session, ...await this.#stored()];
  }

  /** Keeps the offered grants; true when they were stored for good as the offer says. */
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
        // The yes was given but could not be stored: it lasts for the session.
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
      // An unreadable store allows nothing: the person is asked, and `approvals list` says why.
      return [];
    }
  }
}

function directoryOf({ environment, cwd, realCwd }: ApprovalContext): ProjectPlace {
  return environment === "local"
    ? { name: realCwd ?? cwd, isLasting: true }
    : { name: `${environment}:${cwd}`, isLasting: false };
}
