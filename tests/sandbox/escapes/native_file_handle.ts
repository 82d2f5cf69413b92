/** Opens files by handle, past their directories. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["name_to_handle_at", "open_by_handle_at"]);
