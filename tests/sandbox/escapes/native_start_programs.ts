/** Starts programs by calls of its own. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["execve", "execveat", "fork", "vfork"]);
