import { deepStrictEqual } from "node:assert/strict";
import { DEFAULTS } from "./defaults_data.ts";
import { knownSecrets } from "./known_secrets.ts";

Deno.test("knownSecrets() finds secret variables and configured keys, once each", () => {
  const config = { ...DEFAULTS, model: { ...DEFAULTS.model, api_key: "key-in-config" } };
  const variables = (): [string, string][] => [
    ["OPENAI_API_KEY", "key-in-env"],
    ["MY_TOKEN", "key-in-env"],
    ["EDITOR", "vi"],
  ];
  deepStrictEqual(knownSecrets({ config, variables }), ["key-in-env", "key-in-config"]);
});
