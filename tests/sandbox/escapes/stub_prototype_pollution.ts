/** Pollutes prototypes to change what the stub and the agent do. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { read_file } = await import("hermes_tools");
Object.prototype.background = true;
Object.prototype.tool = "execute_code";
Array.prototype.toJSON = () => "polluted";
await read_file(JSON.parse('{ "__proto__": { "polluted": true }, "path": "x" }'));
return undefined;`,
  python: () =>
    `import hermes_tools
hermes_tools.read_file(**{"path": {"__proto__": {"polluted": True}}})`,
  effect: (_world) =>
    Promise.resolve(
      "polluted" in {} || "background" in {} ? "the agent's prototypes changed" : undefined,
    ),
});
