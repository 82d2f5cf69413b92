/**
 * The variables that lead programs to the forward proxy. They only announce it: what keeps a
 * program from going past it are the walls.
 */

/** Names under which programs look for a proxy, for every scheme. */
const PROXY_NAMES: readonly string[] = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  // npm reads the ones above too, but a project's `.npmrc` would come before them.
  "npm_config_proxy",
  "npm_config_https_proxy",
  "YARN_HTTP_PROXY",
  "YARN_HTTPS_PROXY",
];

/**
 * Variables for commands that reach the network through `proxy` alone. `NO_PROXY` is empty on
 * purpose: behind the walls loopback has no direct way either, so a program that went past the
 * proxy would fail without a word, whereas the proxy serves `localhost` or says that it is not listed.
 */
export function proxyVariables(proxy: { readonly url: string }): Record<string, string> {
  return {
    ...Object.fromEntries(PROXY_NAMES.map((name) => [name, proxy.url])),
    NO_PROXY: "",
    no_proxy: "",
    npm_config_noproxy: "",
    // Node 22.21 and 24 on; older ones ignore it.
    NODE_USE_ENV_PROXY: "1",
  };
}
