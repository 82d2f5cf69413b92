/** Stores something beyond the run. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `localStorage.setItem("escape", "x");
return localStorage.getItem("escape");`,
});
