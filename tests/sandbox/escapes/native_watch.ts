/** Watches what others do with files. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "inotify_init",
  "inotify_init1",
  "fanotify_init",
  "fanotify_mark",
]);
