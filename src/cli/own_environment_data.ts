/** Names of variables that hermes' own process treats in a special way. */

/** Names the command of a hermes that this process belongs to; that hermes ends it by this mark. */
export const MARKER = "HERMES_EXEC";

/**
 * Variables that stay in the environment of hermes' own process: the runtime and the small
 * system programs that hermes starts read them. None of them is a credential; the
 * password in a proxy's address is only in memory that others are not shown.
 */
export const RUNTIME_VARIABLES: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "PWD",
  "TMPDIR",
  "TEMP",
  "TMP",
  "TZ",
  "LANG",
  "LANGUAGE",
  "LC_ALL",
  "LC_CTYPE",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "FORCE_COLOR",
  "LD_LIBRARY_PATH",
  "DYLD_LIBRARY_PATH",
  "XDG_CACHE_HOME",
  "XDG_RUNTIME_DIR",
  "HERMES_BIN_CACHE",
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "DENO_CERT",
  "DENO_DIR",
  "DENO_TLS_CA_STORE",
  "DENO_NO_UPDATE_CHECK",
  "DENO_DISABLE_NODE_SHIM",
  "NPM_CONFIG_REGISTRY",
  "npm_config_registry",
  "RUST_BACKTRACE",
  "SystemRoot",
  "SYSTEMROOT",
  "ComSpec",
  "PATHEXT",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
]);
