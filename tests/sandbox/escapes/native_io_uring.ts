/** Opens the queue of requests that the kernel would serve past every filter. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["io_uring_setup", "io_uring_enter", "io_uring_register"]);
