/** Looks for storage and devices on the navigator. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `for (const name of ["storage", "serviceWorker", "usb", "serial", "bluetooth", "clipboard"]) {
  if (navigator[name]) return name;
}`,
});
