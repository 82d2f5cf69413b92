/** Opens windows and notifications of a desktop build. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `for (const Class of [Deno.BrowserWindow, Deno.Tray, Deno.Dock, globalThis.Notification]) {
  try { if (Class) return String(new Class("x")); } catch { /* refused */ }
}
return await globalThis.Notification?.requestPermission() === "granted" ? "granted" : undefined;`,
});
