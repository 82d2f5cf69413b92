/**
 * Which files the file tools may not read or write, and which need a yes first. Pure rules
 * over absolute paths; callers ask for the path as given and for what its symlinks lead to.
 */
import type { ApprovalRequest } from "../src/protocol/approval.ts";
import { basename, dirname, isWithin, relativePath } from "../src/util/path.ts";

/** Where the rules look: the user's home and the hermes home (of a profile or the root). */
export interface ProtectedPlaces {
  home: string;
  hermesHome: string;
  /** When not empty, nothing outside these directories may be written. */
  safeRoots?: readonly string[];
}

const DOTENV = /^\.env(\.(local|development|production|test|staging))?$|^\.envrc$/;
const DEVICES = /^\/dev\/(zero|random|urandom|full|stdin|tty|console|stdout|stderr|fd\/[0-2])$/;
const PROC = new RegExp(
  "^/proc/[^/]+(/task/[^/]+)?/" +
    "(fd/[0-2]|environ|cmdline|maps|smaps[^/]*|numa_maps|mem|auxv|pagemap)$",
);

/** Below the hermes home: what holds keys and tokens. */
const HERMES_SECRETS =
  /^(\.env|auth\.json|auth\.lock|\.anthropic_oauth\.json|webhook_subscriptions\.json|auth\/google_oauth\.json|cache\/bws_cache\.json)$|^(mcp-tokens|skills\/\.hub)(\/|$)/;
/** Below the hermes home: what only hermes itself writes. */
const HERMES_OWN = /^(config\.yaml|state\.db(-wal|-shm|-journal)?)$|^(pairing|sessions)(\/|$)/;
const OTHER_PROFILE = /^(skills|plugins|cron|memories)(\/|$)/;

/** Below the home: private keys and tokens, never shown. Public halves and settings are. */
const HOME_SECRETS =
  /^(\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.aws\/credentials|\.docker\/config\.json|\.kube\/config|\.config\/gh\/hosts\.yml)$|^(\.gnupg|\.azure|\.config\/gcloud)\/|^\.ssh\/(?!(config|known_hosts(\.old)?|authorized_keys|.*\.pub)$)./;
/** Below the home: never written. */
const HOME_DENIED =
  /^(\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials)$|^(\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure|\.config\/gh|\.config\/gcloud)(\/|$)/;
const SYSTEM_DENIED =
  /^\/(private\/)?etc\/|^\/boot\/|^\/usr\/lib\/systemd\/|^\/private\/var\/(db|root)\/|\/docker\.sock$/;
const INSTRUCTION_FILE = /^(agents\.md|claude\.md|soul\.md|\.cursorrules)$/i;

/** True for paths whose content never ends, blocks, or shows a process's memory and environment. */
export function isDevicePath(path: string): boolean {
  return DEVICES.test(path) || PROC.test(path);
}

/** True when the content holds credentials: not read, not found by searches. */
export function holdsCredentials(path: string, places: ProtectedPlaces): boolean {
  if (DOTENV.test(basename(path))) return true;
  const own = insideHermes(path, places)?.path;
  if (own !== undefined && HERMES_SECRETS.test(own)) return true;
  return isWithin(path, places.home) && HOME_SECRETS.test(relativePath(places.home, path));
}

/** Why `path` may not be written at all, or undefined. */
export function writeRefusal(path: string, places: ProtectedPlaces): string | undefined {
  const roots = places.safeRoots ?? [];
  if (roots.length > 0 && !roots.some((root) => isWithin(path, root))) {
    return `${path} is outside the directories that may be written (${roots.join(", ")}).`;
  }
  if (SYSTEM_DENIED.test(path)) return `${path} is a system file; ask the user to change it.`;
  const own = insideHermes(path, places)?.path;
  if (own !== undefined && (HERMES_SECRETS.test(own) || HERMES_OWN.test(own))) {
    return `${path} belongs to hermes; change settings with \`hermes config set\`.`;
  }
  const below = isWithin(path, places.home) ? relativePath(places.home, path) : undefined;
  if (below !== undefined && below !== ".ssh/config" && HOME_DENIED.test(below)) {
    return `${path} holds credentials or access rules; ask the user to change it.`;
  }
  return undefined;
}

/** The rule and reason when a write needs somebody's yes, or undefined. */
export function writeApproval(
  path: string,
  places: ProtectedPlaces,
): Pick<ApprovalRequest, "rule" | "description" | "allowAlways" | "onceOnly"> | undefined {
  if (path === `${places.home}/.ssh/config`) {
    const description = "changes how ssh connects";
    return { rule: "ssh_config_write", description, allowAlways: true };
  }
  if (insideHermes(path, places) !== undefined) return undefined;
  if (INSTRUCTION_FILE.test(basename(path)) || basename(dirname(path)) === ".hermes") {
    const description = "changes the instructions that agents follow";
    return { rule: "instruction_file_write", description, allowAlways: false, onceOnly: true };
  }
  return undefined;
}

/** Why the write would change another profile's state, or undefined; `cross_profile` overrides it. */
export function otherProfile(path: string, places: ProtectedPlaces): string | undefined {
  const target = insideHermes(path, places);
  if (target === undefined || target.home === places.hermesHome) return undefined;
  if (!OTHER_PROFILE.test(target.path)) return undefined;
  return `${path} belongs to another profile; pass cross_profile=true only if the user asked for it.`;
}

/** The hermes home that `path` lies in (the root's or a profile's) and the rest of the path. */
function insideHermes(
  path: string,
  places: ProtectedPlaces,
): { home: string; path: string } | undefined {
  const profile = /^(.*)\/profiles\/[^/]+$/.exec(places.hermesHome);
  const root = profile?.[1] ?? places.hermesHome;
  if (path === root || !isWithin(path, root)) return undefined;
  const below = relativePath(root, path);
  const inProfile = /^(profiles\/[^/]+)\/(.+)$/.exec(below);
  if (inProfile) return { home: `${root}/${inProfile[1]}`, path: inProfile[2]! };
  return { home: root, path: below };
}
