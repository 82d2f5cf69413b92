/** Moves pages between descriptors without reading them. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["splice", "tee", "vmsplice"]);
