/** Moves the pages of other processes. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["migrate_pages", "move_pages", "mbind", "set_mempolicy"]);
