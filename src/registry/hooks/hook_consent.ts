/**
 * Which configured commands a person has agreed to run as hooks, and with which files: a small
 * file in the home whose records carry a keyed seal. A changed command is a new command, a
 * changed program a new program, and a record without a seal counts for nothing.
 */
import { HermesError } from "../../protocol/error.ts";
import { writeFileAtomic } from "../../util/atomic_write.ts";
import type { Seal } from "../../util/seal.ts";
import { type CoveredFile, differenceOf } from "./hook_files.ts";

export interface HookApproval {
  event: string;
  command: string;
}

interface Consent extends HookApproval {
  files: CoveredFile[];
  seal: string;
}

export const HOOK_CONSENT_FILE = "shell-hooks-allowlist.json";
const PURPOSE = "shell hook";

export class HookConsents {
  readonly #file: string;
  readonly #seal: Seal;
  #agreed: Consent[];
  /** Without a seal of this home: of an older hermes, or written by another program. */
  readonly #doubtful: HookApproval[];

  private constructor(
    { file, seal, agreed, doubtful }: {
      file: string;
      seal: Seal;
      agreed: Consent[];
      doubtful: HookApproval[];
    },
  ) {
    this.#file = file;
    this.#seal = seal;
    this.#agreed = agreed;
    this.#doubtful = doubtful;
  }

  /** Reads the consents; none when there is no file. @throws {HermesError} when it is damaged. */
  static async read(file: string, seal: Seal): Promise<HookConsents> {
    const agreed: Consent[] = [];
    const doubtful: HookApproval[] = [];
    for (const record of await readRecords(file)) {
      const isOurs = await seal.verify(PURPOSE, sealedText(record), record.seal);
      if (isOurs) agreed.push(record);
      else doubtful.push(record);
    }
    return new HookConsents({ file, seal, agreed, doubtful });
  }

  /** What is known of a covered file, so that a large one is not read again. */
  known(path: string): CoveredFile | undefined {
    return this.#agreed.flatMap(({ files }) => files).find((file) => file.path === path);
  }

  /** Why a command is not agreed to with these files; undefined when it is. */
  objection(hook: HookApproval, files: readonly CoveredFile[]): string | undefined {
    const given = this.#agreed.filter((other) => isSame(other, hook));
    const differences = given.map((consent) => differenceOf(consent.files, files));
    if (differences.includes(undefined)) return undefined;
    if (differences.length > 0) return `it is not what was approved: ${differences.at(-1)}`;
    return this.#doubtful.some((other) => isSame(other, hook))
      ? "its approval has no seal: an older hermes made it, or somebody else"
      : "it is not approved";
  }

  /** Commands the person has agreed to, whatever has become of them. */
  get commands(): string[] {
    return [...this.#agreed, ...this.#doubtful].map(({ command }) => command);
  }

  /** Agrees to a command with these files. */
  async approve({ event, command }: HookApproval, files: readonly CoveredFile[]): Promise<void> {
    const record = { event, command, files: [...files] };
    const seal = await this.#seal.sign(PURPOSE, sealedText(record));
    await this.#change({ drop: (other) => isReplaced(other, record), add: [{ ...record, seal }] });
  }

  /** Takes every approval of a command back; returns those. */
  async revoke(command: string): Promise<HookApproval[]> {
    return await this.#change({ drop: (other) => other.command === command, add: [] });
  }

  async #change(
    { drop, add }: { drop(other: Consent): boolean; add: readonly Consent[] },
  ): Promise<HookApproval[]> {
    const records = await readRecords(this.#file);
    const dropped = records.filter(drop);
    const approvals = [...records.filter((record) => !drop(record)), ...add];
    if (dropped.length === 0 && add.length === 0) return [];
    await writeFileAtomic(this.#file, `${JSON.stringify({ approvals }, null, 2)}\n`);
    this.#agreed = [...this.#agreed.filter((record) => !drop(record)), ...add];
    return dropped.map(({ event, command }) => ({ event, command }));
  }
}

function isSame(one: HookApproval, other: HookApproval): boolean {
  return one.event === other.event && one.command === other.command;
}

/** One command can mean one script here and another there: consent to the other stays. */
function isReplaced(other: Consent, { files, ...hook }: Omit<Consent, "seal">): boolean {
  const paths = hashedPaths(other.files);
  const isOther = paths.length > 0 && !hashedPaths(files).some((path) => paths.includes(path));
  return isSame(other, hook) && !isOther;
}

function hashedPaths(files: readonly CoveredFile[]): string[] {
  return files.filter(({ sha256 }) => sha256 !== undefined).map(({ path }) => path);
}

function sealedText({ event, command, files }: Omit<Consent, "seal">): string {
  return JSON.stringify([event, command, files]);
}

async function readRecords(file: string): Promise<Consent[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  try {
    const { approvals } = JSON.parse(text) as { approvals: Consent[] };
    return approvals.map(({ event, command, files = [], seal = "" }) => {
      const isRecord = typeof event === "string" && typeof command === "string" &&
        typeof seal === "string" && files.every(({ path }) => typeof path === "string");
      if (!isRecord) throw new TypeError();
      return { event, command, files, seal };
    });
  } catch (cause) {
    throw new HermesError(`${file} is damaged`, {
      hint: "Delete it and approve your hooks again: hermes hooks approve",
      cause,
    });
  }
}
