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

Deno.test("knownSecrets() finds passwords in addresses, tokens by their look and fields of JSON", () => {
  const variables = (): [string, string][] => [
    ["DATABASE_URL", "postgres://app:pass%2Fword1@db/app"],
    ["HOOK", "https://hooks.example/services/T0A1B2C3D/aK3j9XzQ81LmN0pR"],
    ["PLAIN_SETTING", "https://api.example/v1/things"],
    ["HTTPS_PROXY", "http://me:proxy-word@proxy:3128"],
    ["ACCOUNT", JSON.stringify({ type: "service_account", private_key: "key-in-json" })],
    ["PATH", "/usr/bin:/opt/aK3j9XzQ81LmN0pR/bin"],
    ["BUILD", "0123456789abcdef0123456789abcdef01234567"],
  ];
  deepStrictEqual(knownSecrets({ config: DEFAULTS, variables }), [
    "postgres://app:pass%2Fword1@db/app",
    "pass%2Fword1",
    "pass/word1",
    "https://hooks.example/services/T0A1B2C3D/aK3j9XzQ81LmN0pR",
    "proxy-word",
    "key-in-json",
  ]);
});

Deno.test("knownSecrets() takes no path that exists for a secret, whatever its variable is called", () => {
  const here = new URL(".", import.meta.url).pathname;
  const variables = (): [string, string][] => [
    ["GOOGLE_APPLICATION_CREDENTIALS", `${here}known_secrets.ts`],
    ["DOCKER_HOST", `unix://${here}`],
    ["KUBECONFIG", `${here}:/nowhere/x9K2m4Q8v1Z7b3N5`],
    ["STORE_SECRET", "/wJalrXUtnFEMI/K7MDENG/bPxRfiCY1"],
  ];
  deepStrictEqual(knownSecrets({ config: DEFAULTS, variables }), [
    "/wJalrXUtnFEMI/K7MDENG/bPxRfiCY1",
  ]);
});
