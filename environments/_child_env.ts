/**
 * The environment of commands and of client programs such as `docker` and `ssh`: what
 * `src/util/child_variables.ts` lets through, a home, and a complete PATH.
 */
import { childVariables } from "../src/util/child_variables.ts";

const SYSTEM_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
/** A client program of hermes itself may log in to a proxy. */
const PROXIES = [
  "http_proxy",
  "HTTP_PROXY",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
];

/**
 * Commands have no person who pages through their output. On a terminal a pager takes input, and
 * starts programs that the gate has not seen; `less` itself is kept from doing that.
 */
const NO_PAGER: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  LESSSECURE: "1",
};

export interface ChildOptions {
  /** Names of variables that are passed whatever they hold. */
  pass: readonly string[];
  home: string;
}

/** The environment of a command. */
export function childEnvironment(
  env: Readonly<Record<string, string>>,
  options: ChildOptions,
): Record<string, string> {
  const child = { ...childVariables(env, options.pass), ...NO_PAGER };
  for (const name of options.pass) if (env[name] !== undefined) child[name] = env[name];
  child.HOME ??= options.home;
  const path = child.PATH?.split(":").filter((dir) => dir !== "") ?? [];
  child.PATH = [...path, ...SYSTEM_PATH.filter((dir) => !path.includes(dir))].join(":");
  return child;
}

/** The environment of a program through which hermes reaches another place; no command sees it. */
export function clientEnvironment(
  env: Readonly<Record<string, string>>,
  options: ChildOptions,
): Record<string, string> {
  return childEnvironment(env, { ...options, pass: [...options.pass, ...PROXIES] });
}
