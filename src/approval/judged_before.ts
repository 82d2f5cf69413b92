/**
 * Inspections of the commands that a session ran before. A command is not read a second time when
 * nothing that its inspection looked at has changed: the same place, the same variables and files
 * of earlier commands, a disk that answers every question as it did. Owns no judgement.
 */
import type { Disk } from "./shell/disk.ts";

/** Commands that are remembered; the oldest go first. */
const MAX_COMMANDS = 64;
/** Asking the disk costs far less than reading a command, but not nothing. */
const MAX_QUESTIONS = 64;
const MAX_TEXT_CHARS = 65_536;

/** How often the state left by earlier commands has changed. */
export interface Versions {
  variables: number;
  files: number;
}

/** The facts that tell apart two commands of one text. */
export interface Place {
  cwd?: string | undefined;
  realCwd?: string | undefined;
  takesInput?: boolean | undefined;
  disk?: Disk | undefined;
  /** Any other fact that tells two judgements of one text apart. */
  among?: string | undefined;
}

interface Entry<Inspection> extends Versions {
  inspection: Inspection;
  answers: DiskAnswers;
}

/** Inspections of one session: all other facts that decide must stay the same. */
export class JudgedBefore<Inspection> {
  readonly #entries = new Map<string, Entry<Inspection>>();

  /** The earlier inspection, or that of `inspect`, which asks the disk it is given. */
  inspect(
    command: string,
    { cwd, realCwd, takesInput, disk, among, versions }: Place & { versions: Versions },
    inspect: (disk: Disk | undefined) => Inspection,
  ): Inspection {
    const key = JSON.stringify([command, cwd, realCwd, takesInput, disk === undefined, among]);
    const known = this.#entries.get(key);
    if (
      known?.variables === versions.variables && known.files === versions.files &&
      (disk === undefined || known.answers.areStillGivenBy(disk))
    ) {
      return known.inspection;
    }
    this.#entries.delete(key);
    const answers = new DiskAnswers();
    const inspection = inspect(disk && answers.of(disk));
    if (answers.isSmall) this.#entries.set(key, { ...versions, inspection, answers });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_COMMANDS) this.#entries.delete(oldest!);
    return inspection;
  }
}

/** The questions that a disk was asked, and its answers. */
class DiskAnswers {
  readonly #paths = new Map<string, string | undefined>();
  readonly #texts = new Map<string, string | undefined>();
  #chars = 0;

  of(disk: Disk): Disk {
    return {
      realPath: (path) => {
        const answer = disk.realPath(path);
        this.#paths.set(path, answer);
        return answer;
      },
      readText: (path) => {
        const answer = disk.readText(path);
        this.#texts.set(path, answer);
        this.#chars += answer?.length ?? 0;
        return answer;
      },
    };
  }

  get isSmall(): boolean {
    return this.#paths.size + this.#texts.size <= MAX_QUESTIONS && this.#chars <= MAX_TEXT_CHARS;
  }

  areStillGivenBy(disk: Disk): boolean {
    for (const [path, answer] of this.#paths) if (disk.realPath(path) !== answer) return false;
    for (const [path, answer] of this.#texts) if (disk.readText(path) !== answer) return false;
    return true;
  }
}
