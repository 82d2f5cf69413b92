/** Lets a data: module import a file statically. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const source = \`import secret from "file://\${${
      literal(w.secretJson)
    }}" with { type: "json" }; export const k = secret.k;\`;
return (await import("data:application/javascript," + encodeURIComponent(source))).k;`,
});
