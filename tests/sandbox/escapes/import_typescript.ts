/** Imports TypeScript through data:, which the runtime compiles into its cache. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const source = \`import { k } from "file://\${${
      literal(w.secretModule)
    }}"; export const a: string = k;\`;
return (await import("data:application/typescript," + encodeURIComponent(source))).a;`,
});
