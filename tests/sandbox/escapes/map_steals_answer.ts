/** Takes the functions that answers go to, and answers itself. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { get, set } = Map.prototype;
const taken = [];
Map.prototype.set = function (key, value) { taken.push(value); return set.call(this, key, value); };
const { read_file, terminal } = await import("hermes_tools");
const answer = read_file({ path: "x" });
Map.prototype.set = set;
taken.at(-1)?.('{"forged":true}');
await answer;
return taken.find((value) => value?.send || value?.token);`,
});
