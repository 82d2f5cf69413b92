/** The shape of one everyday command, and the short form in which the tables write it. */

export interface EverydayRow {
  readonly id: string;
  /** Programs without which the row is skipped; the skip is printed. */
  readonly needs: readonly string[];
  /** Runs before, without walls, in the row's own directory. */
  readonly setup?: string;
  readonly command: string;
  /** What must be equal inside and outside besides the exit code. */
  readonly compare: readonly ("stdout" | "files")[];
  /** The exit code outside; 0 unless said, so that no row is equal by failing twice. */
  readonly exit: number;
  /** Runs in an invocation of its own, whose workspace is the row's directory. */
  readonly ownWorkspace: boolean;
  /** The walls change this on purpose: how, and why. */
  readonly differs?: Difference;
}

export interface Difference {
  readonly reason: string;
  /** Exit code inside. */
  readonly code: number;
  /** What the output inside, stderr included, must say. */
  readonly says: RegExp;
}

export interface EverydayGroup {
  readonly name: string;
  readonly needs: readonly string[];
  /** Makes the project that every row gets a copy of; runs once, without walls. */
  readonly fixture: string;
  /** In front of every command. */
  readonly prelude?: string;
  /** Changes nothing, so that every row also runs in the mode `read-only`. */
  readonly readsOnly?: boolean;
  readonly rows: readonly EverydayRow[];
}

/** What a table may say about a row beyond its id and command. */
export type RowOptions = Partial<Omit<EverydayRow, "id" | "command">>;

export type ShortRow = readonly [id: string, command: string, options?: RowOptions];

/** The rows of a table; output is compared unless a row says otherwise. */
export function rows(table: readonly ShortRow[]): EverydayRow[] {
  return table.map(([id, command, options = {}]) => ({
    id,
    command,
    needs: [],
    compare: ["stdout"],
    exit: 0,
    ownWorkspace: false,
    ...options,
  }));
}

/** Only the exit code counts: the output has times, sizes or ids in it. */
export const CODE_ONLY: RowOptions = { compare: [] };

/** The files that the command leaves count as well. */
export const WITH_FILES: RowOptions = { compare: ["stdout", "files"] };
