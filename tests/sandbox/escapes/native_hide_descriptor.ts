/** Parks descriptors in messages. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["sendmsg", "sendmmsg"]);
