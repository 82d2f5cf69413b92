/** Reads keys that the kernel keeps for the user. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["add_key", "request_key", "keyctl"]);
