/** Leaves its process group and session. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["setsid", "setpgid"]);
