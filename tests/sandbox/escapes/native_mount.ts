/** Builds another view of the file system. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "mount",
  "umount2",
  "pivot_root",
  "chroot",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "open_tree",
  "move_mount",
  "mount_setattr",
]);
