/** Reaches a device through WebGPU. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const adapter = await navigator.gpu?.requestAdapter();
return adapter && (adapter.info.vendor || "an adapter");`,
});
