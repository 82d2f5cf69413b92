/**
 * Where commands run and files live. One contract for local, docker, ssh, singularity,
 * modal and daytona; one conformance suite proves it for each.
 */

export interface ExecOptions {
  /** Runs this one command elsewhere; the persistent directory stays. */
  cwd?: string;
  /** Extra variables for this command only. */
  env?: Record<string, string>;
  timeoutMs?: number;
  stdin?: Uint8Array | string;
  signal?: AbortSignal;
  /** Whose persistent directory and exports apply; default `"main"`. */
  taskId?: string;
  /** Run on a pseudo-terminal. */
  pty?: boolean;
  /** Run without the walls that stand around commands there. */
  outside?: boolean;
  /** Characters of output kept (head and tail); default 50 000. */
  maxOutputChars?: number;
  /** Live output, for progress. Must not throw. */
  onOutput?: (text: string) => void;
}

export interface ExecResult {
  /** The command's own code; 124 after a timeout, 130 after an interrupt. */
  exitCode: number;
  /** stdout and stderr as they came, head and tail when too long. */
  output: string;
  /** Bytes the command wrote in all. */
  totalBytes: number;
  truncated: boolean;
  timedOut: boolean;
  interrupted: boolean;
  durationMs: number;
  /** The persistent working directory after the command. */
  cwd: string;
  /** Notes about the command: what the walls around it stopped or undid. */
  notes?: readonly string[];
}

export interface SpawnOptions {
  cwd?: string;
  env?: Record<string, string>;
  taskId?: string;
  pty?: boolean;
  /** Run without the walls that stand around commands there. */
  outside?: boolean;
  /** Columns and rows of the pseudo-terminal; default 120×40. */
  size?: { columns: number; rows: number };
}

/** A background process. Output is kept in a bounded ring; nothing grows with time. */
export interface BackgroundProcess {
  readonly pid: number;
  readonly startedAt: number;
  /** Settles with the exit code when the process ends; never rejects. */
  readonly exited: Promise<number>;
  readonly exitCode: number | undefined;
  /** Retained output, oldest first, and how many bytes were dropped before it. */
  output(): { text: string; droppedBytes: number; totalBytes: number };
  /** Called with each chunk of output from now on; returns a function that stops it. */
  onOutput(listener: (text: string) => void): () => void;
  write(data: string | Uint8Array): Promise<void>;
  /** Ends the input; on a pseudo-terminal types Ctrl-D. */
  closeStdin(): Promise<void>;
  /** Resizes the pseudo-terminal; does nothing without one. */
  resize(size: { columns: number; rows: number }): void;
  /** Kills the whole tree: SIGTERM, a grace period, SIGKILL. */
  kill(): Promise<void>;
}

export interface FileInfo {
  kind: "file" | "directory" | "symlink" | "other";
  size: number;
  /** Milliseconds since the epoch; 0 when unknown. */
  mtimeMs: number;
  mode?: number;
}

/** What a path names on a disk that hermes itself can see: the same for every name of one file. */
export interface FileIdentity {
  /** Device and inode. */
  id: string;
  /** Hard links; above 1 the file has other names. */
  links: number;
  kind: FileInfo["kind"];
}

/** A file that is open: no name that changes meanwhile leads to another one. */
export interface OpenedFile extends FileIdentity {
  /** The path it really has, links resolved; undefined when that cannot be told for sure. */
  path(): string | undefined;
}

export interface DirEntry {
  name: string;
  kind: FileInfo["kind"];
}

export interface ReadOptions {
  /** Byte offset; default 0. */
  start?: number;
  /** Bytes wanted at most; default the whole file. */
  length?: number;
  /** Told what was really opened, before anything of it is read; throws to refuse. Only with `identify`. */
  check?: (opened: OpenedFile) => void;
  signal?: AbortSignal;
}

export interface WriteOptions {
  /** Creates missing parents; default true. */
  parents?: boolean;
  mode?: number;
  /** The path is a real one: a link in it, or one that appears while it is written, is an error. */
  exact?: boolean;
  signal?: AbortSignal;
}

export interface RemoveOptions {
  recursive?: boolean;
  /** As in `WriteOptions`. */
  exact?: boolean;
}

/** One search over files: which, for what, and which page of the answer. */
export interface SearchQuery {
  /** Absolute paths of directories or single files. */
  roots: readonly string[];
  target: "content" | "files";
  /** `content`: a regular expression in ripgrep's dialect; `files`: a glob over names. */
  pattern: string;
  /** Take the expression as plain text. */
  literal?: boolean;
  ignoreCase?: boolean;
  /** The expression may span lines. */
  multiline?: boolean;
  /** Also hidden files and those named by ignore files. */
  all?: boolean;
  /** Only files whose name, or path below the root when it has a slash, matches this glob. */
  glob?: string;
  /** Lines wanted around each match; 0 for none. */
  context: number;
  /** Skipped and wanted at most: matching lines, or files when `lines` is false or for `files`. */
  offset: number;
  limit: number;
  /** False when only the files and their counts are wanted. */
  lines: boolean;
  /** Files that must not show up, whatever they hold. */
  exclude?: (path: string) => boolean;
  /** Identities of files that must not show up under any other name either; asked for when needed. */
  excludeIds?: () => Promise<ReadonlySet<string>>;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** A matching line, or one of its neighbours. */
export interface SearchLine {
  path: string;
  line: number;
  text: string;
  match: boolean;
}

/** Absolute paths. Content is ordered by path, files by the second they changed in, newest first, then by path. */
export interface SearchResult {
  /** The page of lines; empty unless asked for. */
  lines: SearchLine[];
  /** The page of files, with matching lines in each; empty when lines were asked for. */
  files: { path: string; count: number }[];
  /** Matching lines in all, the page aside; 0 for `files`. */
  total: number;
  totalFiles: number;
  /** Why the search ended before it saw everything. */
  stopped?: "timeout" | "size";
  /** The expression cannot be read: what is wrong with it. Nothing was searched. */
  invalid?: string;
}

export interface Environment {
  /** `local`, `docker`, `ssh`, … */
  readonly name: string;
  /** True where commands share the machine and user with hermes: approval rules apply in full. */
  readonly sharesHost: boolean;
  /** The persistent working directory of a task. */
  cwd(taskId?: string): string;
  /** Does ahead what the first command would have to wait for; absent where that is nothing. */
  prepare?(): Promise<void>;
  /** Runs in a shell and waits. A non-zero exit is a result; only infrastructure failures throw `EnvironmentError`. */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  spawn(command: string, options?: SpawnOptions): Promise<BackgroundProcess>;
  /** Absolute path of `path` for a task: `~` expanded, joined to its directory, `.` and `..` folded; symlinks kept. */
  resolve(path: string, taskId?: string): string;
  /** Symlinks resolved as far as the path exists. */
  realPath(path: string): Promise<string>;
  readFile(path: string, options?: ReadOptions): Promise<Uint8Array>;
  /** Atomic: the old file or the new one, never half of either. Keeps the mode of an existing file. */
  writeFile(path: string, data: Uint8Array, options?: WriteOptions): Promise<void>;
  /** Follows symlinks; undefined when there is nothing. */
  stat(path: string): Promise<FileInfo | undefined>;
  list(path: string): Promise<DirEntry[]>;
  remove(path: string, options?: RemoveOptions): Promise<void>;
  /** `exact`: as in `WriteOptions`, for both paths. */
  rename(from: string, to: string, options?: { exact?: boolean }): Promise<void>;
  /**
   * What each path names now, links followed; undefined for nothing. Only where the disk is the
   * one hermes sees: the same file by another name (hard link, mount, other case) is found by it.
   */
  identify?(paths: readonly string[]): (FileIdentity | undefined)[];
  /** Searches without another program; absent where commands have to do it. */
  search?(query: SearchQuery): Promise<SearchResult>;
  /** Ends every process it started and frees what it holds. Safe to call twice. */
  close(): Promise<void>;
}
