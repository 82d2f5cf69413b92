/** Serves page faults itself, to stop the kernel half way. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["userfaultfd"]);
