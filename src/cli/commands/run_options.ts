/** Flags of `hermes run` and `hermes chat` as typed values; every wrong one gets its own line. */
import type { ApprovalPolicy } from "../../protocol/approval.ts";
import { UsageError } from "../../protocol/error.ts";
import { resolvePath } from "../../util/path.ts";
import type { CommandInput, FlagValue } from "../command.ts";

export interface SessionChoices {
  model?: string;
  provider?: string;
  baseUrl?: string;
  toolsets?: string[];
  disableToolsets?: string[];
  cwd: string;
  /** The directory was named, so `terminal.cwd` does not apply. */
  cwdGiven: boolean;
  environment?: string;
  maxIterations?: number;
  maxTokens?: number;
  maxCostUsd?: number;
  approve?: ApprovalPolicy;
  acceptHooks: boolean;
  /** Paths and addresses of plugins for this run. */
  pluginPlaces?: string[];
  acceptPlugins: boolean;
  /** A session id, an id prefix, a title, or `latest`. */
  resume?: string;
  /** `latest` means: of this directory. */
  resumeHere: boolean;
  system?: string;
  persist: boolean;
  profile?: string;
  verbose: boolean;
  quiet: boolean;
}

/** @throws {UsageError} when a value makes no sense. */
export function readSessionChoices(input: CommandInput): SessionChoices {
  const { flags } = input;
  const cwd = workingDirectory(text(flags.cwd));
  if (flags.continue === true && flags.resume !== undefined) {
    throw new UsageError("--continue and --resume cannot be used together", {
      hint: "--continue takes the latest session of this directory, --resume a named one.",
    });
  }
  const persist = flags["no-session"] !== true;
  const resume = text(flags.resume) ?? (flags.continue === true ? "latest" : undefined);
  if (!persist && resume !== undefined) {
    throw new UsageError("--no-session keeps nothing, so there is nothing to resume");
  }
  for (const name of ["record", "replay"]) {
    if (flags[name] === undefined || resume === undefined) continue;
    throw new UsageError(`--${name} is about a whole run, so it cannot go on with a session`, {
      hint: "Leave out --resume and --continue.",
    });
  }
  if (flags.yolo === true && !["always", undefined].includes(text(flags.approve))) {
    throw new UsageError(`--yolo and --approve ${flags.approve} say different things`, {
      hint: "--yolo is the same as --approve always.",
    });
  }
  return defined({
    model: text(flags.model),
    provider: text(flags.provider),
    baseUrl: text(flags["base-url"]),
    toolsets: list(flags.toolsets),
    disableToolsets: list(flags["disable-toolsets"]),
    cwd,
    cwdGiven: flags.cwd !== undefined,
    environment: text(flags.env),
    maxIterations: positive(flags["max-turns"], { name: "max-turns", whole: true }),
    maxTokens: positive(flags["max-tokens"], { name: "max-tokens", whole: true }),
    maxCostUsd: positive(flags["max-cost"], { name: "max-cost", whole: false }),
    approve: flags.yolo === true ? "always" : text(flags.approve) as ApprovalPolicy | undefined,
    acceptHooks: flags["accept-hooks"] === true,
    pluginPlaces: list(flags.plugin),
    acceptPlugins: flags["accept-plugins"] === true,
    resume,
    resumeHere: flags.continue === true,
    system: text(flags.system),
    persist,
    profile: text(flags.profile),
    verbose: flags.verbose === true,
    quiet: flags.quiet === true,
  });
}

/** `90`, `90s`, `5m`, `1h` as milliseconds. @throws {UsageError} on anything else. */
export function parseDuration(value: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value.trim());
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? "s"]!;
  const ms = Number(match?.[1]) * unit;
  if (!match || !(ms > 0)) {
    throw new UsageError(`--${flag} must be a time such as 90, 90s, 5m or 1h: it is "${value}"`);
  }
  return ms;
}

/** Drops undefined values, so that optional properties are absent rather than undefined. */
export function defined<T extends object>(
  record: T,
):
  & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & {
    [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
  } {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as ReturnType<typeof defined<T>>;
}

/** A flag's text value. */
export function text(value: FlagValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function list(value: FlagValue | undefined): string[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function positive(
  value: FlagValue | undefined,
  flag: { name: string; whole: boolean },
): number | undefined {
  if (typeof value !== "number") return undefined;
  if (!(value > 0) || (flag.whole && !Number.isInteger(value))) {
    const wanted = flag.whole ? "a whole number above 0" : "a number above 0";
    throw new UsageError(`--${flag.name} must be ${wanted}: it is ${value}`);
  }
  return value;
}

function workingDirectory(value: string | undefined): string {
  const cwd = value === undefined ? Deno.cwd() : resolvePath(Deno.cwd(), value);
  checkDirectory(cwd, "-C (--cwd)");
  return cwd;
}

/** @throws {UsageError} when commands could not run in `directory`, which `setting` names. */
export function checkDirectory(directory: string, setting: string): void {
  try {
    if (!Deno.statSync(directory).isDirectory) throw new Deno.errors.NotFound();
  } catch {
    // A missing directory and a file are the same mistake.
    throw new UsageError(`${setting} is not a directory: ${directory}`);
  }
  try {
    // Looking at `.` inside takes the same permission as entering.
    Deno.statSync(`${directory}/.`);
  } catch {
    throw new UsageError(`${setting} cannot be entered: ${directory}`, {
      hint: "You need the permission to execute on it.",
    });
  }
}
