/** Evaluates code in a realm of its own. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const realm = new ShadowRealm();
return await realm.importValue("file://" + ${literal(w.secretModule)}, "k");`,
});
