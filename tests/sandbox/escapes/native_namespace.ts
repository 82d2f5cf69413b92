/** Enters namespaces of its own. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["unshare", "setns", "clone3"]);
