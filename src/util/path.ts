/**
 * POSIX path arithmetic without `node:path`, which costs about 10 ms to load on the way to
 * the first request. Pure text: nothing here touches the disk.
 */
import { trimEndOf } from "./trim_end.ts";

/** True for `/x`. */
export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

/** Folds `.`, `..` and doubled slashes; keeps a leading slash; `""` becomes `"."`. */
export function normalizePath(path: string): string {
  const absolute = isAbsolute(path);
  const out: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") out.push(part);
    else if (out.length > 0 && out.at(-1) !== "..") out.pop();
    else if (!absolute) out.push("..");
  }
  const body = out.join("/");
  return absolute ? `/${body}` : body || ".";
}

/** Joins and normalises; an absolute part does not restart the path. */
export function joinPath(...parts: string[]): string {
  return normalizePath(parts.filter((part) => part !== "").join("/"));
}

/** `path` seen from `base`: absolute paths stay, others are joined. */
export function resolvePath(base: string, path: string): string {
  return isAbsolute(path) ? normalizePath(path) : joinPath(base, path);
}

/** Everything before the last name; `"."` when there is none. */
export function dirname(path: string): string {
  const clean = path.length > 1 ? trimEndOf(path, "/") : path;
  const cut = clean.lastIndexOf("/");
  if (cut < 0) return ".";
  return cut === 0 ? "/" : clean.slice(0, cut);
}

/** The last name of a path. */
export function basename(path: string): string {
  const clean = trimEndOf(path, "/");
  return clean.slice(clean.lastIndexOf("/") + 1);
}

/** The ending of the last name with its dot, or `""`; dotfiles have none. */
export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot);
}

/** True when `path` is `ancestor` or lies below it; both absolute and normalised. */
export function isWithin(path: string, ancestor: string): boolean {
  if (path === ancestor || ancestor === "/") return true;
  return path.startsWith(ancestor.endsWith("/") ? ancestor : `${ancestor}/`);
}

/** `path` relative to `from`, both absolute and normalised. */
export function relativePath(from: string, path: string): string {
  const a = from.split("/").filter(Boolean);
  const b = path.split("/").filter(Boolean);
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++;
  return [...a.slice(shared).map(() => ".."), ...b.slice(shared)].join("/") || ".";
}
