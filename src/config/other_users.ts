/**
 * Who besides the person can change a file or directory that decides what hermes does. Only looks
 * at owner and mode: root can change everything and is not counted.
 */

export type FileRights = Pick<Deno.FileInfo, "mode" | "uid" | "gid">;

/** Names those who can change something with these rights, for the user `self`; undefined when no other user can. */
export function othersWhoChange(
  { mode, uid, gid }: FileRights,
  self: number | null,
): "every user of this machine" | `the user ${number}` | `the group ${number}` | undefined {
  const bits = mode ?? 0;
  if ((bits & 0o002) !== 0) return "every user of this machine";
  if (isForeign(uid, self)) return `the user ${uid!}`;
  // Where each user has a group of their own, it has the user's number.
  if ((bits & 0o020) !== 0 && gid !== null && gid !== 0 && gid !== self) return `the group ${gid}`;
  return undefined;
}

/** True for the number of a user who is neither root nor `self`. */
export function isForeign(uid: number | null, self: number | null): boolean {
  return uid !== null && self !== null && uid !== 0 && uid !== self;
}

/** What to do about it. */
export function closeCommand({ mode, uid }: FileRights, self: number | null): string {
  if (((mode ?? 0) & 0o002) !== 0) return "chmod o-w";
  return isForeign(uid, self) ? `chown ${self}` : "chmod g-w";
}
