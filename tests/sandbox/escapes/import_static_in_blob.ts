/** Lets a blob: module import a file statically. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const source = \`import { k } from "file://\${${literal(w.secretModule)}}"; export { k };\`;
return (await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })))).k;`,
});
