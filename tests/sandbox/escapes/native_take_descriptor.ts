/** Takes a descriptor out of the agent. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["pidfd_open", "pidfd_getfd"]);
