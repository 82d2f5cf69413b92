/** Opens sockets of every family. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["socket", "connect", "bind", "listen", "accept", "accept4"]);
