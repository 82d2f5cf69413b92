/** Flags of `hermes run` and `hermes chat` as the spec of a session; every wrong one gets its own line. */
import type { ApprovalPolicy } from "../../../protocol/approval.ts";
import { checkDirectory } from "../../../host/directory.ts";
import { UsageError } from "../../../protocol/error.ts";
import type { SandboxMode } from "../../../protocol/sandbox.ts";
import type { SessionSpec } from "../../../protocol/session_spec.ts";
import { resolvePath } from "../../../util/path.ts";
import type { CommandInput, FlagValue } from "../../command.ts";

/** What the command line says: the session that is wanted, and how this process shows it. */
export interface SessionChoices {
  spec: SessionSpec;
  profile?: string;
  verbose: boolean;
  quiet: boolean;
}

/** Flags as a spec: the only place that knows both. @throws {UsageError} when a value makes no sense. */
export function readSessionChoices(
  { flags }: Pick<CommandInput, "flags">,
  surface: string,
): SessionChoices {
  const cwd = workingDirectory(text(flags.cwd));
  const resume = readResume(flags);
  const policy = readPolicy(flags);
  const spec: SessionSpec = defined({
    surface,
    environment: text(flags.env),
    cwd,
    sandbox: text(flags.sandbox) as SandboxMode | undefined,
    network: text(flags.network),
    model: group({
      name: text(flags.model),
      provider: text(flags.provider),
      baseUrl: text(flags["base-url"]),
    }),
    toolsets: group({ enabled: list(flags.toolsets), disabled: list(flags["disable-toolsets"]) }),
    approval: group({ policy, once: actionIds(flags["approve-once"]) }),
    budget: group({
      iterations: positive(flags["max-turns"], { name: "max-turns", whole: true }),
      tokens: positive(flags["max-tokens"], { name: "max-tokens", whole: true }),
      costUsd: positive(flags["max-cost"], { name: "max-cost", whole: false }),
    }),
    resume,
    prompt: text(flags.system),
    extensions: group({
      plugins: list(flags.plugin),
      acceptPlugins: flags["accept-plugins"] === true ? true : undefined,
      acceptHooks: flags["accept-hooks"] === true ? true : undefined,
    }),
    storage: flags["no-session"] === true ? "none" as const : undefined,
    cassette: group({ record: text(flags.record), replay: text(flags.replay) }),
  });
  const shown = { verbose: flags.verbose === true, quiet: flags.quiet === true };
  return defined({ spec, profile: text(flags.profile), ...shown });
}

type Flags = CommandInput["flags"];

const ACTION_ID = /^[0-9a-f]{24}$/;

function readResume(flags: Flags): SessionSpec["resume"] {
  if (flags.continue === true && flags.resume !== undefined) {
    throw new UsageError("--continue and --resume cannot be used together", {
      hint: "--continue takes the latest session of this directory, --resume a named one.",
    });
  }
  const session = text(flags.resume) ?? (flags.continue === true ? "latest" : undefined);
  if (session === undefined) return undefined;
  if (flags["no-session"] === true) {
    throw new UsageError("--no-session keeps nothing, so there is nothing to resume");
  }
  for (const name of ["record", "replay"]) {
    if (flags[name] === undefined) continue;
    throw new UsageError(`--${name} is about a whole run, so it cannot go on with a session`, {
      hint: "Leave out --resume and --continue.",
    });
  }
  return flags.continue === true ? { session, here: true } : { session };
}

/** Ids of actions as exit code 3 names them. */
function actionIds(value: FlagValue | undefined): string[] | undefined {
  const ids = list(value);
  const wrong = ids?.find((id) => !ACTION_ID.test(id));
  if (wrong === undefined) return ids;
  throw new UsageError(`--approve-once ${wrong} is no id of an action`, {
    hint: "An id has 24 characters of 0-9 and a-f: a run that ends with exit code 3 names it.",
  });
}

function readPolicy(flags: Flags): ApprovalPolicy | undefined {
  const policy = text(flags.approve) as ApprovalPolicy | undefined;
  if (flags.yolo !== true) return policy;
  if (policy === undefined || policy === "always") return "always";
  throw new UsageError(`--yolo and --approve ${policy} say different things`, {
    hint: "--yolo is the same as --approve always.",
  });
}

/** An object of the values that are there; undefined when none is. */
function group<T extends object>(record: T): ReturnType<typeof defined<T>> | undefined {
  const present = defined(record);
  return Object.keys(present).length === 0 ? undefined : present;
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

/** Absent when none is named: the host has one. */
function workingDirectory(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const cwd = resolvePath(Deno.cwd(), value);
  checkDirectory(cwd, "-C (--cwd)");
  return cwd;
}
