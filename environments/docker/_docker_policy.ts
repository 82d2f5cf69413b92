/**
 * What a configuration gives a container of the host: nothing, some directories, or all of it.
 * Handing over the host is refused unless the operator forces it. Pure; paths come resolved.
 */
import { UsageError } from "../../src/protocol/error.ts";
import { isWithin, resolvePath } from "../../src/util/path.ts";

export interface HostAccess {
  /** The host is reachable from inside: approval rules stay on. */
  sharesHost: boolean;
  /** Why the container would have the whole host; empty when it has not. */
  takeovers: string[];
}

export interface PolicyFacts {
  cwd: string;
  /** What `~` means. */
  home: string;
  /** Where hermes keeps its secrets. */
  hermesHome: string;
}

export interface Mount {
  /** Host path, or the name of a volume. */
  source: string;
  /** What the user wrote. */
  text: string;
  readOnly: boolean;
}

/** Directories whose contents run, configure or control the host. */
const SYSTEM = /^\/(?:bin|boot|dev|etc|lib\w*|proc|root|run|sbin|sys|usr|var|var\/run|var\/lib)$/;
const ENGINE = /^(?:\/var)?\/run\/(?:docker|podman|containerd|crio|user)(?:\/|\.|$)|\.sock$/;
/** Flags that share a namespace, a device or more with the host. */
const NAMESPACES = /^--(?:pid|ipc|uts|userns|network|net|cgroupns)$/;
const DEVICES = /^--(?:device|device-cgroup-rule|volumes-from|cgroup-parent)$/;
/** Capabilities that a container may have anyway. */
const HARMLESS =
  /^(?:CAP_)?(?:AUDIT_WRITE|CHOWN|DAC_OVERRIDE|FOWNER|FSETID|KILL|NET_BIND_SERVICE|SETFCAP|SETGID|SETPCAP|SETUID|SYS_CHROOT)$/i;
const UNCONFINED = /unconfined|^label[:=]disable$|^no-new-privileges[:=]false$/;
/** What hermes itself decides. */
const OURS = /^(?:--(?:name|rm|detach|entrypoint|pull|cidfile|restart)|-d)$/;

/** Where a volume of the configuration comes from. */
export function parseVolume(text: string, facts: PolicyFacts): Mount {
  const [from = "", , options = ""] = text.split(":");
  const expanded = from === "~" || from.startsWith("~/") ? facts.home + from.slice(1) : from;
  const isPath = /^[/.]/.test(expanded);
  return {
    source: isPath ? resolvePath(facts.cwd, expanded) : expanded,
    text,
    readOnly: options.split(",").includes("ro"),
  };
}

/** Mounts named in more arguments of `docker run`. */
export function argumentMounts(args: readonly string[], facts: PolicyFacts): Mount[] {
  const mounts: Mount[] = [];
  for (const [flag, value] of flags(args)) {
    if (flag === "-v" || flag === "--volume") mounts.push(parseVolume(value, facts));
    if (flag !== "--mount") continue;
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(value)?.[1] ?? "";
    const readOnly = /(?:^|,)(?:readonly|ro)(?:=true|=1)?(?:,|$)/.test(value);
    mounts.push({ ...parseVolume(source, facts), text: value, readOnly });
  }
  return mounts;
}

export function judgeHostAccess(
  mounts: readonly Mount[],
  args: readonly string[],
  facts: PolicyFacts,
): HostAccess {
  const takeovers = [
    ...mounts.flatMap((mount) => mountTakeover(mount, facts)),
    ...flags(args).flatMap(([flag, value]) => flagTakeover(flag, value)),
  ];
  const shared = mounts.some(({ source }) => source.startsWith("/"));
  return { sharesHost: shared || takeovers.length > 0, takeovers };
}

/** @throws UsageError for arguments that hermes sets itself. */
export function checkExtraArgs(args: readonly string[]): void {
  const own = flags(args).find(([flag]) => OURS.test(flag));
  if (own === undefined) return;
  throw new UsageError(`terminal.docker_extra_args cannot have ${own[0]}: hermes sets it itself`);
}

function mountTakeover({ source, text, readOnly }: Mount, facts: PolicyFacts): string[] {
  if (!source.startsWith("/")) return [];
  if (source === "/") return [`the volume "${text}" mounts the whole file system`];
  if (ENGINE.test(source)) return [`the volume "${text}" mounts a socket that controls the host`];
  if (isWithin(facts.hermesHome, source)) {
    return [`the volume "${text}" holds the secrets of hermes (${facts.hermesHome})`];
  }
  if (SYSTEM.test(source) && !readOnly) return [`the volume "${text}" mounts a system directory`];
  return [];
}

function flagTakeover(flag: string, value: string): string[] {
  const shown = `docker_extra_args has "${value === "" ? flag : `${flag}=${value}`}"`;
  if (flag === "--privileged") return value === "false" ? [] : [shown];
  if (NAMESPACES.test(flag)) return /^(?:host|container:.*|ns:.*)$/.test(value) ? [shown] : [];
  if (DEVICES.test(flag)) return [shown];
  if (flag === "--cap-add") return HARMLESS.test(value) ? [] : [shown];
  if (flag === "--security-opt") return UNCONFINED.test(value) ? [shown] : [];
  return [];
}

/** `--flag=value`, `--flag value` and `--flag`, as pairs. */
function flags(args: readonly string[]): [flag: string, value: string][] {
  const pairs: [string, string][] = [];
  args.forEach((arg, i) => {
    if (!arg.startsWith("-")) return;
    const joined = /^(--[^=]+)=(.*)$/s.exec(arg) ?? /^(-v)=?(.+)$/s.exec(arg);
    if (joined) pairs.push([joined[1]!, joined[2]!]);
    else {
      const next = args[i + 1] ?? "";
      pairs.push([arg, next.startsWith("-") ? "" : next]);
    }
  });
  return pairs;
}
