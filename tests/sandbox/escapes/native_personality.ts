/** Switches to an older personality of the kernel. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["personality"]);
