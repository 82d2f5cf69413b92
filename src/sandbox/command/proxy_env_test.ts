import { equal } from "node:assert/strict";
import { proxyVariables } from "./proxy_env.ts";

Deno.test("proxyVariables() names the proxy in both spellings and makes no exception", () => {
  const variables = proxyVariables({ url: "http://hermes:secret@127.0.0.1:4711" });
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "npm_config_proxy"]) {
    equal(variables[name], "http://hermes:secret@127.0.0.1:4711");
  }
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]) {
    equal(variables[name.toLowerCase()], variables[name]);
  }
  // Set and empty, so that what a person's shell exports does not stay.
  equal(variables.NO_PROXY, "");
  equal(variables.NODE_USE_ENV_PROXY, "1");
});
