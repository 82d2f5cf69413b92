/**
 * What a path means to the rules: where it points after `..`, `//`, `~` and `/proc` tricks,
 * and which protected place that is. Pure text; symbolic links are not followed.
 */
import { basename, dirname, isWithin, normalizePath } from "../util/path.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { eraseUnknown, hasUnknown } from "./unknown.ts";
import { globMatch, hasGlob } from "./glob.ts";

/** From where a path is seen. */
export interface Place {
  cwd?: string | undefined;
  home?: string | undefined;
  /** What hermes trusts and what holds secrets; its `homes` are further names of `home`. */
  places?: ProtectedPlaces | undefined;
}

/** Stands in where the home is not known, so that `~/..` still leads out of it. */
const SOME_HOME = "/home/user";

/** Absolute and folded where possible: the user's home becomes `~`, relative paths join the directory. */
export function canonicalPath(path: string, place: Place): string {
  const home = place.home ?? SOME_HOME;
  let full = expandTilde(path, home);
  if (!full.startsWith("/") && !full.startsWith("\0") && place.cwd !== undefined) {
    full = `${expandTilde(place.cwd, home)}/${full}`;
  }
  full = normalizePath(full);
  full = full.replace(/^\/proc\/(?:self|thread-self|\d+|\0[^\0]*\0)\/(?:root|cwd)(?=\/|$)/, "") ||
    "/";
  for (const name of [home, ...place.places?.homes ?? []]) {
    if (name !== "/" && isWithin(full, name)) return `~${full.slice(name.length)}`;
  }
  return full;
}

function expandTilde(path: string, home: string): string {
  const user = /^~([A-Za-z_][\w-]*)?(?=\/|$)/.exec(path);
  if (user === null) return path;
  const base = user[1] === undefined ? home : user[1] === "root" ? "/root" : `/home/${user[1]}`;
  return base + path.slice(user[0].length);
}

const SYSTEM_DIRECTORIES =
  "home root etc usr var bin sbin boot lib lib32 lib64 dev proc sys users system library applications"
    .split(" ");

export type DeleteTarget = "root" | "system" | "home" | "temporary" | "absolute" | "other";

/** How bad deleting `path` would be. A path that may turn out empty after `/` counts as `/`. */
export function deleteTarget(path: string, place: Place): DeleteTarget {
  const literalStart = path.startsWith("/") || path.startsWith("~");
  let full = canonicalPath(literalStart ? eraseUnknown(path) : path, place).toLowerCase();
  if (/^(?:\.?\*+|\.\[[^\]]*\]\*?|\?+\**|\.\?\?\*)$/.test(basename(full))) full = dirname(full);
  if (full === "/") return "root";
  if (full === "~" || /^\/(?:home|users)\/[^/]+$/.test(full)) return "home";
  const top = /^(?:\/private)?\/([^/]+)$/.exec(full)?.[1];
  if (top !== undefined && SYSTEM_DIRECTORIES.some((name) => globMatch(top, name))) return "system";
  if (/^\/(?:private\/)?(?:var\/)?tmp\/[^/*?[]/.test(full)) return "temporary";
  return literalStart && full.startsWith("/") ? "absolute" : "other";
}

/** Where a write lands that somebody should know about; undefined for ordinary files. */
export type WriteTarget = "device" | "system" | "credentials" | "hermes" | "project";

const DEVICE =
  /^\/dev\/(?:(?:sd|hd|vd|xvd)[a-z]|nvme\d|mmcblk\d|r?disk\d|dm-\d|md\d|mapper\/|disk\/)/;
const SYSTEM =
  /^\/(?:private\/)?(?:etc|boot|lib\/systemd|usr\/lib\/systemd|library\/launchdaemons|proc\/sys|sys)(?:\/|$)/;
const CREDENTIALS = new RegExp(
  "^(?:~|/root|/home/[^/]+|/users/[^/]+)/" +
    "(?:\\.(?:ssh|aws|gnupg|kube|azure|config/(?:gh|gcloud|fish))(?:/|$)|\\.docker/config\\.json$|" +
    "\\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|zshrc|zshenv|zprofile|zlogin|profile|" +
    "netrc|pgpass|npmrc|pypirc|git-credentials|my\\.cnf)$)",
);
const HERMES =
  /^(?:~|\/root|\/home\/[^/]+|\/users\/[^/]+)\/\.hermes\/(?:\.env|config\.ya?ml|auth\.json)$/;
const PROJECT =
  /^(?:\.env(?:\.(?!(?:example|sample|template|dist|defaults?)$)[\w-]+)*|config\.ya?ml)$/;

/** The protected place `path` belongs to. */
export function writeTarget(path: string, place: Place): WriteTarget | undefined {
  if (path === "") return undefined;
  const full = canonicalPath(path, place).toLowerCase();
  if (DEVICE.test(full) || (hasGlob(full) && /^\/dev\/[^/]*[*?[]/.test(full))) return "device";
  if (SYSTEM.test(full)) return "system";
  if (HERMES.test(full)) return "hermes";
  if (CREDENTIALS.test(full)) return "credentials";
  if (!hasUnknown(basename(full)) && PROJECT.test(basename(full))) return "project";
  return undefined;
}

const SECRETS = new RegExp(
  "^(?:~|/root|/home/[^/]+|/users/[^/]+)/" +
    "(?:\\.ssh/?$|\\.ssh/(?!config$|known_hosts|authorized_keys$|.*\\.pub$)|\\.gnupg(?:/|$)|\\.aws/?$|" +
    "\\.aws/credentials$|\\.kube/config$|\\.docker/config\\.json$|\\.config/(?:gh|gcloud)(?:/|$)|\\.azure(?:/|$)|" +
    "\\.(?:netrc|pgpass|npmrc|pypirc|git-credentials)$|\\.hermes/(?:\\.env|auth\\.json)$)|" +
    "^/(?:private/)?etc/(?:g?shadow|sudoers)|(?:^|/)\\.env(?:\\.(?!(?:example|sample|template|dist|defaults?)$)[\\w-]+)*$",
);

/** Whether the file is there to be kept from others: private keys, tokens, passwords. */
export function holdsSecrets(path: string, place: Place): boolean {
  return SECRETS.test(canonicalPath(path, place).toLowerCase());
}
